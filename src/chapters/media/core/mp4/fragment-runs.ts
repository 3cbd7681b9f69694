// Samples of one track in one fragment of MP4 (ISO 14496-12, 8.8): where they lie, and when they are shown.

import { DecodeError } from '../../../../base/errors.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { boxesIn, boxIn } from './boxes.ts'

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

/** What samples of a fragment have unless it says otherwise. */
export interface SampleDefaults {
  /** Ticks. */
  readonly duration: number
  readonly size: number
  readonly flags: number
}

/** Where nothing is said. */
export const NO_DEFAULTS: SampleDefaults = { duration: 0, size: 0, flags: 0 }

/** The part of a fragment that is of one track. */
export interface TrackPart {
  /** The body of its traf box. */
  readonly traf: FieldBytes
  /** That of its tfhd box. */
  readonly head: FieldBytes
  /** First byte of the fragment in the file. */
  readonly moof: number
}

/** A sample. */
export interface FragmentSample {
  /** When it is decoded, ticks of the track's clock. */
  readonly ticks: number
  /** Ticks. */
  readonly duration: number
  /** Ticks from when it is decoded to when it is shown. */
  readonly later: number
  readonly isKey: boolean
  /** Its bytes in the file, which may lie behind its end. */
  readonly start: number
  readonly end: number
}

/** What trex boxes (8.8.3) in the body of an mvex box say, by the number of the track. Throws DecodeError. */
export function sampleDefaults(extension: FieldBytes | null): Map<number, SampleDefaults> {
  const defaults = new Map<number, SampleDefaults>()
  for (const { type, body: trex } of extension === null ? [] : boxesIn(extension)) {
    if (type !== 'trex') continue
    defaults.set(trex.u32(4), { duration: trex.u32(12), size: trex.u32(16), flags: trex.u32(20) })
  }
  return defaults
}

/** When a fragment's first sample is decoded, ticks of the track's clock. Throws DecodeError. */
export function firstTicks(traf: FieldBytes): number {
  const start = boxIn(traf, 'tfdt')
  if (start === null) throw new DecodeError('a fragment has no time')
  return start.u8(0) === 1 ? start.u64(4) : start.u32(4)
}

/** The samples as they lie; there may be billions: the caller stops. Throws DecodeError. */
export function* samplesOfPart({ traf, head, moof }: TrackPart, usual: SampleDefaults): Generator<FragmentSample> {
  const { base, defaults } = readHead(head, moof, usual)
  let [ticks, place] = [firstTicks(traf), base]
  for (const { type, body } of boxesIn(traf)) {
    if (type !== 'trun') continue
    const flags = body.u24(1)
    if ((flags & OFFSET) !== 0) place = base + body.i32(8)
    for (const { duration, size, isKey, later } of runOf(body, flags, defaults)) {
      yield { ticks, duration, later, isKey, start: place, end: place + size }
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
