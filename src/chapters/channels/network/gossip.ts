// Announces to peers what we know and hold of channels: all we have to a new peer, changes at once to those they
// concern, and now and then something to a peer by chance, so that what was lost is made good. Bytes are bounded by
// what is gathered before it is sent.

import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { ChannelCatalogue, KnownChannel } from '../ports/channel-catalogue.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { channelIdBytes } from '../wire/ids.ts'
import type { ChannelId } from '../wire/types.ts'
import type { PayloadOf } from '../../overlay/wire/message.ts'
import { have, MAX_HAVE_ENTRIES } from '../wire/channel-messages.ts'
import type { Holders } from './holders.ts'
import { MAX_PEERS, MAX_SEEN } from './limits.ts'
import { LruMap } from '../../../base/lru-map.ts'
import { chunksOf } from '../../../base/bounded-parallel.ts'

/** Between two times that we send a peer, drawn by chance, what we have. */
const GOSSIP_MS = 5_000
/** Channels told to a peer that comes, and of those told by chance. */
const ANNOUNCED_TO_NEW_PEERS = 116
/** What we send to peers that we meet is read from the catalogue at most once in this time. */
const WORTH_MS = 15_000
/** Changes are gathered so long before they are sent. */
const GATHER_MS = 60
/** Changes of one channel are sent at most once in this time. */
const TELL_AGAIN_MS = 800
/** Peers that hear at once of a new head of a channel that is only known here. */
const RUMOUR_PEERS = 4

interface Change {
  readonly dueMs: number
  loud: boolean
}

type Entry = PayloadOf<typeof have>['entries'][number]

/** What it works with. */
export interface ChannelGossipDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
  readonly catalogue: ChannelCatalogue
  readonly holders: Holders
  /** Runs a promise that no caller awaits; what it rejects with is logged. */
  run(work: Promise<unknown>): void
}

/**
 * Announces to peers what we know and hold of channels: all we have to a new peer, changes at once to those they
 * concern, and now and then something to a peer by chance, so that what was lost is made good.
 */
export class ChannelGossip {
  readonly #deps: ChannelGossipDeps
  /** The newest number of each channel that is known here. */
  readonly seen = new LruMap<ChannelId, number>(MAX_SEEN)
  /** When to announce each changed channel, and whether to all. */
  readonly #changed = new Map<ChannelId, Change>()
  readonly #toldMs = new LruMap<ChannelId, number>(MAX_SEEN)
  readonly #gossip: Timer
  #gathering: Timer | null = null
  /** What a new peer gets, kept for a while. */
  #worth: { readonly atMs: number; readonly channels: Promise<KnownChannel[]> } | null = null
  #closed = false

  constructor(deps: ChannelGossipDeps) {
    this.#deps = deps
    this.#gossip = deps.clock.every(GOSSIP_MS, () => this.#tellSomebody())
  }

