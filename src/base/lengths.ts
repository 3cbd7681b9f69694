// Piece, block and byte arithmetic of a torrent. Pure.

/** Size of a block on the wire, bytes (BEP 3; every client asks in this unit). */
export const BLOCK_BYTES = 16 * 1024

/** The measures of a torrent's data: all in bytes. */
export interface TorrentLengths {
  readonly totalLength: number
  readonly pieceLength: number
  readonly pieceCount: number
}

/** Bytes of piece `piece` (the last one may be shorter). */
export function pieceBytes(lengths: TorrentLengths, piece: number): number {
  if (piece < lengths.pieceCount - 1) return lengths.pieceLength
  return lengths.totalLength - (lengths.pieceCount - 1) * lengths.pieceLength
}

/** Number of blocks of piece `piece`. */
export function blockCount(lengths: TorrentLengths, piece: number): number {
  return Math.ceil(pieceBytes(lengths, piece) / BLOCK_BYTES)
}

/** Bytes of block `block` of piece `piece`. */
export function blockBytes(lengths: TorrentLengths, piece: number, block: number): number {
  return Math.min(BLOCK_BYTES, pieceBytes(lengths, piece) - block * BLOCK_BYTES)
}

/** First and last piece (inclusive) that hold the bytes [offset, offset + length); length must be above 0. */
export function piecesOfRange(lengths: TorrentLengths, offset: number, length: number): [number, number] {
  return [Math.floor(offset / lengths.pieceLength), Math.floor((offset + length - 1) / lengths.pieceLength)]
}
