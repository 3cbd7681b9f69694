// The messages of the peer wire (BEP 3, 5, 6, 10, 52): their types, encoders and the reading of one whole body.
// Block payload (`piece`) is not here: decoder.ts hands it on without gathering it, encodePieceHead writes its head.
// Every encoder answers a fresh array with the 4-byte length in front.

import { DecodeError } from '../../base/errors.ts'
import { HASH_BYTES } from '../metainfo/merkle.ts'

/**
 * A message of the peer wire. `bits`, `payload`, `root` and `hashes` are views that are valid only while the message is
 * delivered.
 */
export type PeerMessage =
  | { readonly type: 'keep-alive' }
  | { readonly type: 'choke' }
  | { readonly type: 'unchoke' }
  | { readonly type: 'interested' }
  | { readonly type: 'not-interested' }
  | { readonly type: 'have'; readonly piece: number }
  | { readonly type: 'bitfield'; readonly bits: Uint8Array }
  | BlockMessage<'request'>
  | BlockMessage<'cancel'>
  | BlockMessage<'reject'>
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'suggest'; readonly piece: number }
  | { readonly type: 'have-all' }
  | { readonly type: 'have-none' }
  | { readonly type: 'allowed-fast'; readonly piece: number }
  | { readonly type: 'extended'; readonly id: number; readonly payload: Uint8Array }
  | ({ readonly type: 'hash-request' } & HashRange)
  | ({ readonly type: 'hashes'; readonly hashes: Uint8Array } & HashRange)
  | ({ readonly type: 'hash-reject' } & HashRange)
  | { readonly type: 'unknown'; readonly id: number }

/** Which hashes of a file's tree are meant (BEP 52): `count` nodes of `baseLayer` from `index` on, and their uncles. */
export interface HashRange {
  /** Root of the file's tree, 32 bytes. */
  readonly root: Uint8Array
  /** Layers above the leaves. */
  readonly baseLayer: number
  readonly index: number
  readonly count: number
  /** Layers above `baseLayer` that the uncles come from; those that the hashes themselves give are left out. */
  readonly proofLayers: number
}

/** A message that names a block: `length` bytes at `begin` of `piece`. */
export interface BlockMessage<T extends string> {
  readonly type: T
  readonly piece: number
  readonly begin: number
  readonly length: number
}

/** Id byte of the `piece` message. */
export const PIECE_ID = 7

/** Bytes in front of a block's payload: length, id, piece, begin. */
export const PIECE_HEAD_BYTES = 13

/** Bytes of a `request` message: length, id, piece, begin, length of the block. */
export const REQUEST_BYTES = 17

/** The messages that are nothing but an id. */
export type PlainType = 'choke' | 'unchoke' | 'interested' | 'not-interested' | 'have-all' | 'have-none'

/** Ids of BEP 3, 5, 6, 10 and 52. */
const IDS = {
  choke: 0,
  unchoke: 1,
  interested: 2,
  'not-interested': 3,
  have: 4,
  bitfield: 5,
  request: 6,
  cancel: 8,
  port: 9,
  suggest: 13,
  'have-all': 14,
  'have-none': 15,
  reject: 16,
  'allowed-fast': 17,
  extended: 20,
  'hash-request': 21,
  hashes: 22,
  'hash-reject': 23,
} as const

/** Bytes of a message's body that name hashes: id, root and four numbers. */
const HASH_RANGE_BYTES = 1 + HASH_BYTES + 4 * 4

const PLAIN: Record<number, PeerMessage> = Object.fromEntries(
  (['choke', 'unchoke', 'interested', 'not-interested', 'have-all', 'have-none'] as const).map(type => [
    IDS[type],
    { type },
  ]),
)

/** The one keep-alive message, as delivered. */
export const KEEP_ALIVE: PeerMessage = { type: 'keep-alive' }

/** The big-endian unsigned 32-bit integer at `at`; the caller knows that four bytes are there. */
export function readUint32(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
}

function demand(length: number, expected: number): void {
  if (length !== expected) throw new DecodeError(`peer message has ${length} bytes, expected ${expected}`)
}

/**
 * Reads the body (id and what follows) of `length` bytes, at least one, at `at`. Not for `piece`.
 * Throws DecodeError when the length is wrong for its id; an id of no known BEP is `unknown`.
 */
