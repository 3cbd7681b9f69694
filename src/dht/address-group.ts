// Which addresses count as one owner's: a /24 of IPv4, a /64 of IPv6. A local address with its port is a group of its
// own, so that many nodes can live on one machine. Groups are map keys; nothing is stored here.

import { addressKey, type PeerAddress } from '../base/ids.ts'
import { parseIp } from '../wire/net/compact-address.ts'
import { isExemptAddress } from '../wire/dht/dht-id.ts'

/**
 * True when `ip` (a literal) is exempt from rules that tie nodes to addresses (BEP 42): fewer than isLocalIp of
 * wire/local-address.ts.
 */
export function isExemptIp(ip: string): boolean {
  const bytes = parseIp(ip)
  return bytes !== null && isExemptAddress(bytes)
}

/** The group of an address: its /24 or /64 network; a local address is a group of its own, port included. */
export function addressGroup(address: PeerAddress): string {
  const bytes = parseIp(address.ip)
  if (bytes === null || isExemptAddress(bytes)) return addressKey(address)
  return Buffer.from(bytes.subarray(0, bytes.length === 4 ? 3 : 8)).toString('hex')
}

/** The owner that limits count: an IPv4 address, a /64 of IPv6, or a local address with its port. */
export function ownerKey(address: PeerAddress): string {
  const bytes = parseIp(address.ip)
  if (bytes === null || isExemptAddress(bytes)) return addressKey(address)
  return bytes.length === 4 ? address.ip : Buffer.from(bytes.subarray(0, 8)).toString('hex')
}
