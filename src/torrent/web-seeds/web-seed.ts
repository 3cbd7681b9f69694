// One web seed (BEP 19) of one torrent: a source of blocks beside the peers. It asks for runs of them file by file,
// waits when the server fails. What to ask for is web-seed-choice.ts, how the server is doing web-seed-health.ts, which
// seeds run web-seeds.ts. Invariant: what a run holds (blocks in the picker, credits, a slot, room at the gate) is
// given back when it has ended.

import type { Timer } from '../../ports/clock.ts'
import type { RangeOutcome } from '../../ports/http-ranges.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { safeUrlPath, webSeedFileUrl } from '../../wire/metainfo/web-seed-urls.ts'
import { type FilePart, fileParts } from '../pieces/file-parts.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import { RateMeter } from '../../base/rate-meter.ts'
import { chooseRun } from './web-seed-choice.ts'
import { WebSeedHealth } from './web-seed-health.ts'
import type { WebSeedContent, WebSeedHost } from './web-seed-host.ts'
import type { WebSeedRow } from '../types.ts'
import { WebSeedRun } from './web-seed-run.ts'

/** Runs of one seed at a time: one is asked for while the other comes in. */
const MAX_RUNS = 2
/** Bytes that are fetched and thrown away, because peers sent them first, rather than begin another request. */
const MAX_PASSED_BYTES = 1024 * 1024
/** A run that brings less than MIN_BYTES in this time is given up, unless our own limits are the reason. */
const SLOW_MS = 30_000
const MIN_BYTES = 64 * 1024
/** A server that cut a run which had brought MIN_BYTES is asked again after this. */
const CUT_MS = 1000
/** Shortest wait for rate, ms: a timer for each few bytes would cost more than they give. */
const MIN_PAUSE_MS = 20

interface ActiveRun {
  readonly run: WebSeedRun
  readonly abort: AbortController
  readonly leaveGate: () => void
  bytes: number
  checkedMs: number
  checkedBytes: number
  pause: Timer | null
}

/** One web seed. */
export class WebSeed {
  /**
   * Names it in the picker, in the shape of a peer's key: the part before the colon is what a bad block is blamed on.
   */
  readonly key: string
  readonly url: string
  readonly down = new RateMeter()
  readonly #hostName: string
  readonly #host: WebSeedHost
  readonly #content: WebSeedContent
  readonly #oddPaths: ReadonlyMap<number, string>
  readonly #health: WebSeedHealth
  readonly #ended: () => void
  readonly #runs = new Set<ActiveRun>()
  #open = false

  /** `ended` runs when a run has ended, whatever came of it. */
  constructor(
    of: { readonly id: string; readonly url: string; readonly oddPaths: ReadonlyMap<number, string> },
    host: WebSeedHost,
    content: WebSeedContent,
    ended: () => void,
  ) {
    this.key = `${of.id}:0`
    this.url = of.url
    this.#hostName = URL.parse(of.url)?.host ?? ''
    this.#oddPaths = of.oddPaths
    this.#health = new WebSeedHealth(content)
    this.#host = host
    this.#content = content
    this.#ended = ended
  }

  /** Runs under way. */
  get requests(): number {
    return this.#runs.size
  }

  /** It will not be asked any more. */
  get isOff(): boolean {
    return this.#health.isOff
  }

