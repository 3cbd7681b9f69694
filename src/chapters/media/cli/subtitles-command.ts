// `subtitles`: texts out of a film, as WebVTT.

import { type Command, InvalidArgumentError } from 'commander'
import { chosenDownload, filesOf } from '../../../cli/chosen.ts'
import { forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import { CommandError, type NodeClient } from '../../../cli/node-client.ts'
import { writeOutput } from '../../../cli/output-file.ts'
import type { CoreRoutes } from '../../../client/core-routes.ts'
import { type Cue, mergedCues, webVttOf } from '../../../wire/subtitles/cue.ts'
import { coveredIn, joined, type Span } from '../../../wire/subtitles/spans.ts'
import { timedText } from '../../../wire/subtitles/timed-text.ts'
import type { MediaRoutes } from '../client/routes.ts'
import { filmFile } from './film-file.ts'

/** Asked for at a time, s. */
const PART_SEC = 600
/** Where the film does not say how long it is, s. */
const LONGEST_SEC = 6 * 3600
/** Answers tell times in thousandths, s. */
const SAME_SEC = 0.01
/** Parts in all: where each answer brings little, the film is not worth more. */
const MAX_PARTS = 2000

const ROUTE = 'GET /downloads/{infohash}/media/{fileindex}/subtitles/{track}'

type FilmClient = NodeClient<CoreRoutes & MediaRoutes>

interface SubtitlesFlags extends NodeFlags {
  readonly output?: string
}

/** Texts, and the parts of the film of which some lack. */
interface Found {
  readonly cues: readonly Cue[]
  readonly missing: readonly Span[]
}

function trackNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the number of a track; see tributary media.')
  return Number(text)
}

/** All texts of a track, part by part, as far as they are there. */
async function textsOf(node: FilmClient, infohash: string, fileindex: number, track: number): Promise<Found> {
  const path = { infohash, fileindex }
  const parameters = { wait: 0, keyframes: false }
  const { media } = await node.call('GET /downloads/{infohash}/media/{fileindex}', { path, parameters })
  const end = media.facts?.duration ?? LONGEST_SEC
  let cues: readonly Cue[] = []
  const missing: Span[] = []
  let at = 0
  for (let parts = 0; at < end - SAME_SEC; parts += 1) {
    if (parts >= MAX_PARTS)
      throw new CommandError('The film cannot be read to its end: it brings too little at a time.')
    const asked = { fromSec: at, toSec: Math.min(end, at + PART_SEC) }
    const vtt = (
      await node.bytes(ROUTE, { path: { ...path, track }, parameters: { from: asked.fromSec, to: asked.toSec } })
    ).toString()
    cues = mergedCues(cues, timedText(vtt.split('\n'), true))
    at = goneTo(asked, coveredIn(vtt), missing)
  }
  return { cues, missing: joined(missing) }
}

/** Where to go on; what lacks before that is noted. */
function goneTo({ fromSec, toSec }: Span, covered: readonly Span[], missing: Span[]): number {
  const [first] = covered
  if (first !== undefined && first.fromSec <= fromSec + SAME_SEC && first.toSec > fromSec) return first.toSec
  const next = first !== undefined && first.fromSec > fromSec ? first.fromSec : toSec
  missing.push({ fromSec, toSec: next })
  return next
}

/** Adds the command. */
export function addSubtitlesCommand(program: Command): void {
  forNode(program.command('subtitles').description('Subtitles inside of a film, as WebVTT, as far as it is there.'))
    .argument('<download>', 'info hash, its first digits, or (a part of) the name')
    .argument('<track>', 'number of the track (see tributary media)', trackNumber)
    .argument('[file]', 'number or (a part of) the name of a file; default: the longest')
    .option('--output <file>', 'where to write it; default: standard output')
    .action((text: string, track: number, file: string | undefined, flags: SubtitlesFlags) =>
      runForNode<CoreRoutes & MediaRoutes>(flags, async ({ node, json, show }) => {
        const { infohash } = await chosenDownload(node, text)
        const { files } = await filesOf(node, infohash)
        const found = await textsOf(node, infohash, filmFile(files, file).index, track)
        if (json) return show(found)
        await writeOutput(flags.output ?? '-', Buffer.from(webVttOf(found.cues, 0)))
        const lacking = found.missing.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0)
        if (lacking > 0)
          process.stderr.write(`tributary: the texts of ${Math.ceil(lacking)} s of the film are not there yet\n`)
      }),
    )
}
