// `slow`: the other limits of speed of the running node, switched at once.

import { Argument, type Command } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
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

/** Adds the command. */
export function addSlowCommand(program: Command): void {
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
