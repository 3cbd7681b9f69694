// Messages of the discovery overlay (IPv8, section 5).

import { DecodeError } from '../../../base/errors.ts'
import { communityIds, ipv4, raw, u16, u64, u8 } from './fields.ts'
import { signed, unsigned } from './message.ts'
import { COMMUNITY_ID_BYTES } from './packet.ts'

/** Tells our overlays and asks for those of another. */
export const similarityRequest = signed(1, 'similarity-request', {
  globalTime: u64,
  identifier: u16,
  lan: ipv4,
  wan: ipv4,
  flags: u8,
  /** Community ids, 20 bytes each: idsOf. */
  ids: raw,
})

/** Tells our overlays. */
export const similarityResponse = signed(2, 'similarity-response', {
  globalTime: u64,
  identifier: u16,
  ids: communityIds,
  /** Pairs of 20 bytes and a u32; always empty by now. */
  overlap: raw,
})

const sign = { globalTime: u64, identifier: u16 }
/** Asks whether a peer is there. */
export const discoveryPing = unsigned(3, 'ping', sign)
/** Answers a ping. */
export const discoveryPong = unsigned(4, 'pong', sign)

/** The community ids behind one another in `bytes`, views. Throws DecodeError when they do not come out even. */
export function idsOf(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length % COMMUNITY_ID_BYTES !== 0) throw new DecodeError('not a list of community ids')
  const count = bytes.length / COMMUNITY_ID_BYTES
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * COMMUNITY_ID_BYTES, (i + 1) * COMMUNITY_ID_BYTES))
}
