// Commands about films that were begun: where each was left, and which were watched.

import type { Command } from 'commander'
import type { WatchingRecord } from '../client/core-routes.ts'
import { chosenDownload, chosenFile, DOWNLOAD, filesOf } from './chosen.ts'
import { type CommandContext, forNode, type NodeFlags, runForNode } from './command-run.ts'
import { CommandError } from './node-client.ts'
import { tableText } from './show.ts'

interface MarkFlags extends NodeFlags {
  readonly not?: boolean
  readonly forget?: boolean
  readonly at?: number
}

/** `1:41`, `1:02:03`. */
export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Seconds of `101`, `1:41` or `1:02:03`. CommandError for anything else. */
export function secondsOf(text: string): number {
  if (!/^(?:\d{1,3}:)?(?:\d{1,3}:)?\d{1,7}(?:\.\d+)?$/.test(text))
    throw new CommandError('A place must be seconds, or like 1:41 or 1:02:03.')
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

type Row = WatchingRecord & { readonly infohash?: string; readonly download?: string }

function listText(rows: readonly Row[]): string {
  if (rows.length === 0) return 'No film was begun.\n'
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  const columns = [
    { head: 'HASH' },
    { head: 'FILE', right: true },
    { head: 'AT', right: true },
    { head: 'OF', right: true },
    { head: 'SEEN' },
    { head: 'NAME' },
  ]
  const cells = rows.map(row => [
    row.infohash?.slice(0, 8) ?? '',
    String(row.fileindex),
    clockText(row.continue_at),
    row.duration === null ? '' : clockText(row.duration),
    row.watched ? 'yes' : '',
    row.download === undefined || row.download === row.name ? row.name : `${row.download}: ${row.name}`,
  ])
  return tableText(columns, cells, width)
}

/** Adds `watching` and `watched`. */
export function addWatchingCommands(program: Command): void {
  forNode(program.command('watching').description('Films that were begun, the newest first, and where they go on.'))
    .argument('[download]', `${DOWNLOAD}: all files of it that were begun`)
    .option('--all', 'also what was watched to its end')
    .action((text: string | undefined, flags: NodeFlags & { all?: boolean }) =>
      runForNode(flags, async ({ node, show }) => {
        if (text === undefined) {
          const answer = await node.call('GET /watching', { parameters: { all: flags.all === true } })
          return show(answer, ({ watching }) => listText(watching))
        }
        const { infohash } = await chosenDownload(node, text)
        const answer = await node.call('GET /downloads/{infohash}/watching', { path: { infohash } })
        return show(answer, ({ watching }) => listText(watching.map(row => ({ ...row, infohash }))))
      }),
    )
  forNode(program.command('watched').description('Mark a file of a download as watched, or not, or set its place.'))
    .argument('<download>', DOWNLOAD)
    .argument('<file>', 'number or (a part of) the name')
    .option('--not', 'it was not watched')
    .option('--at <place>', 'where it goes on, seconds or like 1:41', secondsOf)
    .option('--forget', 'forget its place and its mark')
    .action((text: string, file: string, flags: MarkFlags) =>
      runForNode(flags, context => mark(context, text, file, flags)),
    )
}

async function mark({ node, show }: CommandContext, text: string, file: string, flags: MarkFlags): Promise<void> {
  const { infohash } = await chosenDownload(node, text)
  const { index } = chosenFile((await filesOf(node, infohash)).files, file)
  const path = { infohash, fileindex: index }
  if (flags.forget === true) {
    const answer = await node.call('DELETE /downloads/{infohash}/watching/{fileindex}', { path })
    return show(answer, () => 'Its place and its mark are forgotten.\n')
  }
  const watched = flags.at === undefined || flags.not === true ? { watched: flags.not !== true } : {}
  const parameters = { ...watched, ...(flags.at === undefined ? {} : { position: flags.at }) }
  await node.call('PUT /downloads/{infohash}/watching/{fileindex}', { path, parameters })
  const now = await node.call('GET /downloads/{infohash}/watching/{fileindex}', { path })
  return show(now, row => listText([{ ...row, infohash }]))
}
