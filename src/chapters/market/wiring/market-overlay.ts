// The overlay of the market in a running node. Orders are signed and in our own book from the first moment; when the
// overlays run, which this asks for until they do, the book is made equal with those of peers, and traders can be
// reached. Closed with the market.

import { errorText } from '../../../base/errors.ts'
import type { BookDigests } from '../core/book-digests.ts'
import type { Book } from '../core/book.ts'
import type { Community, Identity, OverlayDht, SignatureCheck } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketNetwork, MarketStanding } from '../ports/market-network.ts'
import type { Random } from '../../../ports/random.ts'
import type { NegotiationMessage } from '../wire/negotiation.ts'
import { makeStatement } from '../wire/order-codec.ts'
import type { OrderState, OrderStatement, OrderTerms, TraderId } from '../wire/types.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../overlay/wire/community-ids.ts'
import type { OverlaysWithDht } from '../../overlay/wiring/overlay-parts.ts'
import { overlaysOff } from '../../overlay/wiring/overlay-switch.ts'
import type { MarketSettings } from './settings-market.ts'

/** First wait after a start that failed, ms; doubling up to the second. */
const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
/** Orders whose time is over leave the book so often, also while there is no overlay. */
const EXPIRE_MS = 1_000

/** What a mesh is made from. */
export interface MeshParts {
  readonly community: Community
  readonly dht: OverlayDht
  readonly check: SignatureCheck
  readonly book: Book & BookDigests
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The overlay while it runs. */
export type RunningMesh = MarketNetwork & { close(): void }

/** What it works with. */
export interface MarketOverlayDeps {
  readonly identity: Identity
  readonly book: Book & BookDigests
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How many peers are looked for, and how many there may be. */
  readonly peers: { readonly target: number; readonly most: number }
  settings(): MarketSettings
  /** The overlays of the node; starts them. Rejects with AppErrors. */
  readonly overlay: { withDht(): Promise<OverlaysWithDht> }
  mesh(parts: MeshParts): RunningMesh
}

type Heard = (from: TraderId, message: NegotiationMessage) => void

/** The overlay of the market in a running node. */
export class MarketOverlay implements MarketNetwork {
  readonly #deps: MarketOverlayDeps
  readonly #heard = new Set<Heard>()
  readonly #expiring: Timer
  #mesh: RunningMesh | null = null
  #timer: Timer | null = null
  #retryMs = RETRY_MS
  /** Of the last start, if it failed. */
  #problem = ''
  #stopped = false

  constructor(deps: MarketOverlayDeps) {
    this.#deps = deps
    const { clock, book } = deps
    this.#expiring = clock.every(EXPIRE_MS, () => book.expire(clock.wallMs()))
  }

  get trader(): TraderId {
    return this.#deps.identity.member
  }

  get peers(): number {
    return this.#mesh?.peers ?? 0
  }

  /** How it stands now. */
  get standing(): MarketStanding {
    const none = { peers: 0, setting: '', problem: '' }
    const setting = this.#forbiddenBy()
    if (setting !== '') return { ...none, state: 'off', setting }
    if (this.#mesh === null)
      return this.#problem === ''
        ? { ...none, state: 'starting' }
        : { ...none, state: 'failed', problem: this.#problem }
    const { peers } = this.#mesh
    return { ...none, state: peers > 0 ? 'connected' : 'alone', peers }
  }

  /** Opens it as soon as it can be; never rejects, and is not to be waited for. */
  async start(): Promise<void> {
    const { log, clock, overlay } = this.#deps
    if (this.#stopped || this.#off()) return
    try {
      const parts = await overlay.withDht()
      if (!this.#isStopped()) this.#open(parts)
    } catch (error) {
      if (this.#isStopped()) return
      const problem = errorText(error)
      // A port stays taken for as long as the other node runs: that is no news each minute.
      if (problem !== this.#problem)
        log.warn('the overlay of the market could not be started; it will be tried again', { error: problem })
      this.#problem = problem
      this.#timer = clock.after(this.#retryMs, () => void this.start())
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
    }
  }

  state(terms: OrderTerms, state: OrderState): OrderStatement {
    if (this.#mesh !== null) return this.#mesh.state(terms, state)
    const { book, identity } = this.#deps
    const statement = makeStatement(terms, state, identity.publicKey, message => identity.sign(message))
    book.put(statement)
    return statement
  }

  async send(to: TraderId, message: NegotiationMessage): Promise<boolean> {
    return (await this.#mesh?.send(to, message)) ?? false
  }

  onMessage(heard: Heard): () => void {
    this.#heard.add(heard)
    return () => this.#heard.delete(heard)
  }

  /** Ends it; the overlays are not its to stop. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#expiring.cancel()
    this.#heard.clear()
    this.#mesh?.close()
    this.#mesh = null
    return Promise.resolve()
  }

  #open({ communities, dht, check }: OverlaysWithDht): void {
    const { book, clock, random, log, peers, mesh } = this.#deps
    const communityId = communityIdBytes(COMMUNITY_IDS.market) ?? new Uint8Array(20)
    const limits = { targetPeers: peers.target, maxPeers: peers.most }
    const community = communities.open({ communityId, name: 'MarketCommunity', ...limits })
    this.#mesh = mesh({ community, dht, check, book, clock, random, log })
    this.#mesh.onMessage((from, message) => {
      for (const heard of [...this.#heard]) heard(from, message)
    })
    log.info('the overlay of the market is open')
  }

  #off(): boolean {
    return this.#forbiddenBy() !== ''
  }

  /** The setting; empty: none. */
  #forbiddenBy(): string {
    const settings = this.#deps.settings()
    const overlays = overlaysOff(settings)
    return overlays !== '' || settings.market_community.enabled ? overlays : 'market_community.enabled'
  }

  /** After a promise: the field may have changed, which the compiler does not see. */
  #isStopped(): boolean {
    return this.#stopped
  }
}
