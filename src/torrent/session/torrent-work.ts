// What begins and ends with the run of a torrent: which parts connect, ask and serve. torrent-run.ts says when.

import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentSwarm } from '../peers/torrent-swarm.ts'
import type { ChangedFiles } from '../pieces/changed-files.ts'
import type { PieceLosses } from '../pieces/piece-losses.ts'
import type { TorrentScrub } from '../pieces/torrent-scrub.ts'
import type { OpenReaders } from '../streams/open-readers.ts'
import type { TorrentStreams } from '../streams/torrent-streams.ts'
import type { TorrentCore } from './torrent-core.ts'
import type { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'

/** Parts that work while a torrent runs. */
export interface WorkParts {
  readonly requests: TorrentRequests
  readonly metadata: TorrentMetadata
  readonly webSeeds: TorrentWebSeeds
  readonly losses: PieceLosses
  readonly changed: ChangedFiles
  readonly scrub: TorrentScrub
  readonly swarm: TorrentSwarm
  readonly readers: OpenReaders
  readonly streams: TorrentStreams
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
    const { losses, changed, streams, readers, swarm, webSeeds } = this.#parts
    if (content === null) return
    this.#core.activate()
    if (fresh) {
      losses.reset()
      changed.reset()
    }
    streams.renew()
    readers.wakeAll()
    swarm.working(content, fresh)
    webSeeds.fill()
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
