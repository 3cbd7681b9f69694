// The indexes of fragmented MP4: sidx at its head (ISO 14496-12, 8.16.3), mfra at its end (8.8.9), and what the last
// fragment says of where the film ends.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteRange } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { KeyTable } from '../film-facts.ts'
import type { KeyGathering } from '../key-table.ts'
import { MAX_CUES_BYTES, MAX_PART_BYTES, MAX_STEPS } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'
import type { OptionalParts } from '../optional-parts.ts'
import { boxIn, boxesIn, fileBoxAt, type FileBox } from './boxes.ts'
import type { MovieTrack } from './movie.ts'

/** An index of fragments. */
export interface FragmentIndex {
  readonly keys: KeyTable | null
  readonly range: ByteRange
  /** Seconds; null = it does not say. */
  readonly duration: number | null
}

/** A box mfro has this length: the last of the file, it says how long mfra is. */
const MFRO_BYTES = 16
/** What a fragment may begin with. */
const FRAGMENT = /^(?:moof|sidx|styp|emsg|prft)$/

/** The index of a track between the movie and the first fragment: there is one for each, or one for all. */
export function findSegmentIndex(source: MeteredSource, behind: number, track: number): FileBox | null {
  let [first, at]: [FileBox | null, number] = [null, behind]
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const box = fileBoxAt(source, at)
    if (box === null || !/^(?:sidx|free|skip|uuid|styp|emsg)$/.test(box.type)) break
    if (box.type === 'sidx') {
      first ??= box
      if (new FieldBytes(source.read(box.body, box.body + 8)).u32(4) === track) return box
    }
    at = box.end
  }
  return first
}

/**
 * Reads a sidx box, beside the `keys` of the movie box. One that points to further ones is not followed, and one of the
 * first fragments alone is none of the film. Throws DecodeError.
 */
export function readSegmentIndex(
  source: MeteredSource,
  box: FileBox,
  { id, shift }: MovieTrack,
  keys: KeyGathering,
): FragmentIndex {
  const bytes = bodyOf(source, box, MAX_PART_BYTES)
  const timescale = bytes.u32(8)
  if (timescale === 0) throw new DecodeError('its clock stands still')
  const long = bytes.u8(0) === 1
  let [time, place] = long ? [bytes.u64(12), bytes.u64(20)] : [bytes.u32(12), bytes.u32(16)]
  place += box.end
  const start = long ? 28 : 20
  for (let left = bytes.u16(start + 2), at = start + 4; left > 0; left -= 1, at += 12) {
    const [reference, ticks, access] = [bytes.u32(at), bytes.u32(at + 4), bytes.u32(at + 8)]
    if (reference >= 0x80_00_00_00) throw new DecodeError('it is one of several')
    // SAP types 1 and 2 begin with a frame that can be shown by itself; 0 is not known, and begins so in practice.
    if (((access >>> 28) & 7) <= 2) keys.add(time / timescale + shift, place)
    time += ticks
    place += reference
  }
  // Each fragment may have one of its own.
  if (goesOn(source, place, id)) throw new DecodeError('it is one of several')
  return { keys: keys.table(), range: { start: box.start, end: box.end }, duration: time / timescale + shift }
}

/** Whether a fragment of the track begins at byte `behind`. */
function goesOn(source: MeteredSource, behind: number, track: number): boolean {
  let at = behind
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const box = fileBoxAt(source, at)
    if (box === null || !FRAGMENT.test(box.type)) return false
    if (box.type === 'moof') return trafOf(bodyOf(source, box, MAX_PART_BYTES), track) !== null
    at = box.end
  }
  return false
}

/** What the body of a moof box holds of a track; null = nothing. */
function trafOf(moof: FieldBytes, track: number): FieldBytes | null {
  for (const { type, body } of boxesIn(moof)) if (type === 'traf' && boxIn(body, 'tfhd')?.u32(4) === track) return body
  return null
}

/** Where mfra begins; null = the file does not end with one. */
export function findAccessBox(source: MeteredSource): FileBox | null {
  if (source.size < 2 * MFRO_BYTES) return null
  const end = new FieldBytes(source.read(source.size - MFRO_BYTES, source.size))
  if (end.latin(4, 4) !== 'mfro') return null
  const box = fileBoxAt(source, source.size - end.u32(12))
  return box?.type === 'mfra' && box.end === source.size ? box : null
}

/** Reads mfra: the fragments of `track` beside the `keys` of the movie, and the last one's end. Throws DecodeError. */
export function readFragmentAccess(
  source: MeteredSource,
  box: FileBox,
  track: MovieTrack,
  keys: KeyGathering,
  parts: OptionalParts,
): FragmentIndex {
  let last = -1
  for (const { type, body } of boxesIn(bodyOf(source, box, MAX_CUES_BYTES))) {
    if (type !== 'tfra' || body.u32(4) !== track.id) continue
    const long = body.u8(0) === 1
    const lengths = body.u32(8)
    const rest = ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3) + 3
    const size = (long ? 16 : 8) + rest
    for (let left = body.u32(12), at = 16; left > 0; left -= 1, at += size) {
      const [time, place] = long ? [body.u64(at), body.u64(at + 8)] : [body.u32(at), body.u32(at + 4)]
      keys.add(time / track.timescale + track.shift, place)
      last = Math.max(last, place)
    }
  }
  const duration = last < 0 ? null : parts.part('Its end', null, () => fragmentEnd(source, last, track))
  return { keys: keys.table(), range: { start: box.start, end: box.end }, duration }
}

/** When the fragment at byte `at` ends, s; null = it does not say. */
function fragmentEnd(source: MeteredSource, at: number, track: MovieTrack): number | null {
  const box = fileBoxAt(source, at)
  if (box?.type !== 'moof') return null
  const fragment = trafOf(bodyOf(source, box, MAX_PART_BYTES), track.id)
  const [head, start] = fragment === null ? [null, null] : [boxIn(fragment, 'tfhd'), boxIn(fragment, 'tfdt')]
  if (fragment === null || head === null || start === null) return null
  const ticks = (start.u8(0) === 1 ? start.u64(4) : start.u32(4)) + runTicks(fragment, defaultTicks(head, track))
  return ticks / track.timescale + track.shift
}

/** Of tfhd: how long a sample is unless its run says so. */
function defaultTicks(head: FieldBytes, { usualTicks }: MovieTrack): number {
  const flags = head.u24(1)
  if ((flags & 8) === 0) return usualTicks
  return head.u32(8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4))
}

/** The length of all runs of a fragment. */
function runTicks(fragment: FieldBytes, usual: number): number {
  let ticks = 0
  for (const { type, body } of boxesIn(fragment)) {
    if (type !== 'trun') continue
    const flags = body.u24(1)
    const count = body.u32(4)
    if ((flags & 0x100) === 0) {
      ticks += count * usual
      continue
    }
    const size = 4 * [0x100, 0x200, 0x400, 0x800].filter(flag => (flags & flag) !== 0).length
    let at = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
    for (let left = count; left > 0; left -= 1, at += size) ticks += body.u32(at)
  }
  return ticks
}

function bodyOf(source: MeteredSource, { body, end }: FileBox, most: number): FieldBytes {
  if (end - body > most) throw new DecodeError(`it has ${end - body} bytes`)
  source.allow(end - body)
  return new FieldBytes(source.read(body, end))
}
