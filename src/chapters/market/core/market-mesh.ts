// The overlay of the market: it sends and passes on statements of orders, makes books equal, and carries messages
// between traders. What is believed is what its trader signed, and what a peer may cost is bounded. After close()
// nothing is sent and no timer is left.

import { errorText } from '../../../base/errors.ts'
import type { Community, OverlayDht, SignatureCheck } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketNetwork } from '../ports/market-network.ts'
import type { Random } from '../../../ports/random.ts'
import type { NegotiationMessage } from '../wire/negotiation.ts'
import { makeStatement } from '../wire/order-codec.ts'
import type { OrderState, OrderStatement, OrderTerms, TraderId } from '../wire/types.ts'
import { tell } from '../wire/market-messages.ts'
import { BookRequestServer, atHome } from '../mesh/book-request-server.ts'
import { BookRequestClient } from '../mesh/book-request-client.ts'
import type { BookDigests } from './book-digests.ts'
import type { Book } from './book.ts'
import { Gossip } from '../mesh/gossip.ts'
import { StatementIntake, type StatementIntakeCounts } from '../mesh/statement-intake.ts'
import { MatchHints } from '../mesh/match-hints.ts'
import { PeerLookup } from '../mesh/peer-lookup.ts'
import { AntiEntropy, type AntiEntropyCounts } from '../mesh/anti-entropy.ts'
import { ReliableMessages } from '../mesh/reliable-messages.ts'

/** Between two times that what is over leaves the book. */
const EXPIRE_MS = 1_000

/** What it works with. */
export interface MarketMeshDeps {
  /** Its identity is the trader's. */
  readonly community: Community
  readonly dht: OverlayDht
  readonly book: Book & BookDigests
  readonly check: SignatureCheck
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Figures, for statistics and tests. */
export interface MarketMeshCounts extends StatementIntakeCounts, AntiEntropyCounts {
  readonly peers: number
  /** Statements sent unasked. */
  readonly told: number
  /** Questions of peers. */
  readonly answered: number
  readonly refused: number
  /** Messages of traders that were not heard. */
  readonly unheard: number
  readonly hints: number
}

type Heard = (from: TraderId, message: NegotiationMessage) => void

/**
 * The overlay of the market: it sends and passes on statements of orders, makes books equal, and carries messages
 * between traders.
 */
export class MarketMesh implements MarketNetwork {
  readonly #deps: MarketMeshDeps
  readonly #incoming: StatementIntake
  readonly #gossip: Gossip
  readonly #requests: BookRequestClient
  readonly #answering: BookRequestServer
  readonly #antiEntropy: AntiEntropy
  readonly #messages: ReliableMessages
  readonly #hints: MatchHints
  readonly #heard = new Set<Heard>()
  readonly #expiring: Timer

  /** It works from here on. */
  constructor(deps: MarketMeshDeps) {
    this.#deps = deps
    const { community, book, clock, random, check } = deps
    const { overlay } = community
    const shared = { ...deps, overlay }
    this.#gossip = new Gossip(shared)
    const incoming = (this.#incoming = new StatementIntake({
      book,
      clock,
      check,
      taken: (statement, from, before) => this.#taken(statement, from, before),
    }))
    this.#requests = new BookRequestClient(shared)
    this.#answering = new BookRequestServer({ ...shared, isBlamed: member => incoming.isBlamed(member) })
    this.#messages = new ReliableMessages({
      ...shared,
      incoming,
      peerLookup: new PeerLookup(shared),
      heard: (from, said) => this.#tellHeard(from, said),
    })
    this.#hints = new MatchHints({
      book,
      clock,
      random,
      trader: this.trader,
      peers: () => this.peers,
      send: (to, hint) => this.#messages.send(to, hint),
    })
    overlay.onSigned(tell, ({ statements }, from) => {
      const peer = atHome(from)
      if (peer === null) return overlay.countDropped()
      for (const bytes of statements) void incoming.take(bytes, peer.member)
    })
    this.#antiEntropy = new AntiEntropy({ ...shared, requests: this.#requests, incoming, gossip: this.#gossip })
    this.#expiring = clock.every(EXPIRE_MS, () => book.expire(clock.wallMs()))
  }

  get trader(): TraderId {
    return this.#deps.community.overlay.identity.member
  }

  get peers(): number {
    return this.#deps.community.overlay.peers().length
  }

  get counts(): MarketMeshCounts {
    return {
      ...this.#incoming.counts,
      ...this.#antiEntropy.counts,
      ...this.#answering.counts,
      peers: this.peers,
      told: this.#gossip.told,
      unheard: this.#messages.refused,
      hints: this.#hints.sent,
    }
  }

  state(terms: OrderTerms, state: OrderState): OrderStatement {
    const { book, community } = this.#deps
    const { identity } = community.overlay
    const statement = makeStatement(terms, state, identity.publicKey, message => identity.sign(message))
    book.put(statement)
    this.spread(statement)
    return statement
  }

  /** Tells a statement of ours that is in the book already. */
  spread(statement: OrderStatement): void {
    this.#gossip.spread(statement, '')
  }

  send(to: TraderId, message: NegotiationMessage): Promise<boolean> {
    return this.#messages.send(to, message)
  }

  onMessage(heard: Heard): () => void {
    this.#heard.add(heard)
    return () => this.#heard.delete(heard)
  }

  /** Ends all of it, and the overlay. */
  close(): void {
    this.#expiring.cancel()
    this.#heard.clear()
    this.#incoming.close()
    this.#hints.close()
    this.#messages.close()
    this.#antiEntropy.close()
    this.#gossip.close()
    this.#requests.close()
    this.#deps.community.close()
  }

  #taken(statement: OrderStatement, from: string, against: OrderStatement | null): void {
    // The proof of a fraud is both statements: a node with neither must not believe one of them.
    if (against !== null) this.#gossip.spread(against, from)
    this.#gossip.spread(statement, from)
    this.#hints.changed(statement)
  }

  #tellHeard(from: TraderId, said: NegotiationMessage): void {
    for (const heard of this.#heard) {
      try {
        heard(from, said)
      } catch (error) {
        this.#deps.log.error('a message of a trader could not be handled', { error: errorText(error) })
      }
    }
  }
}
