// What all torrents of a session share: ports, limits, counters of connections, rate limiters, bans, memory budget.
// A bag with small dealers and no behaviour of its own: session.ts makes it, torrents and peers use it.

import { errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import { makePeerId } from '../../wire/peer/peer-id.ts'
import { AddressCounts } from '../peers/address-counts.ts'
import { BanList } from '../peers/ban-list.ts'
import { BlockBudget } from '../pieces/block-budget.ts'
import type { EngineShare } from './engine-share.ts'
import { HostGate } from '../web-seeds/host-gate.ts'
import { NO_ENCRYPTION } from '../peers/connection-policy.ts'
import { IpFilter } from '../peers/ip-filter.ts'
import { LatelyDead } from '../peers/lately-dead.ts'
import type { LinkDeps } from '../peers/peer-link.ts'
import { PeerPlaces } from '../peers/peer-places.ts'
import { Permits } from './permits.ts'
import { RateLimiter } from '../../base/rate-limiter.ts'
import type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
import { SlotHolders } from '../pieces/slot-holders.ts'
import { StreamEncryption } from '../peers/stream-encryption.ts'
import { NO_QUEUE, TorrentQueue } from './torrent-queue.ts'
import { TurnEnd } from '../../base/turn-end.ts'
import { UploadSlots } from '../peers/upload-slots.ts'
import { WakeLine } from './wake-line.ts'

/** Outgoing connections under way at a time: more make home routers drop others. */
const MAX_HALF_OPEN = 50
/** Part of all places that one address, and one network, may have. */
const ADDRESS_SHARE = 4
const CHECK_DEPTH = 4
/**
 * Part of the block arena that uploads use when they have no other; of another, shared with stream readers, one half.
 */
const UPLOAD_SHARE = 4

/** Something the session's tick calls while it is active. */
export interface Ticker {
  /** Answers whether it wants to be called again. */
  tick(nowMs: number): boolean
}

/** The shared part of a session. */
export class Engine {
  readonly options: SessionOptions
  readonly deps: SessionDeps
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly peerId: Uint8Array
  readonly turnEnd: TurnEnd
  readonly budget: BlockBudget
  readonly holders: SlotHolders
  readonly uploadSlots: UploadSlots
  readonly bans = new BanList()
  /** Whom suspended downloads are not woken for. */
  readonly dead: LatelyDead
  /** Suspended ones for whom somebody named peers. */
  readonly wakeLine = new WakeLine()
  /** Connections, also those being made, of all torrents. */
  readonly addresses = new AddressCounts()
  /** Connected peers of all torrents. */
  readonly places = new PeerPlaces()
  /** The owner's lists. A new one is a new filter. */
  ipFilter = IpFilter.none
  /** Requests to web servers, of all torrents. */
  readonly webSeedGate = new HostGate()
  readonly downLimiter: RateLimiter
  readonly upLimiter: RateLimiter
  readonly queue: TorrentQueue
  readonly checks: Permits
  /** Memory, queue and rates belong to another session. */
  readonly borrows: boolean
  readonly checkDepth: number
  readonly maxHalfOpen: number
  readonly link: LinkDeps
  readonly encryption: StreamEncryption
  readonly #active = new Set<Ticker>()
  readonly #activated: () => void
  limits: SessionLimits
  /** Outgoing connections before their handshake, and connected peers, of all torrents. */
  halfOpen = 0
  connected = 0
  /** Port told to peers; 0 until the session listens. */
  listenPort = 0
  /** Grows with every change that shows in rows of all torrents. */
  changes = 0
  stopping = false
  /** Of all torrents since the start; those that are removed stay in. */
  readonly totals = { downBytes: 0, upBytes: 0, piecesVerified: 0, piecesFailed: 0 }

  /** `activated` is called when a ticker joins. */
  constructor(options: SessionOptions, deps: SessionDeps, activated: () => void) {
    this.options = options
    this.deps = deps
    this.limits = options
    this.clock = deps.clock
    this.random = deps.random
    this.dead = new LatelyDead(deps.random)
    this.log = deps.log.part('engine')
    this.peerId = makePeerId(deps.random, options.version)
    this.turnEnd = new TurnEnd(error => this.defect(error))
    const { share } = deps
    const shared = share ?? this.#ownShare(options, deps)
    this.budget = shared.budget
    this.holders = shared.holders
    this.uploadSlots = shared.uploadSlots
    this.downLimiter = shared.downLimiter
    this.upLimiter = shared.upLimiter
    this.queue = shared.queue
    this.checks = shared.checks
    this.borrows = share !== undefined
    this.checkDepth = options.checkDepth ?? CHECK_DEPTH
    this.maxHalfOpen = options.maxHalfOpen ?? MAX_HALF_OPEN
    this.link = {
      turnEnd: this.turnEnd,
      now: () => deps.clock.now(),
      defect: error => this.defect(error),
    }
    this.encryption = new StreamEncryption(options.encryption ?? NO_ENCRYPTION, {
      clock: deps.clock,
      random: deps.random,
      defect: error => this.defect(error),
    })
    this.#activated = activated
  }

  #ownShare(options: SessionOptions, deps: SessionDeps): EngineShare {
    const { blockArena, rangeArena, clock } = deps
    const ownArena = rangeArena !== undefined && rangeArena !== blockArena
    const share = Math.max(1, Math.floor(blockArena.slotCount / UPLOAD_SHARE))
    const upload = rangeArena ?? blockArena
    const uploadSlots = ownArena ? Math.ceil(upload.slotCount / 2) : share
    const budget = new BlockBudget(blockArena, ownArena ? 0 : share, this.turnEnd)
    const queue = options.queue ?? NO_QUEUE
    return {
      budget,
      holders: new SlotHolders(budget),
      uploadSlots: new UploadSlots(upload, uploadSlots, this.turnEnd, clock),
      downLimiter: new RateLimiter(options.maxDownloadRate),
      upLimiter: new RateLimiter(options.maxUploadRate),
      queue: new TorrentQueue(queue, clock, this.turnEnd),
      checks: new Permits(queue.checks),
    }
  }

  /** Room for one more connection of any kind. */
  get hasRoom(): boolean {
    return this.connected + this.halfOpen < this.limits.maxConnections
  }

  /** True for an address nobody is to be connected to at: banned, or in the owner's lists. */
  refuses(ip: string, nowMs: number): boolean {
    if (this.bans.isBanned(ip, nowMs)) return true
    return this.ipFilter.blocks(ip) && this.deps.swarm?.standsForCircuit?.(ip) !== true
  }

  /**
   * True when `ip` or its network has as many connections as it may have, `here` of them with the torrent that asks. A
   * network has a quarter of the places of the torrent and of all.
   */
  crowds(ip: string, here: AddressCounts): boolean {
    const { maxConnectionsPerIp: most = 0, maxConnections, maxConnectionsPerTorrent } = this.limits
    if (most <= 0) return false
    const all = Math.max(most, maxConnections / ADDRESS_SHARE)
    const torrents = Math.max(most, maxConnectionsPerTorrent / ADDRESS_SHARE)
    if (here.of(ip) >= most || this.addresses.of(ip) >= all) return true
    return here.ofNetwork(ip) >= torrents || this.addresses.ofNetwork(ip) >= all
  }

  /** Room for somebody at `ip`, or somebody who would go for it. */
  admits(ip: string): boolean {
    return this.hasRoom || this.places.canMake(ip, this.clock.now())
  }

  /** Lets `ticker` be called at every tick until it declines. */
  activate(ticker: Ticker): void {
    this.#active.add(ticker)
    this.#activated()
  }

  deactivate(ticker: Ticker): void {
    this.#active.delete(ticker)
  }

  /** Calls all active tickers; answers whether any is left. */
  tick(nowMs: number): boolean {
    // Each tick another one begins: the first to be called has the first go at a rate limit.
    const [first] = this.#active
    if (first !== undefined && this.#active.delete(first)) this.#active.add(first)
    for (const ticker of Array.from(this.#active)) {
      try {
        if (!ticker.tick(nowMs)) this.#active.delete(ticker)
      } catch (error) {
        this.defect(error)
      }
    }
    this.uploadSlots.tick()
    return this.#active.size > 0
  }

  /** Reports a defect of ours that was caught at the edge of a loop turn. */
  defect(error: unknown): void {
    this.log.error('internal error in the engine', {
      error: errorText(error),
      stack: error instanceof Error ? error.stack : undefined,
    })
  }
}
