// The routing table as plain values, and back (BEP 5 asks that it be kept). Saved values are checked like strangers'.

import { canonicalIp, isPeerIp, parseIp } from '../wire/net/compact-address.ts'
import { idFromKey, idKey } from '../wire/dht/dht-id.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import type { RoutingTable } from './routing-table.ts'
import type { Family, SavedFamily } from './types.ts'

/** Most nodes that are saved, and read again. */
export const MAX_SAVED = 400

/** Id and answering nodes of a table. */
export function exportFamily(table: RoutingTable): SavedFamily {
  const nodes = table.nodes().filter(node => node.failures === 0)
  // The last buckets are our neighbourhood: hardest to find again.
  const kept = nodes.slice(-MAX_SAVED)
  return {
    id: idKey(table.ownId),
    nodes: kept.map(({ id, address }) => ({ id: idKey(id), ip: address.ip, port: address.port })),
  }
}

/** The contacts of a saved table that can be asked. */
export function importContacts(saved: SavedFamily | null, family: Family): NodeContact[] {
  return (saved?.nodes ?? []).slice(0, MAX_SAVED).flatMap(node => {
    const id = idFromKey(node.id)
    const bytes = parseIp(node.ip)
    const ip = canonicalIp(node.ip)
    if (id === null || bytes === null || ip === null || !isPeerIp(bytes)) return []
    const reachable = Number.isInteger(node.port) && node.port >= 1 && node.port <= 65_535
    return reachable && ip.includes(':') === (family === 6) ? [{ id, address: { ip, port: node.port } }] : []
  })
}
