// Which addresses named by others may be sent to: a peer on the internet cannot send us into our own network, one in a
// local network not to this machine. Impossible ports and families are refused.

import type { PeerAddress } from '../../../base/ids.ts'
import { isLoopbackIp, isPeerIp, parseIp } from '../../../wire/net/compact-address.ts'
import { isLocalIp } from '../../../wire/net/local-address.ts'
import type { OverlayAddress } from '../wire/address.ts'

/** True when a node can be there: IPv4, a port, no multicast or reserved address. */
export function canBeNode(address: OverlayAddress): boolean {
  const bytes = parseIp(address.ip)
  return bytes !== null && bytes.length === 4 && address.port >= 1 && address.port <= 65_535 && isPeerIp(bytes)
}

/** True when `address` may be sent to because `teller` says so. */
export function mayTell(teller: PeerAddress, address: OverlayAddress): boolean {
  if (!canBeNode(address)) return false
  if (isLoopbackIp(address.ip)) return isLoopbackIp(teller.ip)
  return !isLocalIp(address.ip) || isLocalIp(teller.ip)
}
