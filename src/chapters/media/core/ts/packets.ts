// Packets of an MPEG transport stream (ISO 13818-1, 2.4.3) in a piece of it that begins anywhere.

import type { FieldBytes } from '../field-bytes.ts'

const SYNC = 0x47
const PACKET_BYTES = 188
/** Plain packets; those of Blu-rays, with a time before each; those with codes behind each. */
const STRIDES = [188, 192, 204]
/** Packets that must follow each other before bytes count as a stream. */
const SURE = 5

/** One packet. */
export interface TsPacket {
  readonly pid: number
  /** A section or an elementary packet begins in it. */
  readonly starts: boolean
  readonly payload: FieldBytes
}

/** The packets in `bytes`; none where there is no stream in it. Those that are damaged are passed over. */
export function* packetsIn(bytes: FieldBytes): Generator<TsPacket> {
  const found = firstPacket(bytes)
  if (found === null) return
  for (let at = found.at; at + PACKET_BYTES <= bytes.length; at += found.stride) {
    if (bytes.u8(at) !== SYNC) continue
    const packet = packetAt(bytes, at)
    if (packet !== null) yield packet
  }
}

/** Whether `head` begins with a stream. */
export function isTransportStream(head: FieldBytes): boolean {
  const found = firstPacket(head)
  return found !== null && found.at <= 4
}

function firstPacket(bytes: FieldBytes): { at: number; stride: number } | null {
  for (let at = 0; at < Math.min(bytes.length, 1024); at += 1) {
    const stride = STRIDES.find(length => isRun(bytes, at, length))
    if (stride !== undefined) return { at, stride }
  }
  return null
}

function isRun(bytes: FieldBytes, at: number, stride: number): boolean {
  for (let packet = 0; packet < SURE; packet += 1) {
    const begin = at + packet * stride
    if (begin >= bytes.length || bytes.u8(begin) !== SYNC) return false
  }
  return true
}

/** Null: it carries nothing, or its adaptation field is longer than it. */
function packetAt(bytes: FieldBytes, at: number): TsPacket | null {
  const head = bytes.u24(at + 1)
  const [hasField, hasPayload] = [(head & 0x20) !== 0, (head & 0x10) !== 0]
  const begin = at + 4 + (hasField ? 1 + bytes.u8(at + 4) : 0)
  const end = at + PACKET_BYTES
  if (!hasPayload || begin >= end) return null
  return { pid: (head >> 8) & 0x1fff, starts: (head & 0x40_00_00) !== 0, payload: bytes.part(begin, end) }
}
