// Introductions and punctures, which every overlay has (IPv8, section 4.1), in both styles. GT is `globalTime`.

import { fixed, ip, ipv4, raw, u16, u64, u8 } from './fields.ts'
import { signed, unsigned } from './message.ts'

/** Bits of the `flags` of introductionRequest; the others are 0. */
export const REQUEST_FLAG = {
  /** Always set. */
  advice: 1,
  /** The sender understands the new style. We leave it 0, so that no peer uses it with us. */
  newStyle: 0x20,
} as const

/** Bits of the `flags` of introductionResponse. */
export const RESPONSE_FLAG = {
  /** The sender has all the peers it wants. */
  peerLimit: 0x04,
  /** The introduced peer understands the new style. */
  introducedNewStyle: 0x08,
  /** The sender understands the new style. */
  newStyle: 0x10,
} as const

const walker = { globalTime: u64, walkerLan: ipv4, walkerWan: ipv4, identifier: u16 }
const newWalker = { globalTime: u64, walkerLan: ip, walkerWan: ip, identifier: u16 }

/** Greets a peer and asks to be introduced to another (`flags`: REQUEST_FLAG). */
export const introductionRequest = signed(246, 'introduction-request', {
  globalTime: u64,
  destination: ipv4,
  sourceLan: ipv4,
  sourceWan: ipv4,
  flags: u8,
  identifier: u16,
  extra: raw,
})

/**
 * The form that the discovery overlay has in old versions: `wanted` is `Y` and the mid of the peer to be introduced to.
 */
export const oldDiscoveryRequest = signed(246, 'introduction-request of old discovery', {
  globalTime: u64,
  wanted: fixed(21),
  destination: ipv4,
  sourceLan: ipv4,
  sourceWan: ipv4,
  flags: u8,
  identifier: u16,
  extra: raw,
})

/** Answers, with another peer or NO_ADDRESS twice (`flags`: RESPONSE_FLAG). */
export const introductionResponse = signed(245, 'introduction-response', {
  globalTime: u64,
  destination: ipv4,
  sourceLan: ipv4,
  sourceWan: ipv4,
  introducedLan: ipv4,
  introducedWan: ipv4,
  flags: u8,
  identifier: u16,
  extra: raw,
})

/** Asks a peer to open its firewall for the walker. */
export const punctureRequest = unsigned(250, 'puncture-request', walker)
/** Opens the sender's firewall; says nothing else. */
export const puncture = signed(249, 'puncture', {
  globalTime: u64,
  sourceLan: ipv4,
  sourceWan: ipv4,
  identifier: u16,
})

/** introductionRequest for both families; no flags are in use. */
export const newIntroductionRequest = signed(234, 'new introduction-request', {
  globalTime: u64,
  destination: ip,
  sourceLan: ip,
  sourceWan: ip,
  identifier: u16,
  flags: u8,
  extra: raw,
})

/** introductionResponse for both families. */
export const newIntroductionResponse = signed(233, 'new introduction-response', {
  globalTime: u64,
  destination: ip,
  sourceLan: ip,
  sourceWan: ip,
  introducedLan: ip,
  introducedWan: ip,
  identifier: u16,
  /** Bit 7: the introduced peer understands the new style. */
  flags: u8,
  extra: raw,
})

/** punctureRequest for both families. */
export const newPunctureRequest = unsigned(232, 'new puncture-request', newWalker)
/** puncture for both families. */
export const newPuncture = signed(231, 'new puncture', {
  globalTime: u64,
  sourceLan: ip,
  sourceWan: ip,
  identifier: u16,
})
