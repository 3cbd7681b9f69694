// Samples of MP4 in fragments (ISO 14496-12, 8.8): one fragment after the other as they lie, from one on.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { MAX_PART_BYTES } from '../../../media/core/limits.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import { boxesIn, boxIn, type FileBox, fileBoxAt } from '../../../media/core/mp4/boxes.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import type { Found } from '../gathering.ts'
import type { SampleDefaults } from './movie-head.ts'
import type { PlacedSample } from './sample-table.ts'

/** Of all tracks that are wanted: a quarter of an hour of sound, as files have it whose fragments are long. */
const MAX_FRAGMENT_SAMPLES = 100_000
/** Boxes that are looked at, and bytes that are fetched for that: a fragment for each picture of minutes. */
const MAX_BOXES = 10_000
const HEADS_BUDGET_BYTES = 32 * 1024 * 1024
/** Flags of a track's fragment. */
const BASE = 0x1
const DESCRIPTION = 0x2
const DURATION = 0x8
const SIZE = 0x10
const FLAGS = 0x20
/** Flags of a run. */
const OFFSET = 0x1
const FIRST_FLAGS = 0x4
const OWN = { duration: 0x100, size: 0x200, flags: 0x400, later: 0x800 } as const
/** Of a sample: it is no key frame. */
const NO_KEY = 0x1_00_00

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
    if (head !== null && fragmented !== undefined) addSamples(found, { traf, head, moof: start, of: fragmented })
  }
  // Each track's samples lie behind those of the one before: they are wanted side by side.
  yield* found.sort((a, b) => a.due - b.due)
}

/** A sample, and when it is decoded, s. */
interface DueSample extends Found<PlacedSample> {
  readonly due: number
}

/** The part of a fragment that is of one track. */
interface TrackPart {
  readonly traf: FieldBytes
  /** Its tfhd. */
  readonly head: FieldBytes
  /** Where the fragment begins in the file. */
  readonly moof: number
  readonly of: FragmentedTrack
}

function addSamples(found: DueSample[], { traf, head, moof, of }: TrackPart): void {
  const { base, defaults } = readHead(head, moof, of.defaults)
  const start = boxIn(traf, 'tfdt')
  if (start === null) throw new DecodeError('a fragment has no time')
  let [ticks, place] = [start.u8(0) === 1 ? start.u64(4) : start.u32(4), base]
  for (const { type, body } of boxesIn(traf)) {
    if (type !== 'trun') continue
    const flags = body.u24(1)
    if ((flags & OFFSET) !== 0) place = base + body.i32(8)
    for (const { duration, size, isKey, later } of runOf(body, flags, defaults)) {
      const { timescale, shift, id } = of.track
      const time = (ticks + later) / timescale + shift
      if (found.length >= MAX_FRAGMENT_SAMPLES) throw new DecodeError('a fragment has too many samples')
      const due = ticks / timescale + shift
      found.push({ track: id, time, due, isKey, item: { time, isKey, start: place, end: place + size } })
      ticks += duration
      place += size
    }
  }
}

function readHead(head: FieldBytes, moof: number, usual: SampleDefaults): { base: number; defaults: SampleDefaults } {
  const flags = head.u24(1)
  let at = 8
  const next = (flag: number, bytes: number, without: number): number => {
    if ((flags & flag) === 0) return without
    const value = bytes === 8 ? head.u64(at) : head.u32(at)
    at += bytes
    return value
  }
  const base = next(BASE, 8, moof)
  next(DESCRIPTION, 4, 0)
  const duration = next(DURATION, 4, usual.duration)
  const size = next(SIZE, 4, usual.size)
  return { base, defaults: { duration, size, flags: next(FLAGS, 4, usual.flags) } }
}

interface RunSample {
  readonly duration: number
  readonly size: number
  readonly isKey: boolean
  /** Ticks from when it is decoded to when it is shown. */
  readonly later: number
}

function* runOf(run: FieldBytes, flags: number, defaults: SampleDefaults): Generator<RunSample, void> {
  const isSigned = run.u8(0) !== 0
  let at = 8 + ((flags & OFFSET) === 0 ? 0 : 4)
  const first = (flags & FIRST_FLAGS) === 0 ? null : run.u32(at)
  if (first !== null) at += 4
  const field = (flag: number, without: number): number => {
    if ((flags & flag) === 0) return without
    const value = run.u32(at)
    at += 4
    return value
  }
  for (let sample = 0, count = run.u32(4); sample < count; sample += 1) {
    const duration = field(OWN.duration, defaults.duration)
    const size = field(OWN.size, defaults.size)
    const own = field(OWN.flags, sample === 0 ? (first ?? defaults.flags) : defaults.flags)
    const later = field(OWN.later, 0)
    yield { duration, size, isKey: (own & NO_KEY) === 0, later: isSigned ? later | 0 : later }
  }
}
