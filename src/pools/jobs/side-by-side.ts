// Hashes neighbouring pieces of a job's stream side by side, as many as the machine code has lanes: a part of each is
// read in turn, so that what is hashed still lies in the processor's cache, whatever the pieces' length. Small pieces
// are read in one go. For worker threads.

import { LEAF_BYTES } from '../../wire/metainfo/merkle.ts'
import { CONTEXT_BYTES, digestBytes, type NativeHash } from './native-hash.ts'
import { isZeroes } from './segments.ts'
import type { SpanReader } from './span-reader.ts'

/** Pieces at a time: the lanes of the widest path. */
const LANES = 16
/** Bytes of each that are read in turn; whole leaves, so that each leaf is in one part. */
const STEP_BYTES = 64 * 1024
const LEAVES_A_STEP = STEP_BYTES / LEAF_BYTES

/** Which hashes of the pieces are wanted. */
export interface Wanted {
  /** Bytes of each piece but the last of the stream. */
  readonly pieceLength: number
  readonly sha1: boolean
  /** Bytes below the tree of a piece (those behind them are padding), 0 = it has none. */
  readonly treeBytes: (piece: number) => number
}

/** What was found of one piece; the bytes are true until the next one. */
export interface HashedPiece {
  readonly piece: number
  /** The descriptor of a file that ends before its span; null = all bytes are there. */
  readonly missing: number | null
  /** Nothing but zeroes came. */
  readonly blank: boolean
  /** SHA-1. */
  readonly sha1: Uint8Array
  /** Leaf hashes of the tree. */
  readonly leaves: Uint8Array
}

/** A piece of the present turn. */
interface Lane {
  readonly piece: number
  readonly start: number
  readonly length: number
  readonly treeBytes: number
  missing: number | null
  blank: boolean
  leaves: Uint8Array
}

/** What a thread keeps for it: it is made once. */
interface Room {
  readonly bytes: Uint8Array
  readonly contexts: Uint8Array
  readonly leafContexts: Uint8Array
  readonly digests: Uint8Array
  readonly leafDigests: Uint8Array
}

let kept: Room | null = null

function room(): Room {
  const leaves = LANES * LEAVES_A_STEP
  return (kept ??= {
    bytes: new Uint8Array(LANES * STEP_BYTES),
    contexts: new Uint8Array(LANES * CONTEXT_BYTES),
    leafContexts: new Uint8Array(leaves * CONTEXT_BYTES),
    digests: new Uint8Array(LANES * digestBytes.sha1),
    leafDigests: new Uint8Array(leaves * digestBytes.sha256),
  })
}

/**
 * Hashes all pieces of the stream; `take` is called for each in order. Throws JobFailure of a failed read, RangeError
 * for a tree over more bytes than the piece has.
 */
export function hashSideBySide(
  stream: SpanReader,
  wanted: Wanted,
  sha: NativeHash,
  take: (found: HashedPiece) => void,
): void {
  const pieces = Math.ceil(stream.length / wanted.pieceLength)
  for (let first = 0; first < pieces; first += LANES) {
    const lanes = Array.from({ length: Math.min(LANES, pieces - first) }, (_, i) => laneOf(stream, wanted, first + i))
    hashTurn(stream, lanes, wanted, sha)
    lanes.forEach(({ piece, missing, blank, leaves }, i) => {
      const sha1 = room().digests.subarray(i * digestBytes.sha1, (i + 1) * digestBytes.sha1)
      take({ piece, missing, blank, sha1, leaves })
    })
  }
}

function laneOf(stream: SpanReader, { pieceLength, treeBytes }: Wanted, piece: number): Lane {
  const start = piece * pieceLength
  const length = Math.min(pieceLength, stream.length - start)
  const below = treeBytes(piece)
  if (!(below >= 0 && below <= length)) throw new RangeError(`a tree over ${below} bytes of a piece of ${length}`)
  const leaves = new Uint8Array(Math.ceil(below / LEAF_BYTES) * digestBytes.sha256)
  return { piece, start, length, treeBytes: below, missing: null, blank: true, leaves }
}

function hashTurn(stream: SpanReader, lanes: readonly Lane[], { pieceLength, sha1 }: Wanted, sha: NativeHash): void {
  const { bytes, contexts, digests } = room()
  contexts.fill(0)
  if (pieceLength > STEP_BYTES) readAhead(stream, lanes, sha)
  for (let at = 0; at < pieceLength; at += STEP_BYTES) {
    const parts = readStep(stream, lanes, at, pieceLength)
    if (sha1) sha.update('sha1', contexts, bytes, Float64Array.from(parts))
    hashLeavesOf(lanes, parts, at, sha)
  }
  if (sha1) sha.finish('sha1', contexts, lanes.length, digests)
}

/** Reads a step of each piece; what came: lane, offset and length of each. */
function readStep(stream: SpanReader, lanes: readonly Lane[], at: number, pieceLength: number): number[] {
  const { bytes } = room()
  const step = Math.min(pieceLength, STEP_BYTES)
  const first = lanes[0] as Lane
  const last = lanes.at(-1) as Lane
  const together = last.start + last.length - first.start
  // Pieces no longer than a step lie side by side on the disk as they will in memory.
  const whole = step === pieceLength && stream.fill(bytes.subarray(0, together), first.start) === null
  const parts: number[] = []
  for (const [i, lane] of lanes.entries()) {
    const length = Math.min(step, lane.length - at)
    if (length <= 0 || lane.missing !== null) continue
    const part = bytes.subarray(i * step, i * step + length)
    if (!whole) lane.missing = stream.fill(part, lane.start + at)
    if (lane.missing !== null) continue
    lane.blank &&= isZeroes(part)
    parts.push(i, i * step, length)
  }
  return parts
}

/** A disk with heads is to read the pieces one after the other, not a part of each in turn. */
function readAhead(stream: SpanReader, lanes: readonly Lane[], sha: NativeHash): void {
  const [first, last] = [lanes[0] as Lane, lanes.at(-1) as Lane]
  stream.files(first.start, last.start + last.length, (fd, position, length) => sha.willNeed(fd, position, length))
}

/** `parts`: lane, offset and length of what was read of each; `at`: where in the pieces. */
function hashLeavesOf(lanes: readonly Lane[], parts: readonly number[], at: number, sha: NativeHash): void {
  const { bytes, leafContexts, leafDigests } = room()
  const leafParts: number[] = []
  const places: [lane: Lane, leaf: number][] = []
  for (let i = 0; i < parts.length; i += 3) {
    const lane = lanes[parts[i] as number] as Lane
    const end = Math.min(lane.treeBytes - at, parts[i + 2] as number)
    for (let from = 0; from < end; from += LEAF_BYTES) {
      leafParts.push(places.length, (parts[i + 1] as number) + from, Math.min(LEAF_BYTES, end - from))
      places.push([lane, (at + from) / LEAF_BYTES])
    }
  }
  if (places.length === 0) return
  leafContexts.fill(0)
  sha.update('sha256', leafContexts, bytes, Float64Array.from(leafParts))
  sha.finish('sha256', leafContexts, places.length, leafDigests)
  places.forEach(([lane, leaf], i) => {
    const size = digestBytes.sha256
    lane.leaves.set(leafDigests.subarray(i * size, (i + 1) * size), leaf * size)
  })
}
