// The web seeds of one torrent, as the torrent has them: their code is loaded when one is needed for the first time,
// which for most torrents is never. The torrent's state stands behind WebSeedHost here; what web seeds do is
// web-seeds.ts.

import type { Slot } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpRanges } from '../../ports/http-ranges.ts'
import { MAX_WEB_SEEDS } from '../../wire/metainfo/web-seed-urls.ts'
import type { BlockBudget } from '../pieces/block-budget.ts'
import type { HostGate } from './host-gate.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { RateLimiter } from '../../base/rate-limiter.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentBlocks } from '../pieces/torrent-blocks.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../../base/turn-end.ts'
import type { PeerSnapshot, WebSeedRow } from '../types.ts'
import type { WebSeedContent, WebSeedHost } from './web-seed-host.ts'
import { idleWebSeed, webSeedPeer } from './web-seed-row.ts'
import type { WebSeeds } from './web-seeds.ts'

/** Parts that web seeds work with. */
export interface WebSeedParts {
  readonly blocks: TorrentBlocks
  readonly requests: TorrentRequests
}

/**
 * The web seeds of one torrent, as the torrent has them: their code is loaded when one is needed for the first time,
 * which for most torrents is never. Without HTTP in the session's deps nothing is ever asked.
 */
export class TorrentWebSeeds {
  readonly #core: TorrentCore
  readonly #parts: WebSeedParts
  readonly #named: readonly string[]
  /** They were named by a magnet, not by the torrent's file. */
  readonly #foreign: boolean
  readonly #fillJob: TurnJob = { queued: false, run: () => this.#seeds?.pieceDone() }
  #seeds: WebSeeds | null = null
  #loading = false

  /** `urls`: cleaned. `foreign`: a magnet named them; a private torrent never uses those. */
  constructor(core: TorrentCore, urls: readonly string[], foreign: boolean, parts: WebSeedParts) {
    this.#core = core
    this.#named = urls.slice(0, MAX_WEB_SEEDS)
    this.#foreign = foreign
    this.#parts = parts
  }

  /** Something is under way or will be: the torrent must be ticked. */
  get busy(): boolean {
    return this.#needed !== null && (this.#seeds === null || this.#seeds.busy)
  }

  /** One row a url. */
  rows(): WebSeedRow[] {
    return this.#seeds?.rows() ?? this.#urls.map(idleWebSeed)
  }

  /** Those that are at work, as peers are shown. */
  peers(): PeerSnapshot[] {
    const rows = this.#seeds?.rows() ?? []
    return rows.filter(row => row.requests > 0 || row.downRate > 0).map(webSeedPeer)
  }

  /** Something is needed, maybe: seeds begin what they can. */
  fill(): void {
    const http = this.#needed
    if (http === null) return
    if (this.#seeds === null) return this.#load(http)
    this.#seeds.start()
    this.#seeds.fill()
  }

  /** A piece is done: there is room for others to be begun, at the end of this turn. */
  pieceDone(): void {
    if (this.#seeds !== null) this.#core.engine.turnEnd.later(this.#fillJob)
  }

  /** The torrent does not work any more: everything ends at once. */
  stop(): void {
    this.#seeds?.stop()
  }

  /** Once a second. */
  tick(nowMs: number): void {
    this.#seeds?.tick(nowMs)
    this.fill()
  }

  /** A reader waits at a new place, for `pieces`. */
  makeWay(pieces: ReadonlySet<number>): void {
    this.#seeds?.makeWay(pieces)
  }

  /** Turns off the seeds among the senders of bad data; the others, which are addresses. */
  blame(ips: readonly string[]): readonly string[] {
    return this.#seeds?.blame(ips) ?? ips
  }

  /** Nobody outside learns of a private torrent (BEP 27): who named a web seed in a magnet is not its tracker. */
  get #urls(): readonly string[] {
    return this.#foreign && this.#core.content?.metainfo.private === true ? [] : this.#named
  }

  /** What to ask with, when there is somebody to ask for something. */
  get #needed(): HttpRanges | null {
    return this.#urls.length > 0 && this.#core.needsPieces ? (this.#core.engine.deps.webSeeds ?? null) : null
  }

  #load(http: HttpRanges): void {
    if (this.#loading) return
    this.#loading = true
    import('./web-seeds.ts')
      .then(loaded => {
        this.#seeds = new loaded.WebSeeds(new CoreWebSeedHost(this.#core, http, this.#parts), this.#urls)
        this.fill()
      })
      .catch((error: unknown) => this.#core.engine.defect(error))
      .finally(() => {
        this.#loading = false
      })
  }
}

/** WebSeedHost over the state of a torrent. */
class CoreWebSeedHost implements WebSeedHost {
  readonly clock: Clock
  readonly http: HttpRanges
  readonly gate: HostGate
  readonly budget: BlockBudget
  readonly downLimiter: RateLimiter
  readonly #core: TorrentCore
  readonly #parts: WebSeedParts

  constructor(core: TorrentCore, http: HttpRanges, parts: WebSeedParts) {
    this.clock = core.engine.clock
    this.http = http
    this.gate = core.engine.webSeedGate
    this.budget = core.engine.shared.budget
    this.downLimiter = core.downLimiter
    this.#core = core
    this.#parts = parts
  }

  get content(): WebSeedContent | null {
    return this.#core.content
  }

  get diskTakesMore(): boolean {
    return this.#core.content?.store.volume?.takesMore !== false
  }

  get needsPieces(): boolean {
    return this.#core.needsPieces
  }

  get blockRoom(): number {
    return this.#core.blockRoom
  }

  readersWait(): boolean {
    return this.#core.readers.hungry > 0
  }

  lease(piece: number, block: number): Slot | null {
    return this.#parts.blocks.lease(piece, block)
  }

  received(key: string, request: BlockRequest, slot: Slot): void {
    const { piece, block, length } = request
    this.#parts.blocks.take(key, piece, block, length, slot, this.#core.now())
  }

  count(bytes: number, nowMs: number): void {
    this.#core.down.add(nowMs, bytes)
    this.#core.engine.payload.down += bytes
    this.#core.total.down += bytes
    this.#core.session.down += bytes
  }

  shortage(): void {
    this.#core.engine.shared.holders.relieve()
  }

  refillSoon(): void {
    this.#parts.requests.refillSoon()
  }

  defect(error: unknown): void {
    this.#core.engine.defect(error)
  }
}
