// Blocks in slots as segments for the workers: flat pairs of arena offset and length (see contract/jobs.ts).
// Pure. Invariant: the segments of a piece add up to the piece; bytes that no peer sent lie in padding only.

import type { ReceivedBlock } from '../ports/piece-store.ts'
import type { FileSpan } from './spans.ts'

/** A run of segments and where in its piece the run begins. */
export interface Run {
  readonly begin: number
  readonly length: number
  readonly segments: readonly number[]
}

/** Blocks in order, joined to runs without gaps. Throws RangeError for blocks that overlap or do not fit their slot. */
export function runsOf(blocks: readonly ReceivedBlock[]): Run[] {
  const runs: { begin: number; length: number; segments: number[] }[] = []
  for (const { begin, length, slot } of blocks.toSorted((a, b) => a.begin - b.begin)) {
    if (length <= 0 || length > slot.bytes.length)
      throw new RangeError(`a block of ${length} bytes does not fit its slot`)
    const last = runs.at(-1)
    if (last !== undefined && begin < last.begin + last.length) throw new RangeError(`blocks overlap at ${begin}`)
    if (last !== undefined && begin === last.begin + last.length) {
      addSegment(last.segments, slot.offset, length)
      last.length += length
    } else runs.push({ begin, length, segments: [slot.offset, length] })
  }
  return runs
}

/** Bytes that follow the last segment in the arena too make it longer: one hash step and one buffer to write. */
function addSegment(segments: number[], offset: number, length: number): void {
  const at = segments.length - 2
  const [lastOffset, lastLength] = [segments[at] as number, segments[at + 1] as number]
  if (lastOffset + lastLength === offset) segments[at + 1] = lastLength + length
  else segments.push(offset, length)
}

/**
 * The segments of a whole piece. Gaps between the runs become zeroes where `spans` (those of the piece) say padding.
 * Throws RangeError when any other byte is missing.
 */
export function wholePiece(runs: readonly Run[], spans: readonly FileSpan[], pieceLength: number): number[] {
  const segments: number[] = []
  const end = (runs.at(-1)?.begin ?? 0) + (runs.at(-1)?.length ?? 0)
  if (end > pieceLength) throw new RangeError(`blocks reach ${end}, past the piece of ${pieceLength} bytes`)
  let at = 0
  for (const run of [...runs, { begin: pieceLength, length: 0, segments: [] }]) {
    if (run.begin > at) {
      checkPadding(spans, at, run.begin)
      segments.push(-1, run.begin - at)
    }
    // A loop, not a spread: a piece may have more segments than a call may have arguments.
    for (const value of run.segments) segments.push(value)
    at = run.begin + run.length
  }
  return segments
}

/** The part [from, from + length) of a stream of segments. */
export function sliceSegments(segments: readonly number[], from: number, length: number): number[] {
  const part: number[] = []
  let at = 0
  for (let i = 0; i < segments.length && at < from + length; i += 2) {
    const offset = segments[i] as number
    const size = segments[i + 1] as number
    const skip = Math.max(0, from - at)
    const take = Math.min(size, from + length - at) - skip
    if (take > 0) part.push(offset < 0 ? -1 : offset + skip, take)
    at += size
  }
  return part
}

function checkPadding(spans: readonly FileSpan[], from: number, to: number): void {
  let at = 0
  for (const span of spans) {
    if (span.file >= 0 && at < to && at + span.length > from)
      throw new RangeError(`bytes ${from} to ${to} of the piece are missing`)
    at += span.length
  }
}

/** The parts that hold the first `length` bytes. */
export function firstBytes(parts: readonly Uint8Array[], length: number): Uint8Array[] {
  const first: Uint8Array[] = []
  let left = length
  for (const part of parts) {
    if (left === 0) break
    const taken = part.length <= left ? part : part.subarray(0, left)
    first.push(taken)
    left -= taken.length
  }
  return first
}
