// `slow` and `schedule`: the other limits of speed of the running node, switched at once or by a week's table.

import { Argument, type Command } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { CommandError } from './node-client.ts'
import { printable } from './show.ts'
import { rateArgument, rateText } from './units.ts'

type SlowMode = ReplyOf<CoreRoutes, 'GET /slowmode'>

interface SlowFlags extends NodeFlags {
  down?: number
  up?: number
}

function limitText(rate: number): string {
  return rate === 0 ? 'no limit' : rateText(rate)
}

function stateText({ enabled, max_download_rate: down, max_upload_rate: up }: SlowMode): string {
  return `Slow mode is ${enabled ? 'on' : 'off'}: ${limitText(down)} down, ${limitText(up)} up.\n`
}

/** Seconds since 1970 as a time in the zone of the schedule. */
function whenText(seconds: number, zone: string): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-GB', { ...options, ...(zone !== '' && { timeZone: zone }) })
  return `${format.format(seconds * 1000)} (${format.resolvedOptions().timeZone})`
}

function scheduleText({ schedule, schedule_enabled: on, time_zone: zone, next_change: next }: SlowMode): string {
  if (schedule.length === 0) return 'There is no schedule. Set one: tributary schedule set "mon-fri 08:00-18:00"\n'
  const lines = schedule.map(line => `  ${printable(line)}\n`).join('')
  const change = next === null ? '' : `Next switch: ${whenText(next, zone)}\n`
  return `The schedule is ${on ? 'on' : 'off'}. Slow mode is on at:\n${lines}${change}`
}

function addScheduleCommand(program: Command): void {
  forNode(program.command('schedule').description('The schedule of slow mode, a table of the week.'))
    .addArgument(new Argument('[action]', 'what to do').choices(['show', 'set', 'on', 'off']).default('show'))
    .argument('[line...]', 'of set: days and times, such as "mon-fri 08:00-18:00", "daily 22:00-06:00"')
    .option('--zone <name>', 'its time zone, such as Europe/Berlin; "" = that of the node\'s machine')
    .addHelpText('after', '\nA switch by hand (tributary slow) holds until the next border of the schedule.')
    .action((action: string, lines: string[], flags: NodeFlags & { zone?: string }) =>
      runForNode(flags, async ({ node, show }) => {
        if ((action === 'set') !== lines.length > 0) throw new CommandError('Lines belong to set, and set needs them.')
        const change = {
          ...(action === 'set' && { schedule: lines, schedule_enabled: true }),
          ...((action === 'on' || action === 'off') && { schedule_enabled: action === 'on' }),
          ...(flags.zone !== undefined && { time_zone: flags.zone }),
        }
        const asked = Object.keys(change).length > 0
        show(
          asked ? await node.call('PATCH /slowmode', { parameters: change }) : await node.call('GET /slowmode'),
          scheduleText,
        )
      }),
    )
}

/** Adds both commands. */
export function addSlowCommands(program: Command): void {
  addScheduleCommand(program)
  forNode(program.command('slow').description('Slow mode: other limits of speed for the whole node, at once.'))
    .addArgument(new Argument('[state]', 'what it shall be').choices(['on', 'off', 'status']).default('status'))
    .option('--down <speed>', 'its limit of downloads: bytes a second, also 500k or 2M; 0 = no limit', rateArgument)
    .option('--up <speed>', 'the same for uploads', rateArgument)
    .action((state: string, flags: SlowFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const change = {
          ...(state !== 'status' && { enabled: state === 'on' }),
          ...(flags.down !== undefined && { max_download_rate: flags.down }),
          ...(flags.up !== undefined && { max_upload_rate: flags.up }),
        }
        const asked = Object.keys(change).length > 0
        show(
          asked ? await node.call('PATCH /slowmode', { parameters: change }) : await node.call('GET /slowmode'),
          stateText,
        )
      }),
    )
}
