// `media`: what a film is, and where one may begin to play; `subtitles` beside it.

import { type Command, InvalidArgumentError } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { chosenDownload, filesOf } from '../../../cli/chosen.ts'
import { forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import type { CoreRoutes } from '../../../client/core-routes.ts'
import type { MediaRoutes } from '../client/routes.ts'
import { filmFile } from './film-file.ts'
import { mediaText } from './media-text.ts'
import { addSubtitlesCommand } from './subtitles-command.ts'

/** As the route has it. */
const MOST_WAIT_SECONDS = 120

interface MediaFlags extends NodeFlags {
  readonly wait?: number
  readonly from?: number
}

function seconds(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > MOST_WAIT_SECONDS)
    throw new InvalidArgumentError('It must be a number of seconds, at most 120.')
  return Number(text)
}

/** `1:02:03`, `2:03` or `123`. */
function place(text: string): number {
  if (!/^\d{1,6}(?::[0-5]?\d){0,2}$/.test(text)) {
    throw new InvalidArgumentError('It must be a time, such as 90, 1:30 or 1:02:30.')
  }
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

function width(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

function addMediaCommand(program: Command): void {
  forNode(program.command('media').description('What a film or sound is, and from when on it plays without a stall.'))
    .argument('<download>', 'info hash, its first digits, or (a part of) the name')
    .argument('[file]', 'number or (a part of) the name of a file; default: the longest')
    .option('--wait <seconds>', 'how long to wait for what is missing; default: 20', seconds)
    .option('--from <time>', 'where it is to be played from, such as 1:30; default: its start', place)
    .action((text: string, file: string | undefined, flags: MediaFlags) =>
      runForNode<CoreRoutes & MediaRoutes>(flags, async ({ node, show }) => {
        const { infohash } = await chosenDownload(node, text)
        const { files } = await filesOf(node, infohash)
        const { index } = filmFile(files, file)
        const { media } = await node.call('GET /downloads/{infohash}/media/{fileindex}', {
          path: { infohash, fileindex: index },
          parameters: {
            ...(flags.wait === undefined ? {} : { wait: flags.wait }),
            ...(flags.from === undefined ? {} : { from: flags.from }),
          },
        })
        show(media, found => mediaText(found, width()))
      }),
    )
}

/** All commands about films. */
export const mediaCommands: ChapterCommands = {
  plain: [],
  groups: {},
  add: program => {
    addMediaCommand(program)
    addSubtitlesCommand(program)
  },
}
