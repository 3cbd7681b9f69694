// Three libtorrents that seed one torrent, each with a limit of its own that is drawn anew again and again between a
// half and one and a half of its part: the swarm that films are really played from.

import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { LibtorrentPeer } from '../../../kit/peers/libtorrent-peer.ts'

const SEEDERS = 3

/** What they seed, and how fast. */
export interface SwingingSwarm {
  readonly hosts: { next(): string }
  /** Path of the torrent, and the folder of its content. */
  readonly torrent: string
  readonly dir: string
  /** Bytes/s of all together, on average. */
  readonly rate: number
  /** So often limits are drawn, ms. */
  readonly swingMs: number
  /** From swing() on each sends half of its part until limits were to be drawn so often. */
  readonly slowTurns: number
  readonly seed: number
}

/** They are ended by stop(). */
export class SwingingSeeders {
  readonly #peers: readonly LibtorrentPeer[]
  readonly #what: SwingingSwarm
  readonly #random: SeededRandom
  #swings: NodeJS.Timeout | undefined
  #turns = 0

  private constructor(peers: readonly LibtorrentPeer[], what: SwingingSwarm) {
    this.#peers = peers
    this.#what = what
    this.#random = new SeededRandom(what.seed)
  }

  static async start(what: SwingingSwarm): Promise<SwingingSeeders> {
    const peers = await Promise.all(Array.from({ length: SEEDERS }, () => LibtorrentPeer.start(what.hosts.next())))
    const seeders = new SwingingSeeders(peers, what)
    for (const peer of peers) {
      const { torrent, dir } = what
      await peer.complete(await peer.add({ torrent, dir, seed_mode: true, upload_limit: seeders.#drawn() }))
    }
    return seeders
  }

  /** From now on limits are drawn. */
  swing(): void {
    this.#swings = setInterval(() => {
      this.#turns += 1
      for (const peer of this.#peers) peer.call('limit', { id: 0, upload: this.#drawn() }).catch(() => undefined)
    }, this.#what.swingMs)
  }

  /** As magnets name them. */
  get addresses(): string[] {
    return this.#peers.map(({ ip, port }) => `${ip}:${port}`)
  }

  /** The first of them leaves without a word. */
  async leave(): Promise<void> {
    await this.#peers[0]?.stop()
  }

  async stop(): Promise<void> {
    clearInterval(this.#swings)
    await Promise.all(this.#peers.map(peer => peer.stop()))
  }

  /** Bytes/s of one of them. */
  #drawn(): number {
    const { rate, slowTurns } = this.#what
    const share = this.#turns < slowTurns ? 0 : this.#random.below(1_000_000) / 1_000_000
    return Math.round((rate / SEEDERS) * (0.5 + share))
  }
}
