// Ids of nodes in the overlay's DHT (IPv8, section 6). They are not sent: each is computed from a peer's address and
// key, so that a host with many keys cannot choose their places in the table.

import { parseIp } from '../../../wire/net/compact-address.ts'
import { crc32 } from '../../../wire/crc32.ts'

/** Bytes of a node id. Distances are compareDistance of dht-id.ts. */
export const NODE_ID_BYTES = 20
/** What of an address counts, by family; of IPv6 only the network. */
const MASK_4 = [0x03, 0x0f, 0x3f, 0xff]
const MASK_6 = [0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff]
const ADDRESS_PART = 3

/** The id of the node with this mid at this literal address. Throws RangeError when it is none. */
export function overlayNodeId(ip: string, mid: Uint8Array): Uint8Array {
  const address = parseIp(ip)
  if (address === null) throw new RangeError('not a literal address')
  const checksum = crc32(Uint8Array.from(address.length === 4 ? MASK_4 : MASK_6, (mask, i) => mask & (address[i] ?? 0)))
  const id = new Uint8Array(NODE_ID_BYTES)
  id[0] = checksum >>> 24
  id[1] = checksum >>> 16
  id[2] = checksum >>> 8
  id.set(mid.subarray(0, NODE_ID_BYTES - ADDRESS_PART), ADDRESS_PART)
  return id
}
