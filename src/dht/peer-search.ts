// Finding and announcing for one torrent in one family (BEP 5, 32): look up, hand on the peers, announce to the nearest
// nodes that gave a token, and again after the interval; soon again while the network is not reached. States: waiting
// (timer) -> in turn (search-turns.ts) -> looking up -> announcing -> waiting; closed ends each of them.

import { type InfoHash, infoHashBytes, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { isExemptIp } from './address-group.ts'
import type { FamilyNode } from './family-node.ts'
import type { Cancellable } from './lookup-queue.ts'
import type { Lookup } from './lookup.ts'

/** Pause after a lookup without an answer; doubles up to the longest. */
const FIRST_RETRY_MS = 5000
const LONGEST_RETRY_MS = 5 * 60_000
/** Asked to hurry, two lookups still are this far apart; doubles up to the longest while nothing is found. */
const FIRST_HURRY_MS = 15_000
const LONGEST_HURRY_MS = 60_000
/** The interval varies by up to this share, so that a thousand torrents do not announce at once. */
const JITTER = 0.1

/** How a torrent announces itself; each field is read when it is needed. */
export interface PeerSearchOptions {
  /** Our port for peers; null = only look, never announce. */
  readonly announcePort: number | null
  /** We have everything (BEP 33). */
  readonly seed: boolean
  /** The port the datagrams come from is the one for peers too (uTP on the same socket). */
  readonly impliedPort: boolean
}

/** What all searches of one family work with. */
export interface PeerSearchDeps {
  readonly clock: Clock
  readonly random: Random
  readonly node: FamilyNode
  readonly intervalMs: number
}

/** The torrent that is searched for. */
export interface SearchedTorrent {
  readonly infoHash: InfoHash
  readonly options: PeerSearchOptions
  onPeers(peers: readonly PeerAddress[]): void
}

/** The search of one torrent in one family. */
export class PeerSearch {
  readonly #torrent: SearchedTorrent
  readonly #deps: PeerSearchDeps
  #timer: Timer | null = null
  /** The turn that is waited for, then the look-up. */
  #lookup: Cancellable | null = null
  #lastMs = -Infinity
  /** When the timer ends. */
  #dueMs = Infinity
  #retryMs = FIRST_RETRY_MS
  #hurryMs = FIRST_HURRY_MS
  #closed = false

  constructor(torrent: SearchedTorrent, deps: PeerSearchDeps) {
    this.#torrent = torrent
    this.#deps = deps
  }

  /** Looks up now, or as soon as some time has passed since the last look-up: a quarter of a minute, later a minute. */
  soon(): void {
    if (this.#closed || this.#lookup !== null) return
    const nowMs = this.#deps.clock.now()
    const dueMs = Math.max(nowMs, this.#lastMs + this.#hurryMs)
    if (dueMs < this.#dueMs) this.#wait(dueMs - nowMs)
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#lookup?.cancel()
  }

  #wait(delayMs: number): void {
    this.#dueMs = this.#deps.clock.now() + delayMs
    this.#timer?.cancel()
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#lookup = this.#deps.node.turns.ask(this.#torrent.options.seed, () => this.#start())
    })
  }

  #start(): void {
    this.#dueMs = Infinity
    this.#lastMs = this.#deps.clock.now()
    this.#hurryMs = Math.min(LONGEST_HURRY_MS, this.#hurryMs * 2)
    // A seed has no use for others (BEP 33).
    const noSeed = this.#torrent.options.seed
    const infoHash = infoHashBytes(this.#torrent.infoHash)
    this.#lookup = this.#deps.node.lookups.add({
      target: infoHash,
      query: { method: 'get_peers', infoHash, want: null, noSeed, scrape: false },
      onReply: (reply, candidate) => {
        // A stranger may not send us into a local network.
        const near = isExemptIp(candidate.contact.address.ip)
        const peers = (reply.values ?? []).filter(peer => near || !isExemptIp(peer.ip))
        if (peers.length > 0) this.#torrent.onPeers(peers)
      },
      onDone: lookup => this.#finish(lookup),
    })
  }

  #finish(lookup: Lookup): void {
    this.#lookup = null
    if (this.#closed) return
    const reached = lookup.answeredNodes().length > 0
    if (!reached) {
      this.#wait(this.#retryMs)
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
      return
    }
    this.#retryMs = FIRST_RETRY_MS
    this.#announce(lookup)
    const { intervalMs, random } = this.#deps
    this.#wait(intervalMs - random.below(Math.max(1, Math.floor(intervalMs * JITTER))))
  }

  #announce(lookup: Lookup): void {
    const { announcePort, seed, impliedPort } = this.#torrent.options
    if (announcePort === null) return
    const infoHash = infoHashBytes(this.#torrent.infoHash)
    for (const { token, contact } of lookup.writable()) {
      if (token === null) continue
      this.#deps.node.rpc.ask(
        contact.address,
        { method: 'announce_peer', infoHash, token, port: announcePort, impliedPort, seed },
        { reply: () => undefined, failed: () => undefined },
      )
    }
  }
}