export function decodeMessageBody(bytes: Uint8Array, at: number, length: number): PeerMessage {
  const id = bytes[at] as number
  const plain = PLAIN[id]
  if (plain !== undefined) {
    demand(length, 1)
    return plain
  }
  switch (id) {
    case IDS.have:
      return { type: 'have', piece: pieceOf(bytes, at, length) }
    case IDS.suggest:
      return { type: 'suggest', piece: pieceOf(bytes, at, length) }
    case IDS['allowed-fast']:
      return { type: 'allowed-fast', piece: pieceOf(bytes, at, length) }
    case IDS.bitfield:
      return { type: 'bitfield', bits: bytes.subarray(at + 1, at + length) }
    case IDS.request:
      return blockOf('request', bytes, at, length)
    case IDS.cancel:
      return blockOf('cancel', bytes, at, length)
    case IDS.reject:
      return blockOf('reject', bytes, at, length)
    case IDS.port:
      demand(length, 3)
      return { type: 'port', port: ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number) }
    case IDS.extended:
      if (length < 2) throw new DecodeError('extended message without an id')
      return { type: 'extended', id: bytes[at + 1] as number, payload: bytes.subarray(at + 2, at + length) }
    case IDS['hash-request']:
      demand(length, HASH_RANGE_BYTES)
      return { type: 'hash-request', ...rangeOf(bytes, at) }
    case IDS['hash-reject']:
      demand(length, HASH_RANGE_BYTES)
      return { type: 'hash-reject', ...rangeOf(bytes, at) }
    case IDS.hashes:
      return hashesOf(bytes, at, length)
    default:
      return { type: 'unknown', id }
  }
}

function pieceOf(bytes: Uint8Array, at: number, length: number): number {
  demand(length, 5)
  return readUint32(bytes, at + 1)
}

function blockOf<T extends string>(type: T, bytes: Uint8Array, at: number, length: number): BlockMessage<T> {
  demand(length, 13)
  return { type, piece: readUint32(bytes, at + 1), begin: readUint32(bytes, at + 5), length: readUint32(bytes, at + 9) }
}

function rangeOf(bytes: Uint8Array, at: number): HashRange {
  const numbers = at + 1 + HASH_BYTES
  return {
    root: bytes.subarray(at + 1, numbers),
    baseLayer: readUint32(bytes, numbers),
    index: readUint32(bytes, numbers + 4),
    count: readUint32(bytes, numbers + 8),
    proofLayers: readUint32(bytes, numbers + 12),
  }
}

function hashesOf(bytes: Uint8Array, at: number, length: number): PeerMessage {
  if (length < HASH_RANGE_BYTES || (length - HASH_RANGE_BYTES) % HASH_BYTES !== 0) {
    throw new DecodeError(`hashes message of ${length} bytes`)
  }
  return { type: 'hashes', ...rangeOf(bytes, at), hashes: bytes.subarray(at + HASH_RANGE_BYTES, at + length) }
}

/** A message of `bodyBytes` bytes after the length, with length and id written. */
function frame(id: number, bodyBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(4 + bodyBytes)
  bytes.writeUInt32BE(bodyBytes, 0)
  bytes[4] = id
  return bytes
}

function encodePieceNumber(id: number, piece: number): Uint8Array {
  const bytes = frame(id, 5)
  bytes.writeUInt32BE(piece, 5)
  return bytes
}

function encodeBlock(id: number, piece: number, begin: number, length: number): Uint8Array {
  const bytes = frame(id, 13)
  bytes.writeUInt32BE(piece, 5)
  bytes.writeUInt32BE(begin, 9)
  bytes.writeUInt32BE(length, 13)
  return bytes
}

/** Four zero bytes (BEP 3). */
export function encodeKeepAlive(): Uint8Array {
  return Buffer.alloc(4)
}

/** A message without content: choke, unchoke, interested, not-interested (BEP 3), have-all, have-none (BEP 6). */
export function encodePlain(type: PlainType): Uint8Array {
  return frame(IDS[type], 1)
}

/** `have` (BEP 3). */
export function encodeHave(piece: number): Uint8Array {
  return encodePieceNumber(IDS.have, piece)
}

