// Packets of uTP, the micro transport protocol (BEP 29): a header of 20 bytes, a chain of extensions, payload. Layout
// only: what a packet means is the business of src/utp. Connection ids and sequence numbers are unsigned 16 bit
// numbers, times and windows unsigned 32 bit ones. The functions for the busy path write into objects that are used
// again; encodeUtpPacket and decodeUtpPacket keep everything, and each undoes the other.

import { DecodeError } from '../../base/errors.ts'

/** Bytes of the fixed part of a packet. */
export const UTP_HEADER_BYTES = 20
/** Version of the protocol, in the low half of the first byte. */
const VERSION = 1
/** Longest chain of extensions that is read; real packets have one or two, our probes up to five. */
const MAX_EXTENSIONS = 16
/** Most bytes one extension can hold, and the two before them: the next type and the length. */
const EXTENSION_BYTES = 255
const EXTENSION_HEAD_BYTES = 2

/** Kinds of packets (BEP 29). */
export const UTP_TYPE = { data: 0, fin: 1, state: 2, reset: 3, syn: 4 } as const
/** A kind of packet. */
export type UtpType = (typeof UTP_TYPE)[keyof typeof UTP_TYPE]

/**
 * Extensions: selective acknowledgement (BEP 29), eight bytes of bits that libutp knows and no client sets, and the
 * close reason libtorrent sends (its number for it). `padding` is ours: bytes that mean nothing, to make a packet
 * larger; others skip it as they skip every extension they do not know. But libutp takes a packet for none of uTP's
 * when its first extension is none of the first two, so padding begins with bits.
 */
export const UTP_EXTENSION = { selectiveAck: 1, bits: 2, closeReason: 3, padding: 0xf0 } as const
/** Smallest padding: bits, and one extension of ours. */
export const MIN_PADDING_BYTES = 12
const BITS_BYTES = 8

/** What readUtpHeader found in a packet. One object serves all packets of a socket. */
export class UtpHeader {
  type: UtpType = UTP_TYPE.state
  connectionId = 0
  /** Microseconds of the sender's clock when it sent this. */
  timestamp = 0
  /** Microseconds between sending and arrival of the last packet it got from us, by two clocks; 0 = it knows none. */
  difference = 0
  /** Bytes it can take in. */
  window = 0
  seq = 0
  ack = 0
  /** Where the bits of the selective acknowledgement begin, and how many bytes they are; 0 bytes = none. */
  sackAt = 0
  sackBytes = 0
  /** Reason for closing (libtorrent's numbers), 0 = none. */
  closeReason = 0
  payloadAt = UTP_HEADER_BYTES
}

/** An extension with its bytes. */
export interface UtpExtension {
  readonly type: number
  readonly bytes: Uint8Array
}

/** A whole packet. */
export interface UtpPacket {
  readonly type: UtpType
  readonly connectionId: number
  readonly timestamp: number
  readonly difference: number
  readonly window: number
  readonly seq: number
  readonly ack: number
  readonly extensions: readonly UtpExtension[]
  readonly payload: Uint8Array
}

function u16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

function u32(bytes: Uint8Array, at: number): number {
  return ((u16(bytes, at) << 16) | u16(bytes, at + 2)) >>> 0
}

function putU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8
  bytes[at + 1] = value
}

function putU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

/**
 * True when a datagram begins as uTP packets do and is long enough to be one. No message of the DHT (begins with `d`)
 * and no answer of a UDP tracker (begins with three zero bytes) does, so one port can serve all three.
 */
export function isUtp(bytes: Uint8Array): boolean {
  const first = bytes[0] ?? 0
  return bytes.length >= UTP_HEADER_BYTES && (first & 0x0f) === VERSION && first >>> 4 <= UTP_TYPE.syn
}

/** Reads header and extensions of a packet into `into`. Throws DecodeError, and then `into` holds nonsense. */
export function readUtpHeader(bytes: Uint8Array, into: UtpHeader): void {
  if (!isUtp(bytes)) throw new DecodeError('not a uTP packet')
  into.type = ((bytes[0] ?? 0) >>> 4) as UtpType
  into.connectionId = u16(bytes, 2)
  into.timestamp = u32(bytes, 4)
  into.difference = u32(bytes, 8)
  into.window = u32(bytes, 12)
  into.seq = u16(bytes, 16)
  into.ack = u16(bytes, 18)
  into.sackAt = 0
  into.sackBytes = 0
  into.closeReason = 0
  into.payloadAt = UTP_HEADER_BYTES
  if (bytes[1] !== 0) readExtensions(bytes, into)
}

function readExtensions(bytes: Uint8Array, into: UtpHeader): void {
  let type = bytes[1] ?? 0
  let at = UTP_HEADER_BYTES
  for (let count = 0; type !== 0; count++) {
    const length = extensionLength(bytes, at, count)
    const start = at + EXTENSION_HEAD_BYTES
    if (type === UTP_EXTENSION.selectiveAck && into.sackBytes === 0) {
      into.sackAt = start
      into.sackBytes = length
    } else if (type === UTP_EXTENSION.closeReason && length === 4) into.closeReason = u16(bytes, start + 2)
    type = bytes[at] ?? 0
    at = start + length
  }
  into.payloadAt = at
}

