// `hls`: the address of a film in segments, which phones, televisions and casting devices play without a key.

import { type Command, InvalidArgumentError } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { chosenDownload, filesOf } from '../../../cli/chosen.ts'
import { type CommandContext, forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { filmFile } from '../../media/cli/film-file.ts'

interface HlsFlags extends NodeFlags {
  readonly days?: number
  readonly sound?: number
  readonly h264?: boolean
  readonly oneDevice?: boolean
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** As the route takes it. */
function trackNumber(text: string): number {
  const number = wholeNumber(text)
  if (number > 0xff_ff_ff_ff) throw new InvalidArgumentError('No track has so high a number.')
  return number
}

/** A link of the file opens its segments too. */
async function linkOf(
  { node }: CommandContext,
  infohash: string,
  file: DownloadFile,
  { days, oneDevice = false }: HlsFlags,
): Promise<string> {
  if (days === undefined && !oneDevice) return file.stream_url
  const wanted = { ...(days === undefined ? {} : { days }), ...(oneDevice ? { one_device: true } : {}) }
  const parameters = { name: 'command line', infohash, fileindex: file.index, ...wanted }
  return (await node.call('PUT /links', { parameters })).url
}

function addHlsCommand(program: Command): void {
  forNode(program.command('hls').description('The address of a film in segments, for phones, televisions and casting.'))
    .argument('<download>', 'info hash, its first digits, or (a part of) the name')
    .argument('[file]', 'number or (a part of) the name of a file; default: the longest')
    .option('--sound <number>', 'which sound track (see `tributary media`); 0 = without', trackNumber)
    .option('--h264', 'the picture as H.264, also where it could be copied (HEVC); needs the setting media.ffmpeg')
    .option('--days <n>', 'for so many days; 0 = until it is taken back (tributary links)', wholeNumber)
    .option('--one-device', 'for the first device that plays it, and no other')
    .action((text: string, file: string | undefined, flags: HlsFlags) =>
      runForNode(flags, async context => {
        const { infohash } = await chosenDownload(context.node, text)
        const { files } = await filesOf(context.node, infohash)
        const chosen = filmFile(files, file)
        const link = await linkOf(context, infohash, chosen, flags)
        const query = new URL(link, context.node.url).searchParams
        if (flags.sound !== undefined) query.set('sound', String(flags.sound))
        if (flags.h264 === true) query.set('picture', 'h264')
        const url = `${context.node.url}/downloads/${infohash}/hls/${chosen.index}/master.m3u8?${query.toString()}`
        context.show({ url }, shown => `${shown.url}\n`)
      }),
    )
}

/** All commands about films in segments. */
export const hlsCommands: ChapterCommands = { plain: [], groups: {}, add: addHlsCommand }
