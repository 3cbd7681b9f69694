// What all torrents of a session share, by name: ports, connections, who is woken, what is called each tick, and what
// other sessions may share too (memory, rates, the queue). Made by session.ts; each part takes the group it uses.

import { ByteSums } from '../../base/byte-sums.ts'
import { errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import { makePeerId } from '../../wire/peer/peer-id.ts'
import { BlockBudget } from '../pieces/block-budget.ts'
import { Connections } from './connections.ts'
import type { EngineShare } from './engine-share.ts'
import { StreamTurns } from './stream-turns.ts'
import { HostGate } from '../web-seeds/host-gate.ts'
import { NO_ENCRYPTION } from '../peers/connection-policy.ts'
import { LatelyDead } from '../peers/lately-dead.ts'
import { Permits } from './permits.ts'
import { RateLimiter } from '../../base/rate-limiter.ts'
import type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
import { SlotHolders } from '../pieces/slot-holders.ts'
import { StreamEncryption } from '../peers/stream-encryption.ts'
import type { NetworkTrouble } from '../swarm-parts.ts'
import { NO_QUEUE, TorrentQueue } from './torrent-queue.ts'
import { TurnEnd } from '../../base/turn-end.ts'
import { UploadSlots } from '../peers/upload-slots.ts'
import { Tickers } from './tickers.ts'
import { WakeLine } from './wake-line.ts'

/** Outgoing connections under way at a time: more make home routers drop others. */
const MAX_HALF_OPEN = 50
const CHECK_DEPTH = 4
/**
 * Part of the block arena that uploads use when they have no other; of another, shared with stream readers, one half.
 */
const UPLOAD_SHARE = 4

/** Who is woken, and who is not. */
export interface Waking {
  /** Whom suspended downloads are not woken for. */
  readonly dead: LatelyDead
  /** Suspended ones for whom somebody named peers. */
  readonly line: WakeLine<object>
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
  /** Memory, rates and the queue, which other sessions may have too. */
  readonly shared: EngineShare
  readonly connections: Connections
  readonly waking: Waking
  readonly tickers: Tickers
  /** Requests to web servers, of all torrents. */
  readonly webSeedGate = new HostGate()
  /** Memory, queue and rates belong to another session. */
  readonly borrows: boolean
  readonly checkDepth: number
  limits: SessionLimits
  /** Port told to peers; 0 until the session listens. */
  listenPort = 0
  #changes = 0
  /** What was in the way of all connections when it was asked last. */
  #trouble: NetworkTrouble | null = null
  stopping = false
  /** Of all torrents since the start; those that are removed stay in. */
  readonly totals = { piecesVerified: 0, piecesFailed: 0 }
  readonly payload = new ByteSums()

  /** `activated` is called when a ticker joins. */
  constructor(options: SessionOptions, deps: SessionDeps, activated: () => void) {
    this.options = options
    this.deps = deps
    this.limits = options
    this.clock = deps.clock
    this.random = deps.random
    this.waking = { dead: new LatelyDead(deps.random), line: new WakeLine() }
    this.tickers = new Tickers(activated, this)
    this.log = deps.log.part('engine')
    this.peerId = makePeerId(deps.random, options.version)
    this.turnEnd = new TurnEnd(error => this.defect(error))
    const { share } = deps
    this.shared = share ?? this.#ownShare(options, deps)
    this.borrows = share !== undefined
    this.checkDepth = options.checkDepth ?? CHECK_DEPTH
    const link = {
      turnEnd: this.turnEnd,
      now: () => deps.clock.now(),
      defect: (error: unknown) => this.defect(error),
    }
    const encryption = new StreamEncryption(options.encryption ?? NO_ENCRYPTION, {
      clock: deps.clock,
      random: deps.random,
      defect: error => this.defect(error),
    })
    this.connections = new Connections(this, link, encryption, options.maxHalfOpen ?? MAX_HALF_OPEN)
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
      turns: new StreamTurns(),
    }
  }

  /** Grows with every change that shows in rows of all torrents. */
  get changes(): number {
    const trouble = this.deps.swarm?.networkTrouble?.() ?? null
    if (trouble !== this.#trouble) this.#changes += 1
    this.#trouble = trouble
    return this.#changes
  }

  /** What SwarmParts answers has changed. */
  swarmChanged(): void {
    this.#changes += 1
  }

  /** Calls all that are active; answers whether any is left. */
  tick(nowMs: number): boolean {
    const active = this.tickers.tick(nowMs)
    this.shared.uploadSlots.tick()
    return active
  }

  /** Reports a defect of ours that was caught at the edge of a loop turn. */
  defect(error: unknown): void {
    this.log.error('internal error in the engine', {
      error: errorText(error),
      stack: error instanceof Error ? error.stack : undefined,
    })
  }
}
