// Rows of the sources of peers that are no trackers, as the interface shows them beside those: `[DHT]`, `[PeX]`,
// `[LSD]`, each with how many connected peers it named. Pure.

import type { PeerOrigin, TrackerRow } from '../../ports/announcer.ts'
import type { SwarmParts } from '../swarm-parts.ts'

/** The row of the DHT: its announcer tells its status. */
export const DHT_ROW = '[DHT]'

/** The trackers' rows with those of the other sources; `isPrivate` as TorrentHandle.private, null = not known yet. */
export function sourceRows(
  rows: readonly TrackerRow[],
  isPrivate: boolean | null,
  swarm: SwarmParts | undefined,
  connected: (origin: PeerOrigin) => number,
): TrackerRow[] {
  const row = (url: string, works: boolean, origin: PeerOrigin): TrackerRow => ({
    url,
    status: works ? 'Working' : 'Disabled',
    peers: works ? connected(origin) : 0,
    seeders: null,
    leechers: null,
  })
  const open = isPrivate !== true
  const dht = rows.find(one => one.url === DHT_ROW)
  return [
    ...rows.filter(one => one !== dht),
    row(DHT_ROW, open && dht?.status === 'Working', 'dht'),
    row('[PeX]', open && swarm !== undefined && (swarm.exchangesPeers?.() ?? true), 'pex'),
    row('[LSD]', open && swarm?.discoversLocally?.() === true, 'lsd'),
  ]
}
