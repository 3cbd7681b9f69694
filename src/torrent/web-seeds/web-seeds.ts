// The web seeds of one torrent (BEP 19): which of them begin runs, how many at a time, and who is blamed for bad
// pieces. They run while the torrent works and something is needed; a single one is web-seed.ts. Invariant: outside of
// start() .. stop() no seed is in the picker and nothing is held.

import { runStepsInTurns } from '../../wire/steps.ts'
import { MAX_WEB_SEEDS, oddUrlPaths } from '../../wire/metainfo/web-seed-urls.ts'
import type { BudgetWaiter } from '../pieces/block-budget.ts'
import type { WebSeedRow } from '../types.ts'
import { WebSeed } from './web-seed.ts'
import type { WebSeedContent, WebSeedHost } from './web-seed-host.ts'
import { idleWebSeed } from './web-seed-row.ts'

/** Runs of one torrent at a time (libtorrent has 3 connections to web seeds). */
const MAX_RUNS = 6
/** Part of all credits that is free when a run can be a long one. */
const ROOMY = 0.75
/** Every id begins with it; no address of a peer does. */
const ID = 'web-seed-'

/** The web seeds of one torrent. */
export class WebSeeds implements BudgetWaiter {
  readonly #host: WebSeedHost
  readonly #urls: readonly string[]
  #seeds: WebSeed[] = []
  /** Of the present run; null = stopped. */
  #started: AbortController | null = null
  /** Why a seed of this url is not asked any more. */
  readonly #off = new Map<string, string>()
  #first = 0

  /** `urls` as torrent files and magnets give them, cleaned. */
  constructor(host: WebSeedHost, urls: readonly string[]) {
    this.#host = host
    this.#urls = urls.slice(0, MAX_WEB_SEEDS)
  }

  /** Something is under way or will be: the torrent must be ticked. */
  get busy(): boolean {
    return this.#started !== null && this.#host.needsPieces && this.#seeds.some(seed => !seed.isOff)
  }

  /** The torrent works: its data is checked and pieces may be asked for. Nothing happens when it was started. */
  start(): void {
    const { content } = this.#host
    if (this.#started !== null || content === null || this.#urls.length === 0) return
    const started = new AbortController()
    this.#started = started
    this.#join(content, started.signal).catch((error: unknown) => this.#host.defect(error))
  }

  /** Everything ends at once; what was held is given back. */
  stop(): void {
    this.#started?.abort()
    this.#started = null
    this.#host.budget.forget(this)
    for (const seed of this.#seeds) seed.close()
    this.#seeds = []
  }

  /** Once a second. */
  tick(nowMs: number): void {
    for (const seed of this.#seeds) seed.tick(nowMs)
    this.fill()
  }

  /** Lets seeds begin runs as long as there is room and work; each time another seed is first. */
  fill(): void {
    const seeds = this.#seeds
    if (this.#started === null || seeds.length === 0 || !this.#host.needsPieces) return
    if (!this.#host.diskTakesMore) return this.#host.budget.wait(this)
    if (this.#host.budget.free === 0) {
      this.#host.shortage()
      return this.#host.budget.wait(this)
    }
    this.#first = (this.#first + 1) % seeds.length
    for (let turn = 0; turn < seeds.length; turn += 1) {
      const seed = seeds[(this.#first + turn) % seeds.length] as WebSeed
      while (this.#running < MAX_RUNS && seed.begin(false)) continue
    }
  }

  /** Pieces are done, so others can be begun; while a run is under way, only when there is room for a long one. */
  pieceDone(): void {
    const { free, limit } = this.#host.budget
    if (this.#running === 0 || free >= ROOMY * limit) this.fill()
  }

  /**
   * A reader waits at a new place, for `pieces`: a seed begins with them at once, and drops what else it was asked for.
   */
  makeWay(pieces: ReadonlySet<number>): void {
    for (const seed of this.#seeds) seed.makeWay(pieces)
    for (const seed of this.#seeds) if (seed.begin(true)) return
  }

  /** Takes the seeds out of `ips`, the senders of bad data, and turns them off; those that are left are addresses. */
  blame(ips: readonly string[]): string[] {
    for (const seed of this.#seeds) {
      if (ips.some(ip => seed.key.startsWith(`${ip}:`))) this.#turnOff(seed, 'sent bad data')
    }
    return ips.filter(ip => !ip.startsWith(ID))
  }

  /** One row a url. */
  rows(): WebSeedRow[] {
    const rows = new Map(this.#seeds.map(seed => [seed.url, seed.row()]))
    return this.#urls.map(url => rows.get(url) ?? this.#restingRow(url))
  }

  // --- BudgetWaiter

  get urgent(): boolean {
    return this.#host.readersWait()
  }

  creditsFree(): void {
    this.fill()
  }

  get #running(): number {
    return this.#seeds.reduce((sum, seed) => sum + seed.requests, 0)
  }

  /** Reads the names of the files (in turns: there may be very many), then all seeds join. */
  async #join(content: WebSeedContent, signal: AbortSignal): Promise<void> {
    const { infoBytes, files } = content.metainfo
    const turn = (): Promise<void> => new Promise(resolve => void this.#host.clock.after(0, resolve))
    const oddPaths = await runStepsInTurns(oddUrlPaths(infoBytes, files), turn)
    if (signal.aborted) return
    this.#seeds = this.#urls
      .map((url, index) => ({ id: `${ID}${index}`, url, oddPaths }))
      .filter(({ url }) => !this.#off.has(url))
      .map(of => new WebSeed(of, this.#host, content, () => this.#runEnded()))
    for (const seed of this.#seeds) seed.open()
    this.fill()
  }

  #runEnded(): void {
    for (const seed of this.#seeds)
      if (seed.isOff && !this.#off.has(seed.url)) this.#off.set(seed.url, seed.row().error)
    this.fill()
  }

  #turnOff(seed: WebSeed, reason: string): void {
    this.#off.set(seed.url, reason)
    seed.turnOff(reason)
  }

  #restingRow(url: string): WebSeedRow {
    const error = this.#off.get(url)
    return error === undefined ? idleWebSeed(url) : { ...idleWebSeed(url), state: 'off', error }
  }
}
