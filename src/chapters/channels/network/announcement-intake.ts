// Learns of channels and newer heads from what peers say they have: asks about what is newer, within what each peer and
// all together may have us ask, and offers it to the catalogue, which checks it.

import { Allowance } from '../../../base/allowance.ts'
import { type PeerAddress, addressKey } from '../../../base/ids.ts'
import {
  mayTell,
  type Overlay,
  type Peer,
  type PeerIntroductions,
  type SignedSender,
} from '../../overlay/core/index.ts'
import type { ChannelCatalogue, HeadVerdict } from '../ports/channel-catalogue.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import { channelIdFromBytes } from '../wire/ids.ts'
import type { ChannelId } from '../wire/types.ts'
import type { PayloadOf } from '../../overlay/wire/message.ts'
import { have } from '../wire/channel-messages.ts'
import type { ChannelRequestClient } from './request-client.ts'
import type { Holders } from './holders.ts'
import { MAX_REMEMBERED_PEERS, MAX_SEEN } from './limits.ts'
import { questionAbout, readTagged, type TaggedItems } from './questions.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import { LruMap } from '../../../base/lru-map.ts'
import type { ChannelGossip } from './gossip.ts'

/** What a newer head of a channel that is not wanted shows is asked for after this, of so many channels at a time. */
const PREVIEW_MS = 1_500
/** Channels whose newer heads are looked at at a time. */
const MAX_STALE = 1_024
/**
 * Unknown channels, or newer heads of others, that a peer may have us ask about: saved up, one more each so many
 * milliseconds.
 */
const LEARNED_OF_PEER = { burst: 240, refillMs: 500 } as const
/** Channels that all peers together may have us ask about. */
const LEARNED_OF_ALL = { burst: 400, refillMs: 100 } as const
/** A head that a peer named and did not give is asked for again after this. */
const ASK_AGAIN_MS = 4_000
/** A head that the catalogue refused of a peer is not asked of that peer again for this long. */
const REFUSED_MS = 600_000
/** Replies to what a peer has: the same as above. */
const REPLIES_TO_PEER = { burst: 20, refillMs: 1_000 } as const

/** What it works with. */
export interface AnnouncementIntakeDeps {
  readonly overlay: Overlay
  readonly introductions: PeerIntroductions
  readonly clock: Clock
  readonly catalogue: ChannelCatalogue
  readonly requests: ChannelRequestClient
  readonly holders: Holders
  readonly gossip: ChannelGossip
  run(work: Promise<unknown>): void
  /** Whether the channel is own or subscribed. */
  wants(channel: ChannelId): boolean
  /** Whether heads of the channel are taken in. */
  takes(channel: ChannelId): boolean
  /** A peer holds or wants a channel that it did not before: work that waits for that may go on. */
  heard(channel: ChannelId): void
}

/** Peers that are asked for a number of a channel, one after the other. */
const MAX_OTHERS = 4

type Entry = PayloadOf<typeof have>['entries'][number]

/**
 * Learns of channels and newer heads from what peers say they have: asks about what is newer, within what each peer and
 * all together may have us ask, and offers it to the catalogue, which checks it.
 */
export class AnnouncementIntake {
  readonly #deps: AnnouncementIntakeDeps
  readonly #ofPeer = new KeyedRateLimiter(LEARNED_OF_PEER, MAX_REMEMBERED_PEERS)
  readonly #replies = new KeyedRateLimiter(REPLIES_TO_PEER, MAX_REMEMBERED_PEERS)
  readonly #ofAll = new Allowance(LEARNED_OF_ALL.burst, LEARNED_OF_ALL.refillMs)
  /**
   * Until when a number of a channel is not asked for again: no peer gave it, or the catalogue refused it from a peer.
   */
  readonly #inVain = new LruMap<string, number>(MAX_SEEN)
  /** Numbers of channels that are being asked for, and who else has them. */
  readonly #asked = new Map<string, Peer[]>()
  /** Channels that are not wanted here whose previews are asked for soon. */
  readonly #stale = new Map<ChannelId, Timer>()
  #closed = false