/** `bitfield` (BEP 3): one bit a piece, most significant first, spare bits zero. */
export function encodeBitfield(bits: Uint8Array): Uint8Array {
  const bytes = frame(IDS.bitfield, 1 + bits.length)
  bytes.set(bits, 5)
  return bytes
}

/** `request` (BEP 3). */
export function encodeRequest(piece: number, begin: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(REQUEST_BYTES)
  writeRequest(bytes, 0, piece, begin, length)
  return bytes
}

/** Writes the same message at `at` of `into`, which has room for REQUEST_BYTES there. */
export function writeRequest(into: Uint8Array, at: number, piece: number, begin: number, length: number): void {
  writeUInt32(into, at, REQUEST_BYTES - 4)
  into[at + 4] = IDS.request
  writeUInt32(into, at + 5, piece)
  writeUInt32(into, at + 9, begin)
  writeUInt32(into, at + 13, length)
}

/** `cancel` (BEP 3). */
export function encodeCancel(piece: number, begin: number, length: number): Uint8Array {
  return encodeBlock(IDS.cancel, piece, begin, length)
}

/** `reject request` (BEP 6). */
export function encodeReject(piece: number, begin: number, length: number): Uint8Array {
  return encodeBlock(IDS.reject, piece, begin, length)
}

/** The 13 bytes in front of `length` bytes of block payload, which the caller writes after it (BEP 3). */
export function encodePieceHead(piece: number, begin: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(PIECE_HEAD_BYTES)
  writePieceHead(bytes, 0, piece, begin, length)
  return bytes
}

/** Writes the same head at `at` of `into`. */
export function writePieceHead(into: Uint8Array, at: number, piece: number, begin: number, length: number): void {
  writeUInt32(into, at, PIECE_HEAD_BYTES - 4 + length)
  into[at + 4] = PIECE_ID
  writeUInt32(into, at + 5, piece)
  writeUInt32(into, at + 9, begin)
}

function writeUInt32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

/** `port` (BEP 5): the UDP port of our DHT node. */
export function encodePort(port: number): Uint8Array {
  const bytes = frame(IDS.port, 3)
  bytes.writeUInt16BE(port, 5)
  return bytes
}

/** `suggest piece` (BEP 6). */
export function encodeSuggest(piece: number): Uint8Array {
  return encodePieceNumber(IDS.suggest, piece)
}

/** `allowed fast` (BEP 6). */
export function encodeAllowedFast(piece: number): Uint8Array {
  return encodePieceNumber(IDS['allowed-fast'], piece)
}

/** `extended` (BEP 10): id 0 is the extended handshake, others are those the receiver chose. */
export function encodeExtended(id: number, payload: Uint8Array): Uint8Array {
  const bytes = frame(IDS.extended, 2 + payload.length)
  bytes[5] = id
  bytes.set(payload, 6)
  return bytes
}

function encodeHashRange(id: number, range: HashRange, hashes: Uint8Array | null): Uint8Array {
  if (range.root.length !== HASH_BYTES) throw new RangeError('the root of a tree has 32 bytes')
  const bytes = frame(id, HASH_RANGE_BYTES + (hashes?.length ?? 0))
  bytes.set(range.root, 5)
  const numbers = 5 + HASH_BYTES
  bytes.writeUInt32BE(range.baseLayer, numbers)
  bytes.writeUInt32BE(range.index, numbers + 4)
  bytes.writeUInt32BE(range.count, numbers + 8)
  bytes.writeUInt32BE(range.proofLayers, numbers + 12)
  if (hashes !== null) bytes.set(hashes, numbers + 16)
  return bytes
}

/** `hash request` (BEP 52). Throws RangeError, as the next two, when the root has not 32 bytes. */
export function encodeHashRequest(range: HashRange): Uint8Array {
  return encodeHashRange(IDS['hash-request'], range, null)
}

/** `hashes` (BEP 52): those of the base layer, then the uncles from below upwards, 32 bytes each. */
export function encodeHashes(range: HashRange, hashes: Uint8Array): Uint8Array {
  return encodeHashRange(IDS.hashes, range, hashes)
}

/** `hash reject` (BEP 52). */
export function encodeHashReject(range: HashRange): Uint8Array {
  return encodeHashRange(IDS['hash-reject'], range, null)
}
