// When trackers are asked for more peers before they are due: nobody is known, or nobody is connected and a reader
// waits.

import type { Announcer } from '../../ports/announcer.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** Trackers are asked for more peers this often when none is known. */
const WANT_PEERS_MS = 30_000

/** The shortage of one torrent. */
export class PeerShortage {
  readonly #core: TorrentCore
  readonly #announcer: Announcer
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(core: TorrentCore, announcer: Announcer) {
    this.#core = core
    this.#announcer = announcer
  }

  /** More peers are of use. Asked once a second: trackers hear of it at most twice a minute, unless a reader waits. */
  tick(nowMs: number): void {
    const { known, peers, readers } = this.#core
    if (known.size > 0 && peers.size > 0) return
    const urgent = peers.size === 0 && readers.hungry > 0
    if (!urgent && (known.size > 0 || nowMs - this.#askedMs < WANT_PEERS_MS)) return
    this.#askedMs = nowMs
    this.#announcer.announceSoon(urgent)
  }
}
