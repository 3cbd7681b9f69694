// Votes go from peer to peer: ours to a few, those of others that were new here to a few more. The catalogue checks
// them and counts one of each key.

import { DecodeError } from '../../../base/errors.ts'
import type { Overlay, Peer, SignedSender } from '../../overlay/core/index.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { ChannelId, ChannelVote } from '../wire/types.ts'
import { decodeVote } from '../wire/vote-codec.ts'
import { tellVotes } from '../wire/channel-messages.ts'
import type { Holders } from './holders.ts'
import { MAX_REMEMBERED_PEERS } from './limits.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'

/** Votes of a peer that are taken, and passed on: saved up, and one more each so many milliseconds. */
const VOTES_OF_PEER = { burst: 60, refillMs: 1_000 } as const
/** Peers that a new vote is passed on to. */
const VOTE_PEERS = 4

/** Votes of a packet. */
const MAX_TOLD = 7

/** What it works with. */
export interface VotesDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
  readonly catalogue: ChannelCatalogue
  readonly holders: Holders
  run(work: Promise<unknown>): void
}

/** Votes go from peer to peer: ours to a few, those of others that were new here to a few more. */
export class Votes {
  readonly #deps: VotesDeps
  readonly #ofPeer = new KeyedRateLimiter(VOTES_OF_PEER, MAX_REMEMBERED_PEERS)

  /** It hears from here on. */
  constructor(deps: VotesDeps) {
    this.#deps = deps
    deps.overlay.onSigned(tellVotes, ({ votes }, from) => this.#told(votes, from))
  }

  /** Tells the newest votes of a channel, ours among them. */
  async tell(channel: ChannelId): Promise<void> {
    const votes = await this.#deps.catalogue.votes(channel, MAX_TOLD)
    this.#send(votes, null)
  }

  #send(votes: readonly ChannelVote[], except: Peer | null): void {
    const { overlay, random } = this.#deps
    if (votes.length === 0) return
    const packet = overlay.pack(tellVotes, { votes: votes.slice(0, MAX_TOLD).map(vote => vote.bytes) })
    const all = overlay.peers().filter(peer => peer !== except)
    const some = new Set<Peer>()
    for (let drawn = 0; drawn < Math.min(VOTE_PEERS * 2, all.length); drawn++)
      some.add(all[random.below(all.length)] as Peer)
    for (const peer of [...some].slice(0, VOTE_PEERS)) overlay.sendBytes(packet, peer.address)
  }

  #told(encodings: readonly Uint8Array[], { peer }: SignedSender): void {
    const { overlay, holders, clock } = this.#deps
    if (peer === null || holders.isBlamed(peer) || encodings.length > MAX_TOLD) return overlay.countDropped()
    if (!this.#ofPeer.take(peer.member, clock.now())) return overlay.countDropped()
    try {
      this.#deps.run(this.#take(encodings.map(decodeVote), peer))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      overlay.countDropped()
    }
  }

  async #take(votes: readonly ChannelVote[], from: Peer): Promise<void> {
    const fresh: ChannelVote[] = []
    for (const vote of votes) if ((await this.#deps.catalogue.offerVotes([vote], from.member)) > 0) fresh.push(vote)
    this.#send(fresh, from)
  }
}
