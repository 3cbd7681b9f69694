// A run of neighbouring blocks in a slot as it goes out: each behind its head, read there without waiting.

import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import type { PieceStore } from '../../ports/piece-store.ts'
import { PIECE_HEAD_BYTES, writePieceHead } from '../../wire/peer/messages.ts'
import type { UploadRequest } from './request-queue.ts'

/** Where whole blocks lie in a slot: the same for nearly every run, and making a view costs more than filling its head. */
const placesOf = new WeakMap<Uint8Array, readonly Uint8Array[]>()

/** Bytes of all blocks of a run. */
export function totalOf(run: readonly UploadRequest[]): number {
  let bytes = 0
  for (const request of run) bytes += request.length
  return bytes
}

/**
 * Reads a run into the slot as it goes out, heads before payloads, without waiting; how many whole blocks were at hand.
 * `from` is where it begins: a torrent's store, and the length of its pieces.
 */
export function readFramed(
  { store, pieceLength }: { readonly store: PieceStore; readonly pieceLength: number },
  run: readonly UploadRequest[],
  slot: Slot,
): number {
  const first = run[0]
  if (first === undefined || store.readPartsNow === undefined) return 0
  if (totalOf(run) + run.length * PIECE_HEAD_BYTES > slot.bytes.length) return 0
  let left = store.readPartsNow(first.piece * pieceLength + first.begin, partsOf(run, slot.bytes))
  let [at, blocks] = [0, 0]
  for (const { piece, begin, length } of run) {
    if (left < length) break
    writePieceHead(slot.bytes, at, piece, begin, length)
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
