// Commands that change downloads, one or many: each says what it did.

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CoreRoutes, Download, DownloadChange } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { changeEach, confirmRemoval } from './change-each.ts'
import { chosenDownload, chosenDownloads, DOWNLOAD, MANY } from './chosen.ts'
import { type CommandContext, forNode, type NodeFlags, runForNode } from './command-run.ts'
import { hopCount } from './hop-count.ts'
import { CommandError } from './node-client.ts'
import { addQueueCommand } from './queue-command.ts'
import { printable } from './show.ts'
import { durationOf, plainRateText, rateArgument } from './units.ts'

/** One change of each download that is meant; `said`: what is said of one, by its name. */
async function patchEach(
  context: CommandContext,
  texts: readonly string[],
  change: DownloadChange,
  said: (name: string) => string,
): Promise<void> {
  const rows = await chosenDownloads(context.node, texts)
  const patch = ({ infohash }: Download) =>
    context.node.call('PATCH /downloads/{infohash}', { path: { infohash }, parameters: change })
  await changeEach<ReplyOf<CoreRoutes, 'PATCH /downloads/{infohash}'>>(context, rows, patch, said)
}

function amount(text: string): number {
  if (text === 'never') return -1
  if (text === 'default') return -2
  if (!/^\d{1,9}(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number, never or default.')
  return Number(text)
}

/** Minutes, or a time with its unit. */
function minutes(text: string): number {
  if (/^(?:never|default|\d{1,9})$/.test(text)) return amount(text)
  const found = durationOf(text, 60)
  if (found === null || !Number.isInteger(found))
    throw new InvalidArgumentError('It must be minutes, a time as 90m, 12h or 30d, never or default.')
  return found
}

const collect = (text: string, earlier: readonly string[]): string[] => [...earlier, text]

function addRemoving(program: Command): void {
  forNode(program.command('rm').description('Remove downloads; their files stay unless --data is given.'))
    .argument('<download...>', MANY)
    .option('--data', 'delete their files too')
    .option('-y, --yes', 'do not ask where a pattern, a label or all means several')
    .action((texts: string[], flags: NodeFlags & { data?: boolean; yes?: boolean }) =>
      runForNode(flags, async context => {
        const data = flags.data === true
        const rows = await chosenDownloads(context.node, texts)
        if (flags.yes !== true) await confirmRemoval(texts, rows, data)
        const remove = ({ infohash }: Download) =>
          context.node.call('DELETE /downloads/{infohash}', {
            path: { infohash },
            parameters: { remove_data: data },
          })
        await changeEach(context, rows, remove, name =>
          data ? `Removed ${name} and its files.` : `Removed ${name}; its files stay.`,
        )
      }),
    )
}

function addStates(program: Command): void {
  const states = [
    ['pause', 'stop', 'Stop downloads, also after a restart.', 'Paused'],
    ['recheck', 'recheck', 'Check the files of downloads against their hashes.', 'Checking'],
  ] as const
  for (const [name, state, text, said] of states) {
    forNode(program.command(name).description(text).argument('<download...>', MANY)).action(
      (texts: string[], flags: NodeFlags) =>
        runForNode(flags, context => patchEach(context, texts, { state }, one => `${said} ${one}.`)),
    )
  }
  forNode(program.command('resume').description('Let downloads run again.'))
    .argument('<download...>', MANY)
    .option('--overwrite', 'write over files that are not of them and lie in their places')
    .action((texts: string[], flags: NodeFlags & { overwrite?: boolean }) =>
      runForNode(flags, context => {
        const change = { state: 'resume', ...(flags.overwrite === true ? { overwrite: true } : {}) } as const
        return patchEach(context, texts, change, name => `Resumed ${name}.`)
      }),
    )
}

function addPlaces(program: Command): void {
  forNode(program.command('move').description('Move the files of downloads to another folder of the node.'))
    .argument('<download>', MANY)
    .argument('<folder>', 'where to; one that is not absolute is meant from here')
    .action((text: string, folder: string, flags: NodeFlags) =>
      runForNode(flags, context => {
        const destination = resolve(folder)
        return patchEach(context, [text], { destination }, name => `Moving ${name} to ${printable(destination)}.`)
      }),
    )
  forNode(program.command('rename').description('Give a file or folder of a download another name on the disk.'))
    .argument('<download>', DOWNLOAD)
    .argument('<path>', "its path as `tributary files` shows it, or a folder's; '' = the folder of the whole torrent")
    .argument('<name>', 'the name it gets; to move files elsewhere use tributary move')
    .action((text: string, path: string, name: string, flags: NodeFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const { infohash, name: download } = await chosenDownload(node, text)
        const reply = await node.call('PATCH /downloads/{infohash}/files', {
          path: { infohash },
          parameters: { path, name },
        })
        const what = printable(path === '' ? download : path)
        const said = reply.renamed ? `Renamed ${what} to ${printable(name)}.` : `${what} is called so already.`
        show(reply, () => `${said}\n`)
      }),
    )
  forNode(
    program.command('hops').description('Do downloads anonymously, over so many hops of circuits; 0 = in the open.'),
  )
    .argument('<download>', MANY)
    .argument('<n>', '0 to 3: each hop hides more, and costs speed', hopCount)
    .addHelpText(
      'after',
      '\nConnections of the old kind are closed before one of the new kind opens; what is there stays. See docs/anonymity.md.',
    )
    .action((text: string, hops: number, flags: NodeFlags) =>
      runForNode(flags, context =>
        patchEach(context, [text], { anon_hops: hops }, name => `${name}: ${hopsText(hops)}.`),
      ),
    )
}

function hopsText(hops: number): string {
  return hops === 0 ? 'in the open' : `over ${hops} ${hops === 1 ? 'hop' : 'hops'}`
}

function addLimits(program: Command): void {
  forNode(program.command('limit').description('Limits and goals of downloads.'))
    .argument('<download...>', MANY)
    .option('--down <speed>', 'bytes a second, also 500k, 2M or 8Mbit; 0 = no limit of its own', rateArgument)
    .option('--up <speed>', 'the same for uploads', rateArgument)
    .option('--ratio <n>', 'seed until this ratio; never = no end, default = as the settings say', amount)
    .option('--time <minutes>', 'seed so long, also 12h or 30d; never, default', minutes)
    .option('--label <label>', 'the labels it has from now on; may be repeated', collect, [])
    .option('--no-labels', 'take all labels away')
    .addOption(new Option('--sequential <state>', 'pieces in their order').choices(['on', 'off']))
    .addOption(
      new Option('--forget <state>', 'fetch only what is read, and remove it hours after the last reader').choices([
        'on',
        'off',
      ]),
    )
    .action((texts: string[], flags: NodeFlags & LimitFlags) =>
      runForNode(flags, context => {
        const change = limitChange(flags)
        return patchEach(context, texts, change, name => `${name}: ${limitText(change)}.`)
      }),
    )
}

interface LimitFlags {
  down?: number
  up?: number
  ratio?: number
  time?: number
  label: string[]
  labels: boolean
  sequential?: string
  forget?: string
}

function limitChange({ down, up, ratio, time, label, labels, sequential, forget }: LimitFlags): DownloadChange {
  const change = {
    ...(down !== undefined && { max_download_speed: down }),
    ...(up !== undefined && { max_upload_speed: up }),
    ...(ratio !== undefined && { seeding_ratio: ratio }),
    ...(time !== undefined && { seeding_time: time }),
    ...(label.length > 0 && { labels: label }),
    ...(!labels && { labels: [] }),
    ...(sequential !== undefined && { sequential: sequential === 'on' }),
    ...(forget !== undefined && { watch_and_forget: forget === 'on' }),
  }
  if (Object.keys(change).length === 0) throw new CommandError('Nothing to change; see tributary limit --help.')
  return change
}

/** What a change of limits and goals says, in the units in force. */
export function limitText(change: DownloadChange): string {
  const { max_download_speed: down, max_upload_speed: up, seeding_ratio: ratio, seeding_time: time, labels } = change
  const onOff = (name: string, on: boolean | undefined): string =>
    on === undefined ? '' : `${name} ${on ? 'on' : 'off'}`
  const parts = [
    down === undefined ? '' : `down ${speedText(down)}`,
    up === undefined ? '' : `up ${speedText(up)}`,
    ratio === undefined ? '' : goalText('ratio', ratio, ''),
    time === undefined ? '' : goalText('seeding time', time, ' min'),
    labels === undefined ? '' : labels.length === 0 ? 'no labels' : `labels ${labels.map(printable).join(', ')}`,
    onOff('in order', change.sequential),
    onOff('watch and forget', change.watch_and_forget),
  ]
  return parts.filter(part => part !== '').join(', ')
}

function speedText(rate: number): string {
  return rate === 0 ? 'without a limit' : `at most ${plainRateText(rate)}`
}

function goalText(name: string, value: number, unit: string): string {
  if (value === -1) return `${name} without an end`
  return value === -2 ? `${name} as the settings say` : `${name} ${value}${unit}`
}

/** Adds every command of this file. */
export function addChangeCommands(program: Command): void {
  addRemoving(program)
  addQueueCommand(program)
  addStates(program)
  addPlaces(program)
  addLimits(program)
}
