// Names in hidden services (IPv8, section 8): what the overlays call a torrent, the overlay of its introduction points,
// and how a linked circuit looks to BitTorrent.

import { createHash } from 'node:crypto'
import type { InfoHash } from '../../../base/ids.ts'
import { formatIp, parseIp } from '../../../wire/net/compact-address.ts'
import type { OverlayAddress } from '../../overlay/wire/address.ts'

/** Port that means "not a port but a circuit". */
export const CIRCUIT_PORT = 1024

/** What hidden-service messages and the overlay's DHT call a torrent: 20 bytes (8.1). */
export function lookupInfoHash(infoHash: InfoHash): Uint8Array {
  return createHash('sha1').update(`tribler anonymous download${infoHash}`, 'latin1').digest()
}

/** Community id of the overlay in which introduction points of a torrent meet: its lookup info hash + 1 (8.6). */
export function pexCommunityId(lookup: Uint8Array): Uint8Array {
  const id = Uint8Array.from(lookup)
  for (let at = id.length - 1; at >= 0; at--) {
    id[at] = ((id[at] as number) + 1) & 0xff
    if (id[at] !== 0) break
  }
  return id
}

/** How BitTorrent sees who is at the other end of a linked circuit: the circuit id as IPv4 address (8.5). */
export function addressOfCircuit(circuitId: number): OverlayAddress {
  const bytes = Uint8Array.of(circuitId >>> 24, circuitId >>> 16, circuitId >>> 8, circuitId)
  return { ip: formatIp(bytes), port: CIRCUIT_PORT }
}

/** The circuit id that such an address means, or null when it is none. */
export function circuitOfAddress({ ip, port }: OverlayAddress): number | null {
  const bytes = port === CIRCUIT_PORT ? parseIp(ip) : null
  if (bytes === null || bytes.length !== 4) return null
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}