  /** It hears from here on. */
  constructor(deps: AnnouncementIntakeDeps) {
    this.#deps = deps
    deps.overlay.onSigned(have, ({ entries }, from) => this.#heard(entries, from))
  }

  /**
   * Asks a peer about a channel, and offers the catalogue what it says. True when the head that it has is here
   * afterwards.
   */
  async askAbout(peer: Peer, channel: ChannelId, known: number, preview = true): Promise<boolean> {
    const { requests, overlay } = this.#deps
    const answer = await requests.ask(peer, questionAbout(overlay, channel, known, preview))
    const items = readTagged(answer.items.values())
    if (items.bad) overlay.countDropped()
    this.#meet(items.addresses, peer)
    return this.#take(peer, channel, items)
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#closed = true
    for (const timer of this.#stale.values()) timer.cancel()
  }

  async #take(peer: Peer, channel: ChannelId, items: TaggedItems): Promise<boolean> {
    const { catalogue, gossip } = this.#deps
    const head = items.heads.find(each => each.channel === channel)
    const verdict: HeadVerdict | null = head === undefined ? null : await catalogue.offerHead(head, peer.member)
    // By giver, as the catalogue's budgets are: one that used up its own does not keep others from giving it.
    if (verdict === 'refused')
      this.#inVain.set(`${channel} ${head?.sequence} ${peer.member}`, this.#deps.clock.now() + REFUSED_MS)
    if (verdict === 'refused' || (verdict === null && (await catalogue.known(channel)) === null)) return false
    if (head !== undefined) gossip.seen.set(channel, Math.max(head.sequence, gossip.seen.get(channel) ?? 0))
    if (items.records.length > 0) await catalogue.offerRecords(channel, items.records, 'preview', peer.member)
    const votes = items.votes.filter(vote => vote.channel === channel)
    if (votes.length > 0) await catalogue.offerVotes(votes, peer.member)
    return verdict !== null
  }

  #heard(entries: readonly Entry[], { peer, address }: SignedSender): void {
    const { overlay, holders } = this.#deps
    if (peer === null || addressKey(peer.address) !== addressKey(address) || holders.isBlamed(peer))
      return overlay.countDropped()
    for (const { channel: bytes, sequence, held, wants } of entries) {
      const channel = channelIdFromBytes(bytes)
      const changed = holders.note(peer, channel, { held, wants })
      this.#deps.run(this.#consider(peer, channel, sequence, wants, changed))
    }
  }

  async #consider(peer: Peer, channel: ChannelId, sequence: number, wants: boolean, changed: boolean): Promise<void> {
    const { clock, gossip } = this.#deps
    const nowMs = clock.now()
    const seen = await this.#seen(channel, peer)
    if (seen === null) return
    if (sequence > seen && this.#deps.takes(channel)) await this.#learn(peer, channel, sequence, seen, nowMs)
    else if (sequence < seen && wants && this.#replies.take(peer.member, nowMs)) await gossip.reply(peer, [channel])
    if (changed) this.#deps.heard(channel)
  }

  /** The newest number known here; null: the peer had us look for too many unknown channels. */
  async #seen(channel: ChannelId, peer: Peer): Promise<number | null> {
    const { catalogue, gossip, clock } = this.#deps
    const seen = gossip.seen.get(channel)
    if (seen !== undefined) return seen
    if (!this.#ofPeer.take(peer.member, clock.now())) return null
    const known = (await catalogue.known(channel))?.head?.sequence ?? 0
    gossip.seen.set(channel, known)
    return known
  }

  async #learn(peer: Peer, channel: ChannelId, sequence: number, seen: number, nowMs: number): Promise<void> {
    const key = `${channel} ${sequence}`
    const others = this.#asked.get(key)
    if (others !== undefined) {
      if (others.length < MAX_OTHERS) others.push(peer)
      return
    }
    if (this.#isInVain(key, nowMs) || this.#isInVain(`${key} ${peer.member}`, nowMs)) return
    if (!this.#ofPeer.take(peer.member, nowMs) || !this.#ofAll.take(nowMs)) return
    const peers = [peer]
    this.#asked.set(key, peers)
    try {
      // Other peers that say they have it come into the list meanwhile.
      for (const next of peers) {
        // An author at work has many heads a minute: what they show is asked for once, a while later.
        if (!(await this.askAbout(next, channel, seen, seen === 0))) continue
        if (seen > 0 && !this.#deps.wants(channel)) this.#previewLater(next, channel)
        return
      }
      this.#inVain.set(key, nowMs + ASK_AGAIN_MS)
    } finally {
      this.#asked.delete(key)
    }
  }

  #isInVain(key: string, nowMs: number): boolean {
    return (this.#inVain.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs
  }

  #previewLater(peer: Peer, channel: ChannelId): void {
    if (this.#closed || this.#stale.has(channel) || this.#stale.size >= MAX_STALE) return
    const ask = (): void => this.#deps.run(this.#askPreview(peer, channel))
    this.#stale.set(channel, this.#deps.clock.after(PREVIEW_MS, ask))
  }

  async #askPreview(peer: Peer, channel: ChannelId): Promise<void> {
    this.#stale.delete(channel)
    await this.askAbout(peer, channel, this.#deps.gossip.seen.get(channel) ?? 0)
  }

  /** Asks those that are said to hold a channel to become peers. */
  #meet(addresses: readonly PeerAddress[], by: Peer): void {
    const { introductions, overlay } = this.#deps
    const known = new Set(overlay.peers().map(peer => addressKey(peer.address)))
    for (const address of addresses) {
      if (!known.has(addressKey(address)) && mayTell(by.address, address)) introductions.ask(address)
    }
  }
}
