// Records that no head has yet: writers push theirs to connected peers that want the channel, which pass on what was
// new to them, so that others see a comment within seconds; peers that come later ask for them. The catalogue judges
// each by the channel's mode and grants.

import type { Peer, SignedSender } from '../../overlay/core/index.ts'
import type { CatalogueHappening } from '../ports/channel-catalogue.ts'
import { channelIdBytes, channelIdFromBytes, recordIdBytes, recordIdFromBytes } from '../wire/ids.ts'
import type { ChannelId, RecordId } from '../wire/types.ts'
import { MAX_ASKED_IDS, tellExtras } from '../wire/channel-messages.ts'
import { type FetchDeps, fetchRecords } from './fetch.ts'
import { MAX_REMEMBERED_PEERS, TOLD_EXTRAS } from './limits.ts'
import { questionForExtras } from './questions.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import { chunksOf } from '../../../base/bounded-parallel.ts'

/** Peers that hear at once of records that no head has yet. */
const EXTRA_PEERS = 32
/** Told ids of records of a peer that are asked for: the same. */
const EXTRAS_OF_PEER = { burst: 200, refillMs: 500 } as const

/** What it works with. */
export interface ExtrasDeps extends FetchDeps {
  run(work: Promise<unknown>): void
}

/** Channels whose news wait for a peer that wants them. */
const MAX_PENDING = 256
/** Records that are being fetched, and peers that may be asked for one. */
const MAX_FETCHING = 4_096
const MAX_TELLERS = 4
const ID_BYTES = 32

/**
 * Records that no head has yet: writers push theirs to connected peers that want the channel, which pass on what was
 * new to them, so that others see a comment within seconds; peers that come later ask for them.
 */
export class Extras {
  readonly #deps: ExtrasDeps
  readonly #ofPeer = new KeyedRateLimiter(EXTRAS_OF_PEER, MAX_REMEMBERED_PEERS)
  /** Channels that we wrote to while no peer that wants them was there. */
  readonly #pending = new Set<ChannelId>()

  /** Records that are being fetched, and the peers that announced them. */
  readonly #tellers = new Map<RecordId, Peer[]>()

  /** It hears from here on. */
  constructor(deps: ExtrasDeps) {
    this.#deps = deps
    deps.overlay.onSigned(tellExtras, ({ channel, ids }, from) =>
      this.#told(channelIdFromBytes(channel), ids.map(recordIdFromBytes), from),
    )
  }

  /** Something of ours was written. */
  happened({ channel }: Extract<CatalogueHappening, { kind: 'extra' }>): void {
    this.#deps.run(this.#tellOwn(channel))
  }

  /** A peer that wants the channel is there. */
  met(channel: ChannelId): void {
    if (this.#pending.delete(channel)) this.#deps.run(this.#tellOwn(channel))
  }

  /** Asks a peer for what no head has yet. */
  async pull(channel: ChannelId, peer: Peer): Promise<void> {
    const { requests, overlay } = this.#deps
    const answer = await requests.ask(peer, questionForExtras(overlay, channel))
    const all = Buffer.concat([...answer.items.values()].filter(item => item.length % ID_BYTES === 0))
    const ids: RecordId[] = []
    for (let at = 0; at < all.length && ids.length < TOLD_EXTRAS; at += ID_BYTES)
      ids.push(recordIdFromBytes(all.subarray(at, at + ID_BYTES)))
    await this.#take(channel, ids, peer)
  }

  async #tellOwn(channel: ChannelId): Promise<void> {
    const ids = await this.#deps.catalogue.extras(channel, MAX_ASKED_IDS)
    if (ids.length === 0 || this.#tell(channel, ids, null) > 0) return
    if (this.#pending.size < MAX_PENDING) this.#pending.add(channel)
  }

  /** Sends it; answers to how many peers. */
  #tell(channel: ChannelId, ids: readonly RecordId[], except: Peer | null): number {
    const { overlay, holders } = this.#deps
    const peers = holders
      .wanting(channel)
      .filter(peer => peer !== except)
      .slice(0, EXTRA_PEERS)
    if (peers.length === 0) return 0
    for (const some of chunksOf(ids, MAX_ASKED_IDS)) {
      const packet = overlay.pack(tellExtras, { channel: channelIdBytes(channel), ids: some.map(recordIdBytes) })
      for (const peer of peers) overlay.sendBytes(packet, peer.address)
    }
    return peers.length
  }

  #told(channel: ChannelId, ids: readonly RecordId[], { peer }: SignedSender): void {
    const { overlay, holders, clock } = this.#deps
    if (peer === null || holders.isBlamed(peer) || !this.#ofPeer.take(peer.member, clock.now()))
      return overlay.countDropped()
    this.#deps.run(this.#take(channel, ids, peer))
  }

  /** Fetches those that are not here, and passes on what was taken in. */
  async #take(channel: ChannelId, ids: readonly RecordId[], from: Peer): Promise<void> {
    const { catalogue } = this.#deps
    const standing = (await catalogue.known(channel))?.standing ?? 'discovered'
    if (standing === 'discovered') return
    const lacking = (await catalogue.lacking(channel, ids)).filter(id => this.#isFirst(id, from))
    if (lacking.length === 0) return
    const givers = (): Peer[] => [...new Set(lacking.flatMap(id => this.#tellers.get(id) ?? []))]
    try {
      const missing = await fetchRecords(lacking, { channel, role: 'extra', givers }, this.#deps)
      if (missing === lacking.length) return
    } finally {
      for (const id of lacking) this.#tellers.delete(id)
    }
    const refused = new Set(await catalogue.lacking(channel, lacking))
    const taken = lacking.filter(id => !refused.has(id))
    if (taken.length > 0) this.#tell(channel, taken, from)
  }

  /** False: it is being fetched, and `from` may be asked for it too. */
  #isFirst(id: RecordId, from: Peer): boolean {
    const tellers = this.#tellers.get(id)
    if (tellers !== undefined) {
      if (tellers.length < MAX_TELLERS) tellers.push(from)
      return false
    }
    if (this.#tellers.size >= MAX_FETCHING) return false
    this.#tellers.set(id, [from])
    return true
  }
}
