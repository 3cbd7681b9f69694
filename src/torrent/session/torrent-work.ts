// What begins and ends with the run of a torrent: which parts connect, ask and serve. torrent-run.ts says when.

import type { ReadCache } from './read-cache.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentCore } from './torrent-core.ts'

/** Parts that work while a torrent runs. */
export interface WorkParts
  extends Pick<RoomParts, 'requests' | 'metadata' | 'webSeeds' | 'losses' | 'changed' | 'scrub' | 'swarm' | 'streams'> {
  readonly cache: ReadCache
}

/** The work of one torrent. */
export class TorrentWork {
  readonly #core: TorrentCore
  readonly #parts: WorkParts

  constructor(core: TorrentCore, parts: WorkParts) {
    this.#core = core
    this.#parts = parts
  }

  /** May connect now. */
  goOnline(): void {
    this.#core.activate()
    this.#parts.swarm.peers.connector.connectSome(this.#core.now())
  }

  /** The data is checked: pieces may be asked for and served. `fresh`: peers have not heard yet what is there. */
  begin(fresh: boolean): void {
    const { content } = this.#core
    const { losses, changed, streams, swarm, webSeeds, cache } = this.#parts
    if (content === null) return
    this.#core.activate()
    if (fresh) {
      losses.reset()
      changed.reset()
    }
    streams.renew()
    this.#core.readers.wakeAll()
    swarm.working(content, fresh)
    webSeeds.fill()
    if (fresh) cache.begin()
  }

  /** Other pieces than before are wanted: whoever may have them is asked. */
  needMore(): void {
    this.#parts.requests.refillSoon()
    this.#parts.webSeeds.fill()
    this.#core.activate()
  }

  /** Everything of the network ends now; `cut`: not a byte more is sent. */
  stop(reason: string, cut: boolean): void {
    const { metadata, requests, webSeeds, changed, scrub, swarm } = this.#parts
    metadata.reset()
    requests.stop()
    webSeeds.stop()
    changed.stop()
    scrub.stop()
    swarm.peers.closeAll(reason, cut)
  }
}