/** Bytes of the extension whose head is at `at`; throws when it does not lie within the packet. */
function extensionLength(bytes: Uint8Array, at: number, count: number): number {
  if (count >= MAX_EXTENSIONS) throw new DecodeError('a uTP packet with too many extensions')
  const length = bytes[at + 1] ?? 0
  if (at + EXTENSION_HEAD_BYTES + length > bytes.length) throw new DecodeError('a uTP extension that is cut off')
  return length
}

/** Writes what never changes in a packet, however often it is sent. `extension`: type of the first one, 0 = none. */
export function putUtpHead(
  bytes: Uint8Array,
  type: UtpType,
  extension: number,
  connectionId: number,
  seq: number,
): void {
  bytes[0] = (type << 4) | VERSION
  bytes[1] = extension
  putU16(bytes, 2, connectionId)
  putU16(bytes, 16, seq)
}

/** Writes what is new each time a packet is sent. */
export function stampUtp(bytes: Uint8Array, timestamp: number, difference: number, window: number, ack: number): void {
  putU32(bytes, 4, timestamp)
  putU32(bytes, 8, difference)
  putU32(bytes, 12, window)
  putU16(bytes, 18, ack)
}

/** Writes the type of the first extension of a packet. */
export function setFirstExtension(bytes: Uint8Array, type: number): void {
  bytes[1] = type
}

/** Writes the two bytes before an extension of `length` bytes; `next`: type of the one after it, 0 = none. */
export function putExtensionHead(bytes: Uint8Array, at: number, next: number, length: number): void {
  bytes[at] = next
  bytes[at + 1] = length
}

/**
 * Fills `count` bytes (at least MIN_PADDING_BYTES) from `start` on with extensions that mean nothing; the head must
 * name UTP_EXTENSION.bits as the first of them.
 */
export function putPadding(bytes: Uint8Array, start: number, count: number): void {
  putExtensionHead(bytes, start, UTP_EXTENSION.padding, BITS_BYTES)
  let at = start + EXTENSION_HEAD_BYTES + BITS_BYTES
  bytes.fill(0, start + EXTENSION_HEAD_BYTES, at)
  for (let left = count - (at - start); left > 0; ) {
    let take = Math.min(left, EXTENSION_HEAD_BYTES + EXTENSION_BYTES)
    // One byte that is left over could hold no extension.
    if (left - take === 1) take -= 1
    const length = take - EXTENSION_HEAD_BYTES
    putExtensionHead(bytes, at, left === take ? 0 : UTP_EXTENSION.padding, length)
    bytes.fill(0, at + EXTENSION_HEAD_BYTES, at + take)
    at += take
    left -= take
  }
}

/**
 * A packet as bytes. Throws RangeError for extensions that cannot be written: type 0, over 255 bytes, over 16 of them.
 */
export function encodeUtpPacket(packet: UtpPacket): Uint8Array {
  const { extensions, payload } = packet
  if (extensions.length > MAX_EXTENSIONS) throw new RangeError('too many extensions')
  let at = UTP_HEADER_BYTES
  const size = extensions.reduce((sum, { bytes }) => sum + EXTENSION_HEAD_BYTES + bytes.length, at + payload.length)
  const out = Buffer.alloc(size)
  putUtpHead(out, packet.type, extensions[0]?.type ?? 0, packet.connectionId, packet.seq)
  stampUtp(out, packet.timestamp, packet.difference, packet.window, packet.ack)
  for (const [index, { type, bytes }] of extensions.entries()) {
    if (type < 1 || type > 255 || bytes.length > EXTENSION_BYTES) throw new RangeError('not an extension')
    putExtensionHead(out, at, extensions[index + 1]?.type ?? 0, bytes.length)
    out.set(bytes, at + EXTENSION_HEAD_BYTES)
    at += EXTENSION_HEAD_BYTES + bytes.length
  }
  out.set(payload, at)
  return out
}

/** A packet with all its extensions; payload and extensions are views of `bytes`. Throws DecodeError. */
export function decodeUtpPacket(bytes: Uint8Array): UtpPacket {
  const header = new UtpHeader()
  readUtpHeader(bytes, header)
  const { type, connectionId, timestamp, difference, window, seq, ack, payloadAt } = header
  const extensions: UtpExtension[] = []
  let next = bytes[1] ?? 0
  for (let at = UTP_HEADER_BYTES; at < payloadAt; ) {
    const end = at + EXTENSION_HEAD_BYTES + (bytes[at + 1] ?? 0)
    extensions.push({ type: next, bytes: bytes.subarray(at + EXTENSION_HEAD_BYTES, end) })
    next = bytes[at] ?? 0
    at = end
  }
  const payload = bytes.subarray(payloadAt)
  return { type, connectionId, timestamp, difference, window, seq, ack, extensions, payload }
}
