// Questions for the size of swarms, put together: trackers by the engine's own way to trackers, and its DHT.

import type { DhtNode } from '../../dht/node.ts'
import type { SwarmScrapes } from '../../ports/swarm-scrapes.ts'
import type { TrackerScrapes } from '../../tracker/tracker-scrapes.ts'

/** SwarmScrapes over the engine's parts. */
export function swarmScrapes(
  trackers: Pick<TrackerScrapes, 'ask'>,
  dht: Pick<DhtNode, 'scrape' | 'stats'> | null,
): SwarmScrapes {
  return {
    tracker: (url, infoHashes, signal) => trackers.ask(url, infoHashes, signal),
    hasDht: () => dht !== null,
    async dht(infoHash) {
      // Without nodes every torrent would seem to have no peers.
      if (dht === null || dht.stats().good === 0) return null
      const { seeds, peers } = await dht.scrape(infoHash)
      return { seeders: seeds, leechers: peers }
    },
  }
}
