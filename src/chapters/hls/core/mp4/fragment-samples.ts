// Samples of MP4 in fragments (ISO 14496-12, 8.8): one fragment after the other as they lie, from one on.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { MAX_PART_BYTES } from '../../../media/core/limits.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import { boxesIn, boxIn, type FileBox, fileBoxAt } from '../../../media/core/mp4/boxes.ts'
import { type SampleDefaults, samplesOfPart, type TrackPart } from '../../../media/core/mp4/fragment-runs.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import type { Found } from '../gathering.ts'
import type { PlacedSample } from './sample-table.ts'

/** Of all tracks that are wanted: a quarter of an hour of sound, as files have it whose fragments are long. */
const MAX_FRAGMENT_SAMPLES = 100_000
/** Boxes that are looked at, and bytes that are fetched for that: a fragment for each picture of minutes. */
const MAX_BOXES = 10_000
const HEADS_BUDGET_BYTES = 32 * 1024 * 1024

/** A track, and what its samples have unless they say otherwise. */
export interface FragmentedTrack {
  readonly track: MovieTrack
  readonly defaults: SampleDefaults
}

/**
 * The samples of `tracks` (by number) in the fragments from byte `start` on, up to that at `end`. Throws DecodeError,
 * OverBudget, and what reading throws.
 */
export function* fragmentSamples(
  source: ByteSource,
  start: number,
  end: number,
  tracks: ReadonlyMap<number, FragmentedTrack>,
): Generator<Found<PlacedSample>, void> {
  // In blocks, as each read is a question to another thread.
  const heads = new MeteredSource(source, HEADS_BUDGET_BYTES)
  let at = start
  for (let boxes = 0; at < end; boxes += 1) {
    if (boxes >= MAX_BOXES) throw new DecodeError('a part of it has too many boxes')
    const found = fileBoxAt(heads, at)
    if (found === null) return
    if (found.type === 'moof') yield* samplesOf(heads, found, tracks)
    at = found.end
  }
}

function* samplesOf(
  source: ByteSource,
  { start, body, end }: FileBox,
  tracks: ReadonlyMap<number, FragmentedTrack>,
): Generator<Found<PlacedSample>, void> {
  if (end - body > MAX_PART_BYTES || end > source.size) throw new DecodeError('a fragment is too long')
  const found: DueSample[] = []
  for (const { type, body: traf } of boxesIn(new FieldBytes(source.read(body, end)))) {
    const head = type === 'traf' ? boxIn(traf, 'tfhd') : null
    const fragmented = head === null ? undefined : tracks.get(head.u32(4))
    if (head !== null && fragmented !== undefined) addSamples(found, { traf, head, moof: start }, fragmented)
  }
  // Each track's samples lie behind those of the one before: they are wanted side by side.
  yield* found.sort((a, b) => a.due - b.due)
}

/** A sample, and when it is decoded, s. */
interface DueSample extends Found<PlacedSample> {
  readonly due: number
}

function addSamples(found: DueSample[], part: TrackPart, { track, defaults }: FragmentedTrack): void {
  const { timescale, shift, id } = track
  for (const { ticks, later, isKey, start, end } of samplesOfPart(part, defaults)) {
    if (found.length >= MAX_FRAGMENT_SAMPLES) throw new DecodeError('a fragment has too many samples')
    const time = (ticks + later) / timescale + shift
    const due = ticks / timescale + shift
    found.push({ track: id, time, due, isKey, item: { time, isKey, start, end } })
  }
}
