// A run of neighbouring blocks in a slot as it goes out: each behind its head, read there without waiting.

import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { UploadRequest } from '../../base/request-queue.ts'
import { PIECE_HEAD_BYTES, writePieceHead } from './messages.ts'

/** Where whole blocks lie in a slot: the same for nearly every run, and a view costs more than filling a head. */
const placesOf = new WeakMap<Uint8Array, readonly Uint8Array[]>()

/** Bytes of all blocks of a run. */
export function totalOf(run: readonly UploadRequest[]): number {
  let bytes = 0
  for (const request of run) bytes += request.length
  return bytes
}

/**
 * Reads a run into the slot as it goes out, heads before payloads, without waiting; how many whole blocks were at hand.
 * `readParts` reads at an offset of the torrent.
 */
export function readFramed(
  readParts: (offset: number, parts: readonly Uint8Array[]) => number,
  pieceLength: number,
  run: readonly UploadRequest[],
  slot: Uint8Array,
): number {
  const first = run[0]
  if (first === undefined) return 0
  if (totalOf(run) + run.length * PIECE_HEAD_BYTES > slot.length) return 0
  let left = readParts(first.piece * pieceLength + first.begin, partsOf(run, slot))
  let [at, blocks] = [0, 0]
  for (const { piece, begin, length } of run) {
    if (left < length) break
    writePieceHead(slot, at, piece, begin, length)
    at += PIECE_HEAD_BYTES + length
    left -= length
    blocks += 1
  }
  return blocks
}

/** Where the payloads go. */
function partsOf(run: readonly UploadRequest[], bytes: Uint8Array): readonly Uint8Array[] {
  if (run.every(({ length }) => length === BLOCK_BYTES)) {
    const places = wholePlaces(bytes)
    return places.length === run.length ? places : places.slice(0, run.length)
  }
  let at = 0
  return run.map(({ length }) => {
    at += PIECE_HEAD_BYTES + length
    return bytes.subarray(at - length, at)
  })
}

function wholePlaces(bytes: Uint8Array): readonly Uint8Array[] {
  const known = placesOf.get(bytes)
  if (known !== undefined) return known
  const framed = PIECE_HEAD_BYTES + BLOCK_BYTES
  const made = Array.from({ length: Math.floor(bytes.length / framed) }, (_, index) => {
    const end = (index + 1) * framed
    return bytes.subarray(end - BLOCK_BYTES, end)
  })
  placesOf.set(bytes, made)
  return made
}
