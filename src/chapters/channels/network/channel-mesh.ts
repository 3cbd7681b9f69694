// The overlay of channels: it learns what peers have, announces what we have, keeps wanted channels up to date and
// answers questions. It holds no content: all of that is the catalogue's, which checks what comes. After close()
// nothing is sent and no timer is left.

import { errorText } from '../../../base/errors.ts'
import type { Community, Peer } from '../../overlay/core/index.ts'
import type { CatalogueHappening, ChannelCatalogue, ChannelStanding } from '../ports/channel-catalogue.ts'
import type { ChannelNetwork } from '../ports/channel-network.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { ChannelId } from '../wire/types.ts'
import { ChannelRequestServer } from './request-server.ts'
import { ChannelRequestClient } from './request-client.ts'
import { Extras } from './extras.ts'
import { Holders } from './holders.ts'
import { AnnouncementIntake } from './announcement-intake.ts'
import { MAX_HELD_OF_PEER } from './limits.ts'
import { LruMap } from '../../../base/lru-map.ts'
import { searchPeers, somePeers, withinMs } from './searching.ts'
import { Syncs } from './syncs.ts'
import { ChannelGossip } from './gossip.ts'
import { Votes } from './votes.ts'

/** Channels that are wanted are looked after this often. */
const CARE_MS = 15_000
/** Peers that are asked for holders of a wanted channel. */
const SOUGHT_PEERS = 4
/** Peers that are asked for a channel that nobody here knows. */
const FIND_PEERS = 16
/** Peers are asked again for an unknown channel after this, while somebody waits. */
const FIND_AGAIN_MS = 1_000
/** A channel's peers are asked for what no head has yet at most once in this time, so many of them. */
const PULL_MS = 60_000
/** Peers of a channel that are asked for what no head has yet. */
const PULLED_PEERS = 3

/** What it works with. */
export interface ChannelMeshDeps {
  readonly community: Community
  readonly catalogue: ChannelCatalogue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Whether channels of others are taken in that this node did not ask for; absent: they are. */
  discovers?(): boolean
  /** Whether searches of peers are answered; absent: they are. */
  answersSearches?(): boolean
}

/** Figures, for statistics and tests. */
export interface ChannelMeshCounts {
  readonly peers: number
  /** Questions of peers that were refused. */
  readonly refused: number
  /** How often a peer gave what was not true. */
  readonly blames: number
}

/**
 * The overlay of channels: it learns what peers have, announces what we have, keeps wanted channels up to date and
 * answers questions.
 */
export class ChannelMesh implements ChannelNetwork {
  readonly #deps: ChannelMeshDeps
  readonly #holders: Holders
  readonly #requests: ChannelRequestClient
  readonly #answering: ChannelRequestServer
  readonly #gossip: ChannelGossip
  readonly #intake: AnnouncementIntake
  readonly #syncs: Syncs
  readonly #extras: Extras
  readonly #votes: Votes
  /** Own and subscribed channels. */
  readonly #wanted = new Map<ChannelId, ChannelStanding>()
  /** When channels were asked for what no head has yet. */
  readonly #pulledMs = new LruMap<ChannelId, number>(MAX_HELD_OF_PEER)
  readonly #care: Timer
  readonly #endWatches: readonly (() => void)[]
  #closed = false

  /** It works from here on. */
  constructor(deps: ChannelMeshDeps) {
    this.#deps = deps
    const { community, catalogue, clock, random, log } = deps
    const { overlay, introductions } = community
    const run = (work: Promise<unknown>): void => this.#run(work)
    const holders = (this.#holders = new Holders({ overlay, clock }))
    const requests = (this.#requests = new ChannelRequestClient({ overlay, clock, random }))
    const shared = { overlay, introductions, catalogue, clock, random, log, holders, requests, run }
    this.#answering = new ChannelRequestServer({ ...shared, answersSearches: () => deps.answersSearches?.() ?? true })
    const gossip = (this.#gossip = new ChannelGossip(shared))
    this.#intake = new AnnouncementIntake({
      ...shared,
      gossip,
      wants: channel => this.#wanted.has(channel),
      takes: channel => this.#wanted.has(channel) || (deps.discovers?.() ?? true),
      heard: channel => this.#heard(channel),
    })
    this.#extras = new Extras(shared)
    this.#votes = new Votes(shared)
    this.#syncs = new Syncs({
      ...shared,
      gossip,
      seek: (channel, known) => this.#seek(channel, known, SOUGHT_PEERS),
      done: channel => this.#pullExtras(channel),
    })
    this.#care = clock.every(CARE_MS, () => run(this.#lookAfter()))
    this.#endWatches = [catalogue.watch(event => this.#happened(event)), overlay.onPeer(peer => gossip.meet(peer))]
    for (const peer of overlay.peers()) gossip.meet(peer)
    run(this.#lookAfter())
  }

