// How long the pieces of a new torrent are: chosen by the size of its content. Pure.

/** Smallest piece of a new torrent, bytes: one leaf of a v2 tree (BEP 52). */
export const MIN_NEW_PIECE_LENGTH = 16 * 1024

/** Largest piece of a new torrent, bytes: the largest that this node reads (decision 0100). */
export const MAX_NEW_PIECE_LENGTH = 128 * 1024 * 1024

/** Largest piece that is chosen for size alone, bytes: libtorrent's bound; many clients hold a piece in memory. */
const MAX_USUAL_LENGTH = 16 * 1024 * 1024

/** Room for the hashes of pieces in a metainfo file, bytes: twice that is left for names. */
const MAX_HASH_BYTES = 10 * 1024 * 1024

/** SHA-1 and the hash of a piece layer. */
const HASH_BYTES_A_PIECE = 20 + 32

/**
 * The piece length, a power of two, for `totalLength` bytes of content. A piece of p bytes is used up to p * p / 100
 * bytes, as libtorrent does (16 KiB up to 2.56 MiB, four times the content for each doubling, at most 16 MiB); beyond
 * that pieces grow only so that their hashes still fit into a metainfo file.
 */
export function choosePieceLength(totalLength: number): number {
  let length = MIN_NEW_PIECE_LENGTH
  while (length < MAX_USUAL_LENGTH && totalLength > Math.round((length * length) / 100)) length *= 2
  while (length < MAX_NEW_PIECE_LENGTH && (totalLength / length) * HASH_BYTES_A_PIECE > MAX_HASH_BYTES) length *= 2
  return length
}

/** True for a piece length that a new torrent may have: a power of two from 16 KiB to 128 MiB. */
export function isNewPieceLength(length: number): boolean {
  if (!Number.isInteger(length) || length < MIN_NEW_PIECE_LENGTH || length > MAX_NEW_PIECE_LENGTH) return false
  return (length & (length - 1)) === 0
}