  /**
   * A channel has a new head or another standing here: told soon, with what else changes meanwhile. `loud`: to all, as
   * wanted ones are.
   */
  changed(channel: ChannelId, loud = false): void {
    const before = this.#changed.get(channel)
    if (before !== undefined) before.loud ||= loud
    if (this.#closed || before !== undefined) return
    const nowMs = this.#deps.clock.now()
    const again = (this.#toldMs.get(channel) ?? Number.NEGATIVE_INFINITY) + TELL_AGAIN_MS
    this.#changed.set(channel, { dueMs: Math.max(again, nowMs + GATHER_MS), loud })
    this.#gather(nowMs)
  }

  /** The channel is not known here any more: it is learned again when a peer announces it. */
  forget(channel: ChannelId): void {
    this.seen.delete(channel)
    this.#worth = null
  }

  /** A peer has come. */
  meet(peer: Peer): void {
    this.#deps.run(this.#tellAll(peer))
  }

  /** Tells a peer what we have of these. */
  async reply(peer: Peer, channels: readonly ChannelId[]): Promise<void> {
    const known = await Promise.all(channels.map(channel => this.#deps.catalogue.known(channel)))
    this.#send(
      [peer],
      known.flatMap(at => (at === null ? [] : [this.#entry(at)])),
    )
  }

  close(): void {
    this.#closed = true
    this.#gossip.cancel()
    this.#gathering?.cancel()
  }

  /** Waits until the first of the changes is due. */
  #gather(nowMs: number): void {
    this.#gathering?.cancel()
    this.#gathering = null
    if (this.#changed.size === 0) return
    let dueMs = Number.POSITIVE_INFINITY
    for (const change of this.#changed.values()) dueMs = Math.min(dueMs, change.dueMs)
    this.#gathering = this.#deps.clock.after(Math.max(0, dueMs - nowMs), () => {
      this.#gathering = null
      this.#deps.run(this.#tellChanges())
    })
  }

  async #tellChanges(): Promise<void> {
    const nowMs = this.#deps.clock.now()
    const due = [...this.#changed].filter(([, { dueMs }]) => dueMs <= nowMs)
    for (const [channel] of due) {
      this.#changed.delete(channel)
      this.#toldMs.set(channel, nowMs)
    }
    this.#gather(nowMs)
    const loud: Entry[] = []
    const quiet: Entry[] = []
    for (const [channel, change] of due) {
      const known = await this.#deps.catalogue.known(channel)
      // What we hold or held concerns all; a head that we only heard of spreads from mouth to mouth.
      if (known === null) loud.push(...(change.loud ? [goneEntry(channel)] : []))
      else if (change.loud || known.standing !== 'discovered') loud.push(this.#entry(known))
      else quiet.push(this.#tellWanting(this.#entry(known), channel))
    }
    if (loud.length > 0) this.#worth = null
    this.#send(this.#deps.overlay.peers().slice(0, MAX_PEERS), loud)
    this.#send(this.#some(), quiet)
  }

  /** The entry, told to those that want the channel. */
  #tellWanting(entry: Entry, channel: ChannelId): Entry {
    this.#send(this.#deps.holders.wanting(channel), [entry])
    return entry
  }

  async #tellAll(peer: Peer): Promise<void> {
    const nowMs = this.#deps.clock.now()
    // Ranking all channels is work for the catalogue: once for many peers.
    if (this.#worth === null || nowMs - this.#worth.atMs > WORTH_MS)
      this.#worth = { atMs: nowMs, channels: this.#deps.catalogue.worthAnnouncing(ANNOUNCED_TO_NEW_PEERS) }
    const channels = await this.#worth.channels
    this.#send(
      [peer],
      channels.map(channel => this.#entry(channel)),
    )
  }

  #tellSomebody(): void {
    const peer = this.#deps.overlay.randomPeer()
    if (peer !== null) this.#deps.run(this.#tellAll(peer))
  }

  /** A few peers by chance. */
  #some(): Peer[] {
    const { overlay, random } = this.#deps
    const peers = new Set<Peer>()
    const all = overlay.peers()
    for (let drawn = 0; drawn < Math.min(RUMOUR_PEERS, all.length); drawn++)
      peers.add(all[random.below(all.length)] as Peer)
    return [...peers]
  }

  #entry({ channel, head, heldSequence, standing }: KnownChannel): Entry {
    const sequence = head?.sequence ?? 0
    this.seen.set(channel, Math.max(sequence, this.seen.get(channel) ?? 0))
    return { channel: channelIdBytes(channel), sequence, held: heldSequence, wants: standing !== 'discovered' }
  }

  #send(peers: readonly Peer[], entries: readonly Entry[]): void {
    if (this.#closed || peers.length === 0) return
    for (const some of chunksOf(entries, MAX_HAVE_ENTRIES)) {
      // Signed once: the same packet goes to all.
      const packet = this.#deps.overlay.pack(have, { entries: some })
      for (const peer of peers) this.#deps.overlay.sendBytes(packet, peer.address)
    }
  }
}

function goneEntry(channel: ChannelId): Entry {
  return { channel: channelIdBytes(channel), sequence: 0, held: 0, wants: false }
}