  get counts(): ChannelMeshCounts {
    return {
      peers: this.#deps.community.overlay.peers().length,
      refused: this.#answering.refused,
      blames: this.#holders.blames,
    }
  }

  async find(channel: ChannelId, limitMs: number): Promise<boolean> {
    const isKnown = async (): Promise<boolean> =>
      (await this.#deps.catalogue.known(channel).catch(() => null))?.head != null
    const { clock } = this.#deps
    const endMs = clock.now() + limitMs
    // Peers may come while it waits.
    while (!(await isKnown())) {
      const leftMs = endMs - clock.now()
      if (leftMs <= 0 || this.#closed) return false
      await withinMs(
        clock,
        leftMs,
        this.#seek(channel, 0, FIND_PEERS).catch(() => undefined),
      )
      if (!(await isKnown()))
        await withinMs(clock, Math.min(FIND_AGAIN_MS, endMs - clock.now()), new Promise(() => undefined))
    }
    return true
  }

  search(text: string, limitMs: number, found: (records: readonly Uint8Array[]) => void): Promise<void> {
    return searchPeers(text, limitMs, found, this.#shared())
  }

  hurry(channel: ChannelId): void {
    this.#run(
      (async () => {
        const known = await this.#deps.catalogue.known(channel)
        await this.#seek(channel, known?.head?.sequence ?? 0, SOUGHT_PEERS)
        this.#syncs.hurry(channel)
      })(),
    )
  }

  /** Ends all of it, and the overlay. */
  close(): void {
    this.#closed = true
    this.#care.cancel()
    for (const end of this.#endWatches) end()
    this.#syncs.close()
    this.#gossip.close()
    this.#intake.close()
    this.#requests.close()
    this.#deps.community.close()
  }

  #shared(): ChannelMeshDeps & { overlay: Community['overlay']; holders: Holders; requests: ChannelRequestClient } {
    return { ...this.#deps, overlay: this.#deps.community.overlay, holders: this.#holders, requests: this.#requests }
  }

  #happened(event: CatalogueHappening): void {
    if (event.kind === 'extra') return this.#extras.happened(event)
    if (event.kind !== 'head' && event.kind !== 'standing') return
    const { channel } = event
    if (event.kind === 'standing') this.#stands(channel, event.standing)
    else this.#gossip.changed(channel)
    if (this.#wanted.get(channel) === 'subscribed') this.#syncs.hurry(channel)
  }

  #stands(channel: ChannelId, standing: ChannelStanding | null): void {
    const before = this.#wanted.has(channel)
    if (standing === null || standing === 'discovered') this.#wanted.delete(channel)
    else this.#wanted.set(channel, standing)
    if (standing === null) this.#gossip.forget(channel)
    if (!before && !this.#wanted.has(channel)) return
    this.#gossip.changed(channel, true)
    this.#run(this.#votes.tell(channel))
  }

  /** Another peer holds or wants a channel. */
  #heard(channel: ChannelId): void {
    if (this.#holders.wanting(channel).length > 0) this.#extras.met(channel)
    if (this.#wanted.has(channel)) this.#syncs.want(channel)
  }

  /** Asks peers by chance, and those that hold the channel, about it, all at once. */
  async #seek(channel: ChannelId, known: number, most: number): Promise<void> {
    const peers = new Set(somePeers(most, this.#shared()))
    for (const peer of this.#holders.holdersOf(channel).slice(0, most)) peers.add(peer)
    await Promise.all([...peers].map(peer => this.#intake.askAbout(peer, channel, known)))
  }

  /** The set is held: some of those that want the channel are asked for what no head has yet, now and then. */
  #pullExtras(channel: ChannelId): void {
    const nowMs = this.#deps.clock.now()
    const peers: Peer[] = this.#holders.wanting(channel)
    if (peers.length === 0 || nowMs - (this.#pulledMs.get(channel) ?? Number.NEGATIVE_INFINITY) < PULL_MS) return
    this.#pulledMs.set(channel, nowMs)
    for (let asked = 0; asked < PULLED_PEERS && peers.length > 0; asked++) {
      const [peer] = peers.splice(this.#deps.random.below(peers.length), 1)
      this.#run(this.#extras.pull(channel, peer as Peer))
    }
  }

  async #lookAfter(): Promise<void> {
    const wanted = await this.#deps.catalogue.wanted()
    this.#wanted.clear()
    for (const { channel, standing } of wanted) {
      this.#wanted.set(channel, standing)
      this.#syncs.want(channel, false)
    }
  }

  #run(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#closed) this.#deps.log.warn('the overlay of channels met an error', { error: errorText(error) })
    })
  }
}
