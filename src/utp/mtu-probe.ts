// Makes a packet a probe for the packet size, and an ordinary one again. The payload stays the same; in front of it
// come extensions that mean nothing. So a probe that is too large can be repeated in a size that fits, which a packet
// with more payload could not: its number means its bytes.

import { MIN_PADDING_BYTES, putPadding, setFirstExtension, UTP_HEADER_BYTES } from '../wire/net/utp.ts'
import type { Packet } from './packet-pool.ts'

/**
 * Pads a packet that was never sent and has no extensions to `bytes` in all; its head must name the extension
 * afterwards. Nothing happens when it is that large already.
 */
export function padToProbe(packet: Packet, bytes: number): void {
  const padding = bytes - UTP_HEADER_BYTES - packet.payloadBytes
  if (padding < MIN_PADDING_BYTES || bytes > packet.memory.length) return
  const { memory, payloadBytes } = packet
  memory.copyWithin(UTP_HEADER_BYTES + padding, UTP_HEADER_BYTES, UTP_HEADER_BYTES + payloadBytes)
  putPadding(memory, UTP_HEADER_BYTES, padding)
  packet.payloadAt = UTP_HEADER_BYTES + padding
  packet.probeBytes = bytes
}

/** Takes the padding out again, before the packet is repeated. */
export function stripPadding(packet: Packet): void {
  if (packet.probeBytes === 0) return
  const { memory, payloadAt, payloadBytes } = packet
  // A socket that still holds the probe must not see the bytes move.
  packet.moveOut()
  packet.memory.set(memory.subarray(0, UTP_HEADER_BYTES))
  packet.memory.set(memory.subarray(payloadAt, payloadAt + payloadBytes), UTP_HEADER_BYTES)
  setFirstExtension(packet.memory, 0)
  packet.payloadAt = UTP_HEADER_BYTES
  packet.probeBytes = 0
  packet.cut(UTP_HEADER_BYTES + payloadBytes)
}