  /** Joins the picker. */
  open(): void {
    if (this.#open) return
    this.#open = true
    this.#content.picker.addPeer(this.key, this.#health.has())
  }

  /** Ends all runs and leaves the picker. Idempotent. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#abortAll()
    this.#content.picker.removePeer(this.key)
  }

  /** Begins a run if there is something for it; false when not now. `extra`: beyond the usual number, for a reader. */
  begin(extra: boolean): boolean {
    const nowMs = this.#host.clock.now()
    if (!this.#open || this.#health.waits(nowMs) || this.#runs.size >= MAX_RUNS + (extra ? 1 : 0)) return false
    if (!this.#host.needsPieces || this.#host.downLimiter.available(nowMs) < 1) return false
    if (!this.#content.picker.isInteresting(this.key)) return false
    const leaveGate = this.#host.gate.take(this.#hostName)
    if (leaveGate === null) return false
    const blocks = chooseRun(this.#host, this.#content, this.key, this.down.rate(nowMs))
    if (blocks.length === 0) leaveGate()
    else this.#start(blocks, leaveGate, nowMs)
    return blocks.length > 0
  }

  /** Once a second: gives up runs that are not needed any more or that crawl; tries again what was off. */
  tick(nowMs: number): void {
    if (this.#open && this.#health.isGone && !this.#health.waits(nowMs)) this.#tryAnew()
    for (const active of this.#runs) {
      if (active.run.sweep() > MAX_PASSED_BYTES) active.abort.abort()
      else if (nowMs - active.checkedMs >= SLOW_MS) this.#checkPace(active, nowMs)
    }
  }

  /** A reader waits for `pieces`: runs for others are given up. */
  makeWay(pieces: ReadonlySet<number>): void {
    for (const active of this.#runs) if (!active.run.hasAny(pieces)) active.abort.abort()
  }

  /** It sent wrong bytes, or may not be asked: it is off for good. */
  turnOff(reason: string): void {
    this.#health.turnOff(reason)
    this.close()
  }

  row(): WebSeedRow {
    const nowMs = this.#host.clock.now()
    const waits = this.#health.waits(nowMs)
    const off = this.isOff || (waits && this.#health.isGone)
    return {
      url: this.url,
      state: off ? 'off' : this.#runs.size > 0 ? 'active' : waits ? 'waiting' : 'idle',
      downRate: this.down.rate(nowMs),
      downTotal: this.down.total,
      requests: this.#runs.size,
      completed: this.#open ? this.#content.picker.peerCount(this.key) / this.#content.lengths.pieceCount : 0,
      error: this.#health.error,
      retryInMs: this.#health.retryInMs(nowMs),
    }
  }

  // --- one run

  #start(blocks: readonly BlockRequest[], leaveGate: () => void, nowMs: number): void {
    const active: ActiveRun = {
      run: new WebSeedRun(this.#host, this.#content, this.key, blocks),
      abort: new AbortController(),
      leaveGate,
      bytes: 0,
      checkedMs: nowMs,
      checkedBytes: 0,
      pause: null,
    }
    this.#runs.add(active)
    this.#fetch(active).then(
      end => this.#end(active, end.outcome, end.file),
      (error: unknown) => {
        this.#host.defect(error)
        this.#end(active, { kind: 'failed', text: 'internal error', retryAfterMs: null }, null)
      },
    )
  }

  async #fetch(active: ActiveRun): Promise<{ outcome: RangeOutcome; file: TorrentFile | null }> {
    for (const span of active.run.spans()) {
      for (const part of fileParts(this.#content.metainfo.files, span.offset, span.length)) {
        const outcome = await this.#fetchPart(active, part)
        if (outcome.kind !== 'done') return { outcome, file: part.file }
      }
    }
    return { outcome: { kind: 'done' }, file: null }
  }

  #fetchPart(active: ActiveRun, { file, offset, length }: FilePart): Promise<RangeOutcome> {
    const { signal } = active.abort
    if (signal.aborted) return Promise.resolve({ kind: 'aborted', text: 'given up', retryAfterMs: null })
    if (file.padding) {
      active.run.zeroes(length)
      return Promise.resolve({ kind: 'done' })
    }
    const path = this.#oddPaths.get(file.index) ?? safeUrlPath(file)
    const url = webSeedFileUrl(this.url, this.#content.metainfo.multiFile, path)
    const range = { offset, length, total: file.length }
    return this.#host.http.get(url, range, chunk => this.#data(active, chunk), signal)
  }

  #data(active: ActiveRun, chunk: Uint8Array): Promise<void> | undefined {
    if (!this.#runs.has(active)) return undefined
    const nowMs = this.#host.clock.now()
    active.bytes += chunk.length
    this.down.add(nowMs, chunk.length)
    this.#host.count(chunk.length, nowMs)
    active.run.take(chunk)
    if (this.#host.downLimiter.takeAll(nowMs, chunk.length)) return undefined
    return new Promise(resolve => this.#pay(active, chunk.length, resolve))
  }

  /** Goes on when the rate limit has granted the bytes that came. */
  #pay(active: ActiveRun, bytes: number, goOn: () => void): void {
    const { clock, downLimiter } = this.#host
    active.pause = null
    const nowMs = clock.now()
    if (!this.#runs.has(active) || downLimiter.takeAll(nowMs, bytes)) return goOn()
    const waitMs = Math.max(MIN_PAUSE_MS, downLimiter.msUntil(nowMs, bytes))
    active.pause = clock.after(waitMs, () => this.#pay(active, bytes, goOn))
  }

  #end(active: ActiveRun, outcome: RangeOutcome, file: TorrentFile | null): void {
    this.#leave(active)
    // Also what failed at last may have gone well for long.
    const brought = active.bytes >= MIN_BYTES
    const hasOthers = file !== null && outcome.kind !== 'failed' && active.bytes > 0
    if (outcome.kind === 'done' || brought || hasOthers) this.#health.wentWell()
    if (outcome.kind !== 'done' && !active.abort.signal.aborted && this.#open) this.#failed(outcome, file, brought)
    this.#host.refillSoon()
    this.#ended()
  }

  /** Gives back what the run holds. Idempotent. */
  #leave(active: ActiveRun): void {
    this.#runs.delete(active)
    active.pause?.cancel()
    active.pause = null
    active.run.end()
    active.leaveGate()
  }

  /** The requests settle later; nothing is held any more. */
  #abortAll(): void {
    for (const active of [...this.#runs]) {
      this.#leave(active)
      active.abort.abort()
    }
  }

  // --- what a run ended with

  #failed(outcome: Exclude<RangeOutcome, { kind: 'done' }>, file: TorrentFile | null, brought: boolean): void {
    const { kind, text, retryAfterMs } = outcome
    // Many servers cut what takes long: they go on with the next request.
    const waitMs = kind === 'failed' && brought ? CUT_MS : retryAfterMs
    if (kind === 'refused') this.turnOff(text)
    else if (file !== null && (kind === 'missing' || kind === 'wrong')) this.#lacks(file, text)
    else this.#health.failed(text, this.#host.clock.now(), waitMs)
  }

  /** The server does not have this file as it should be: its pieces are fetched elsewhere. */
  #lacks(file: TorrentFile, reason: string): void {
    this.#health.lacks(file, reason, this.#host.clock.now())
    if (this.#health.isGone) this.#abortAll()
    this.#content.picker.addPeer(this.key, this.#health.has())
  }

  #tryAnew(): void {
    this.#health.tryAnew()
    this.#content.picker.addPeer(this.key, 'all')
  }

  /** Gives up a run that crawls, and does not count what little it brought. */
  #checkPace(active: ActiveRun, nowMs: number): void {
    const crawls = active.bytes - active.checkedBytes < MIN_BYTES && this.#host.downLimiter.unlimited
    active.checkedMs = nowMs
    active.checkedBytes = active.bytes
    if (!crawls) return
    active.bytes = 0
    this.#health.failed('the server is too slow', nowMs, null)
    active.abort.abort()
  }
}
