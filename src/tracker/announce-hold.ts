// When a tracker may get `started` for a torrent again (decision 0481): not before its min interval is over. That is
// counted from the last announce, or, where `stopped` was sent since and the tracker so has forgotten us, from the last
// `started`. Holds no timers; moments are in the clock's ms.

import type { PeerAddress } from '../base/ids.ts'
import type { AnnounceEvent, AnnounceReply } from '../wire/tracker/tracker-types.ts'

/** Peers that are kept of an answer: as many as trackers give by default. */
const MAX_KEPT_PEERS = 50

/** What one tracker allows of one torrent, over its sessions. */
export class AnnounceHold {
  /** Not before this may it hear `started`; in the past = at once. */
  untilMs = 0
  /** Its min interval as it was named last, ms; 0 = it names none. */
  #minMs = 0
  /** What `untilMs` becomes with a `stopped`. */
  #afterStoppedMs = 0
  /** Peers of the last answer as JSON: thousands of torrents have one each. */
  #peers = ''

  /** A tracker that the run before has asked. */
  recall(untilMs: number, minMs: number, peers: readonly PeerAddress[]): void {
    this.untilMs = untilMs
    this.#minMs = minMs
    this.#afterStoppedMs = untilMs
    this.#keepPeers(peers)
  }

  /** Goes on where `other` was: the tracker was taken away and is added again. */
  continue(other: AnnounceHold): void {
    this.untilMs = other.untilMs
    this.#minMs = other.#minMs
    this.#afterStoppedMs = other.#afterStoppedMs
    this.#peers = other.#peers
  }

  /** An announce leaves, and may arrive without an answer. */
  sent(event: AnnounceEvent, nowMs: number): void {
    if (this.#minMs === 0 || event === 'stopped') return
    this.untilMs = nowMs + this.#minMs
    if (event === 'started') this.#afterStoppedMs = this.untilMs
  }

  /** It answered. `wanted`: its peers are of use. */
  heard(event: AnnounceEvent, reply: AnnounceReply, wanted: boolean, nowMs: number, maxSec: number): void {
    if (event === 'stopped') {
      this.untilMs = this.#afterStoppedMs
      return
    }
    this.#minMs = Math.min(maxSec, reply.minIntervalSec ?? 0) * 1_000
    this.untilMs = nowMs + this.#minMs
    if (event === 'started') this.#afterStoppedMs = this.untilMs
    this.#keepPeers(wanted ? reply.peers : [])
  }

  /** Its min interval, ms; 0 = it names none, and nothing need be kept over a restart. */
  get minMs(): number {
    return this.#minMs
  }

  /** When it may hear `started` after a `stopped`. */
  get afterStoppedMs(): number {
    return this.#afterStoppedMs
  }

  /** Peers of the last answer where they were wanted. */
  get peers(): readonly PeerAddress[] {
    return this.#peers === '' ? [] : (JSON.parse(this.#peers) as PeerAddress[])
  }

  #keepPeers(peers: readonly PeerAddress[]): void {
    const kept = peers.slice(0, MAX_KEPT_PEERS).map(({ ip, port }) => ({ ip, port }))
    this.#peers = kept.length === 0 ? '' : JSON.stringify(kept)
  }
}
