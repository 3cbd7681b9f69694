// A catalogue with torrents to check, trackers and a DHT whose answers tests write, and time that tests move.

import { type InfoHash, parseInfoHash } from '../../../../../src/base/ids.ts'
import type {
  ListedTorrent,
  SwarmHealth,
  UncheckedTorrent,
} from '../../../../../src/chapters/channels/ports/channel-library.ts'
import type { SwarmCounts, SwarmScrapes } from '../../../../../src/ports/swarm-scrapes.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

/** The info hash of a number. */
export function hashOf(number: number): InfoHash {
  const infoHash = parseInfoHash(number.toString(16).padStart(40, '0'))
  if (infoHash === null) throw new Error('not an info hash')
  return infoHash
}

type Tracker = (infoHashes: readonly InfoHash[]) => Promise<ReadonlyMap<InfoHash, SwarmCounts>>

/** A catalogue with torrents to check, trackers and a DHT whose answers tests write, and time that tests move. */
export class CheckRig {
  readonly clock = new VirtualClock()
  readonly random = new SeededRandom(3)
  readonly log = silentLog
  readonly torrents = new Map<InfoHash, UncheckedTorrent>()
  readonly healths = new Map<InfoHash, SwarmHealth>()
  readonly trackers = new Map<string, Tracker>()
  readonly questions: { url: string; infoHashes: readonly InfoHash[]; atMs: number }[] = []
  readonly dhtAsked: InfoHash[] = []
  /** Null: no DHT. */
  dht: ((infoHash: InfoHash) => SwarmCounts) | null = null
  /** The DHT knows nodes. */
  dhtReaches = true
  readonly anonymous = new Set<InfoHash>()
  isEnabled = true
  running = 0
  peak = 0

  readonly scrapes: SwarmScrapes = {
    hasDht: () => this.dht !== null,
    tracker: async (url, infoHashes) => {
      this.questions.push({ url, infoHashes, atMs: this.clock.now() })
      this.running++
      this.peak = Math.max(this.peak, this.running)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      this.running--
      const tracker = this.trackers.get(url)
      if (tracker === undefined) throw new Error('the connection was refused')
      return tracker(infoHashes)
    },
    dht: async infoHash => {
      this.dhtAsked.push(infoHash)
      return this.dhtReaches ? (this.dht?.(infoHash) ?? null) : null
    },
  }

  readonly library = {
    unchecked: async (limit: number, olderThanS: number): Promise<UncheckedTorrent[]> =>
      [...this.torrents.values()]
        .map(torrent => ({ ...torrent, checkedS: this.healths.get(torrent.infoHash)?.checkedS ?? 0 }))
        .filter(({ checkedS }) => checkedS < olderThanS)
        .sort((a, b) => a.checkedS - b.checkedS)
        .slice(0, limit),
    checked: async (healths: readonly SwarmHealth[]): Promise<void> => {
      for (const health of healths) this.healths.set(health.infoHash, health)
    },
    torrent: async (text: string) => this.listed(text),
  }

  enabled(): boolean {
    return this.isEnabled
  }

  isAnonymous(infoHash: InfoHash): boolean {
    return this.anonymous.has(infoHash)
  }

  /** Puts a torrent into the catalogue. */
  add(number: number, trackers: readonly string[]): InfoHash {
    const infoHash = hashOf(number)
    this.torrents.set(infoHash, { infoHash, trackers, checkedS: 0 })
    return infoHash
  }

  /** A tracker that says the same of every torrent. */
  tells(url: string, seeders: number, leechers: number): void {
    this.trackers.set(url, async infoHashes => new Map(infoHashes.map(each => [each, { seeders, leechers }])))
  }

  /** Seeders and leechers in the catalogue; null: not checked. */
  countsOf(infoHash: InfoHash): [number, number] | null {
    const health = this.healths.get(infoHash)
    return health === undefined ? null : [health.seeders, health.leechers]
  }

  listed(
    text: string,
  ): (ListedTorrent & { readonly trackers: readonly string[]; readonly channels: readonly string[] }) | null {
    const infoHash = parseInfoHash(text)
    const torrent = infoHash === null ? undefined : this.torrents.get(infoHash)
    if (torrent === undefined) return null
    const health = this.healths.get(torrent.infoHash)
    return {
      id: 1,
      infohash: text,
      name: 'name',
      size: 1,
      category: 'video',
      channels: [],
      trackers: torrent.trackers,
      num_seeders: health?.seeders ?? 0,
      num_leechers: health?.leechers ?? 0,
      last_tracker_check: health?.checkedS ?? 0,
    }
  }
}
