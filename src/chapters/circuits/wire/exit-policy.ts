// What kind of datagram wants to leave at an exit, or came to one (IPv8, section 9): guessed from its bytes. Pure, and
// without allocation, since it looks at every datagram.

import { hasPrefix } from '../../overlay/wire/packet.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'

/** Kinds of datagrams; one may be of several. */
export const DATAGRAM = { utp: 1, tracker: 2, dht: 4, ipv8: 8 } as const
/** The kinds that are BitTorrent. */
export const BITTORRENT = DATAGRAM.utp | DATAGRAM.tracker | DATAGRAM.dht

/** Actions of UDP trackers are 0 to 3. */
const LAST_ACTION = 3
const D = 0x64
const E = 0x65

/** The kinds (a sum of DATAGRAM) that `datagram` may be; 0 = none. */
export function classifyDatagram(datagram: Uint8Array): number {
  return utpBit(datagram) | trackerBit(datagram) | dhtBit(datagram) | ipv8Bit(datagram)
}

/** Whether an exit with these flags (PEER_FLAG) in the overlay with this prefix lets a datagram pass, out or in. */
export function mayPassExit(datagram: Uint8Array, flags: number, prefix: Uint8Array): boolean {
  const kinds = classifyDatagram(datagram)
  if ((kinds & BITTORRENT) !== 0 && (flags & PEER_FLAG.exitBittorrent) !== 0) return true
  if ((kinds & DATAGRAM.ipv8) === 0) return false
  return (flags & PEER_FLAG.exitIpv8) !== 0 || hasPrefix(datagram, prefix)
}

function utpBit(datagram: Uint8Array): number {
  const first = datagram[0] ?? 0
  const fits = datagram.length >= 20 && first >> 4 <= 4 && (first & 0x0f) === 1 && (datagram[1] ?? 0) <= 3
  return fits ? DATAGRAM.utp : 0
}

function isAction(datagram: Uint8Array, at: number): boolean {
  if (datagram[at] !== 0 || datagram[at + 1] !== 0 || datagram[at + 2] !== 0) return false
  return (datagram[at + 3] ?? 0) <= LAST_ACTION
}

function trackerBit(datagram: Uint8Array): number {
  const length = datagram.length
  return (length >= 8 && isAction(datagram, 0)) || (length >= 12 && isAction(datagram, 8)) ? DATAGRAM.tracker : 0
}

function dhtBit(datagram: Uint8Array): number {
  const length = datagram.length
  return length >= 2 && datagram[0] === D && datagram[length - 1] === E ? DATAGRAM.dht : 0
}

function ipv8Bit(datagram: Uint8Array): number {
  const version = datagram[1]
  return datagram.length >= 23 && datagram[0] === 0 && (version === 1 || version === 2) ? DATAGRAM.ipv8 : 0
}
