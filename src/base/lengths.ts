// Piece, block and byte arithmetic of a torrent. Pure.

/** Size of a block on the wire, bytes (BEP 3; every client asks in this unit). */
export const BLOCK_BYTES = 16 * 1024

/** Padding at the end of pieces, bytes by piece, in rising order. */
export interface PiecePadding extends Iterable<readonly [piece: number, bytes: number]> {
  /** Undefined where a piece has none. */
  get(piece: number): number | undefined
}

/** The measures of a torrent's data: all in bytes. */
export interface TorrentLengths {
  readonly totalLength: number
  readonly pieceLength: number
  readonly pieceCount: number
  /** Padding (BEP 47) at the end of pieces, by piece; never a whole piece. It is not asked for: it is zeroes. */
  readonly padding?: PiecePadding
}

/** Bytes of piece `piece` (the last one may be shorter). */
export function pieceBytes(lengths: TorrentLengths, piece: number): number {
  // No branch for the last one: met in the middle of a download, it undid the machine code of all that asks for blocks.
  return Math.min(lengths.pieceLength, lengths.totalLength - piece * lengths.pieceLength)
}

/** Bytes of piece `piece` without the padding at its end: what peers are asked for. */
export function contentBytes(lengths: TorrentLengths, piece: number): number {
  return pieceBytes(lengths, piece) - (lengths.padding?.get(piece) ?? 0)
}

/** Number of blocks of piece `piece` that peers are asked for. */
export function blockCount(lengths: TorrentLengths, piece: number): number {
  return Math.ceil(contentBytes(lengths, piece) / BLOCK_BYTES)
}

/** Bytes of block `block` of piece `piece`; the last one may be short. */
export function blockBytes(lengths: TorrentLengths, piece: number, block: number): number {
  return Math.min(BLOCK_BYTES, contentBytes(lengths, piece) - block * BLOCK_BYTES)
}

/** First and last piece (inclusive) that hold the bytes [offset, offset + length); length must be above 0. */
export function piecesOfRange(lengths: TorrentLengths, offset: number, length: number): [number, number] {
  return [Math.floor(offset / lengths.pieceLength), Math.floor((offset + length - 1) / lengths.pieceLength)]
}
