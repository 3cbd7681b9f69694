// The texts of a segment, all of them: players ask for a segment once, and what lacks in it is never shown.

import { AppError } from '../../../base/errors.ts'
import type { Cue } from '../../../wire/subtitles/cue.ts'
import { gapsIn, joined, type Span } from '../../../wire/subtitles/spans.ts'
import type { ByteRange } from '../../media/core/byte-source.ts'
import type { SubtitleOrder, SubtitlePart } from '../../media/core/subtitles/subtitle-part.ts'
import type { Cut } from '../core/cuts.ts'

/** Looks at the texts of one segment; a look may end before it has all. */
const MAX_LOOKS = 8
/** Of what a film says its texts lie in, bytes: it may lie. */
const MAX_FETCHED_BYTES = 1024 * 1024
/** Texts that began so long before a cut may still be shown, s; longer ones are rare. */
const BEFORE_SEC = 10
/** Asked for on both sides of a cut, s: times of texts and of cuts are rounded. A gap so small is none. */
const ROUNDED_SEC = 0.001
const LACKING_TEXT = 'Some subtitles of this part of the film are not there yet. Try again.'

/** What it reads by. */
export interface TextSource {
  /** What is there of a part. */
  read(order: SubtitleOrder): Promise<SubtitlePart>
  /** Settles when bytes of the film are there; they are asked of the swarm. */
  whenThere(range: ByteRange): Promise<void>
}

/**
 * Reads the texts of a segment until none lacks that begins in it; of those that began before it has what is there.
 * Rejects with AppError NotReady where a look brings nothing: they are more than may be read; and as what it reads by.
 */
export async function wholePart(
  { read, whenThere }: TextSource,
  track: number,
  { start, end, duration }: Cut,
): Promise<Cue[]> {
  const whole = { fromSec: Math.max(0, start - ROUNDED_SEC), toSec: Math.min(end, start + duration + 1) + ROUNDED_SEC }
  const cues = new Map<string, Cue>()
  let covered: Span[] = []
  const first = { ...whole, fromSec: Math.max(0, start - BEFORE_SEC) }
  let lacks = first
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const part = await read({ track, ...lacks })
    for (const cue of part.cues) cues.set(JSON.stringify([cue.startMs, cue.endMs, cue.text]), cue)
    covered = joined([...covered, ...part.covered])
    const gaps = gapsIn(covered, whole)
    const [from, to] = [gaps[0], gaps.at(-1)]
    if (from === undefined || to === undefined) return [...cues.values()].toSorted((a, b) => a.startMs - b.startMs)
    const next = { fromSec: from.fromSec, toSec: to.toSec }
    const { missing } = part
    // What lacks may lie before the segment.
    const isMore = lacks.fromSec < whole.fromSec
    if (missing !== null && !isMore) await whenThere(cutShort(missing))
    else if (!isMore && next.fromSec === lacks.fromSec && next.toSec === lacks.toSec) break
    lacks = next
  }
  throw new AppError('NotReady', LACKING_TEXT)
}

function cutShort({ start, end }: ByteRange): ByteRange {
  return { start, end: Math.min(end, start + MAX_FETCHED_BYTES) }
}
