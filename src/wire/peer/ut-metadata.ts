// The three messages of ut_metadata (BEP 9), which carry an info dictionary between peers in pieces of 16 KiB.
// Only their spelling: which piece is wanted, and whether the whole fits its hash, is the engine's business.

import { DecodeError } from '../../base/errors.ts'
import { decodeBencodePrefix, encodeBencode, getInt } from '../bencode.ts'
import { MAX_METAINFO_BYTES } from '../metainfo/metainfo-length.ts'

/** The name of the extension in `m` of the extended handshake. */
export const UT_METADATA = 'ut_metadata'

/** Bytes of a metadata piece; the last one may be shorter. */
export const METADATA_PIECE_BYTES = 16 * 1024

/** A message. `data` is a view of the payload. `unknown`: a type that later versions may add, to be ignored. */
export type MetadataMessage =
  | { readonly type: 'request'; readonly piece: number }
  | { readonly type: 'data'; readonly piece: number; readonly totalSize: number; readonly data: Uint8Array }
  | { readonly type: 'reject'; readonly piece: number }
  | { readonly type: 'unknown' }

/** How many pieces `totalSize` bytes of metadata have. */
export function metadataPieceCount(totalSize: number): number {
  return Math.ceil(totalSize / METADATA_PIECE_BYTES)
}

/** Asks for a piece. */
export function encodeMetadataRequest(piece: number): Uint8Array {
  return encodeBencode({ msg_type: 0, piece })
}

/** Carries a piece of metadata that has `totalSize` bytes in all. */
export function encodeMetadataData(piece: number, totalSize: number, data: Uint8Array): Uint8Array {
  return Buffer.concat([encodeBencode({ msg_type: 1, piece, total_size: totalSize }), data])
}

/** Refuses a piece. */
export function encodeMetadataReject(piece: number): Uint8Array {
  return encodeBencode({ msg_type: 2, piece })
}

/**
 * Reads the payload of a ut_metadata message. Throws DecodeError: no dictionary, no piece number below 1,024 (16 MiB),
 * data whose length is not that of its piece in `total_size` bytes.
 */
export function decodeMetadataMessage(payload: Uint8Array): MetadataMessage {
  const { value: dict, end } = decodeBencodePrefix(payload)
  if (!(dict instanceof Map)) throw new DecodeError('the metadata message is not a dictionary')
  const type = getInt(dict, 'msg_type')
  if (type !== 0 && type !== 1 && type !== 2) return { type: 'unknown' }
  const piece = getInt(dict, 'piece')
  if (piece === null || piece < 0 || piece >= metadataPieceCount(MAX_METAINFO_BYTES)) {
    throw new DecodeError('the metadata message has no usable piece number')
  }
  if (type === 0) return { type: 'request', piece }
  if (type === 2) return { type: 'reject', piece }
  return readData(piece, getInt(dict, 'total_size'), payload.subarray(end))
}

function readData(piece: number, totalSize: number | null, data: Uint8Array): MetadataMessage {
  if (totalSize === null || totalSize < 1 || totalSize > MAX_METAINFO_BYTES) {
    throw new DecodeError('the metadata piece has no usable total_size')
  }
  const expected = Math.min(METADATA_PIECE_BYTES, totalSize - piece * METADATA_PIECE_BYTES)
  if (data.length !== expected) throw new DecodeError('the metadata piece has a wrong length')
  return { type: 'data', piece, totalSize, data }
}
