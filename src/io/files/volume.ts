// One volume (mounted file system): calls that are out, calls that wait for their turn, and whether it answers. Starts
// no call and sets no timer (volume-lanes.ts does). Invariants: what it holds of threads only grows while it answers:
// the first call goes alone, each answer lets twice as many go; a caller that waits with a bound gets its error in
// time.

import { AppError } from '../../base/errors.ts'
import { DiskLanes } from './disk-lanes.ts'

/** A call out longer than this makes the volume a slow one: what is new goes one by one. */
export const SLOW_MS = 250
/** A call out longer than this: the volume is stalled. Callers with a bound wait this long. */
export const STALLED_MS = 5000
/** A flush may take long on a disk that is well. */
const STALLED_FLUSH_MS = 30_000
/** After this long without a call it must prove again that it answers. */
const IDLE_MS = 1000
/** Readers that go on although nothing was answered lately. */
const READERS = 8
/** See READERS. */
const LATELY_MS = 50
/** Writes wait longer than this: no more is requested from peers. */
const WRITES_MS = 1000
/** Calls that may wait for their turn; more is a mistake somewhere. */
const MAX_WAITING = 16_384

/** A call that is out. */
export interface Call {
  readonly startedMs: number
  readonly flush: boolean
  /** Counted as late; a flush from its beginning. */
  late: boolean
}

/** A caller that waits no longer than STALLED_MS. */
export interface Patience {
  readonly sinceMs: number
  giveUp(error: AppError): void
}

/** A call that waits. */
interface Turn {
  readonly flush: boolean
  /** It is its turn, and counted as out. */
  go(call: Call): void
}

/** One volume (mounted file system): calls that are out, calls that wait for their turn, and whether it answers. */
export class Volume {
  readonly mount: string
  /** The state directory is on it. */
  readonly own: boolean
  /** In order of their start. */
  readonly #calls = new Set<Call>()
  /** Jobs of workers: they hold no thread of libuv, but say that answers are due. */
  readonly #jobs = new Set<Call>()
  readonly #waiting = new Set<Turn>()
  /** Callers that wait for any answer. */
  readonly #gate = new Set<() => void>()
  readonly #patience = new Set<Patience>()
  /** One flush at a time: it may last seconds and must leave turns to readers. */
  readonly flushes = new DiskLanes(1)
  /** Bytes on their way to it. */
  writingBytes = 0
  /** Readers under way. */
  readers = 0
  #stuck = 0
  #window = 1
  #answeredMs: number
  #stalledMs: number | null = null

  constructor(mount: string, own: boolean, nowMs: number) {
    this.mount = mount
    this.own = own
    this.#answeredMs = nowMs
  }

  /** Calls out. */
  get calls(): number {
    return this.#calls.size
  }
  /** Calls out that are not answered in the usual time. */
  get stuck(): number {
    return this.#stuck
  }
  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size
  }
  get stalled(): boolean {
    return this.#stalledMs !== null
  }
  /** True while a call waits for it. */
  get busy(): boolean {
    return this.#calls.size + this.#jobs.size + this.#waiting.size + this.#patience.size > 0
  }

  /** How long the oldest call has been out, ms. */
  silentMs(nowMs: number): number {
    const oldest = first(this.#calls)
    return oldest === undefined ? 0 : nowMs - oldest.startedMs
  }

  /** How long the oldest job of a worker, or flush, has taken, ms: both may be long on a disk that is well. */
  workMs(nowMs: number): number {
    let oldestMs = first(this.#jobs)?.startedMs ?? nowMs
    for (const { flush, startedMs } of this.#calls) if (flush) oldestMs = Math.min(oldestMs, startedMs)
    return nowMs - oldestMs
  }

  /** Something is out, or waits, that is answered at once by a disk that is well. */
  get asked(): boolean {
    if (this.#waiting.size > 0) return true
    for (const { flush } of this.#calls) if (!flush) return true
    return false
  }

  /** Further calls that it may have out now; `share`: the most threads of one volume. */
  room(share: number): number {
    if (this.stalled) return this.#calls.size === 0 ? 1 : 0
    return Math.min(share - this.#calls.size, this.#window - (this.#calls.size - this.#stuck))
  }

  /** False: readers that have not begun wait. One is always let through, so that there is an answer to wait for. */
  readersGo(nowMs: number): boolean {
    if (this.own || this.readers === 0) return true
    if (this.stalled) return false
    return this.readers < READERS || nowMs - this.#answeredMs < LATELY_MS
  }

  /** See StoreVolume.takesMore; `maxBytes`: what may be on its way to it. */
  takesMore(nowMs: number, maxBytes: number): boolean {
    return this.own || (this.writingBytes <= maxBytes && this.silentMs(nowMs) < WRITES_MS)
  }

  /** A call goes out. */
  begin(nowMs: number, flush: boolean): Call {
    if (this.#calls.size === 0 && nowMs - this.#answeredMs > IDLE_MS) this.#window = 1
    const call: Call = { startedMs: nowMs, flush, late: flush }
    this.#calls.add(call)
    if (flush) this.#stuck++
    return call
  }

  /** A call was answered, whatever with. True: that ends a stall; `share`: see room(). */
  end(call: Call, nowMs: number, share: number): boolean {
    if (call.late) this.#stuck--
    this.#calls.delete(call)
    this.#answeredMs = nowMs
    this.#window = Math.min(share, this.#window * 2)
    const ended = this.stalled && !this.#isStalled(nowMs)
    if (ended) this.#stalledMs = null
    this.#openGate()
    return ended
  }

  /** A worker has a job of it until the answered call is made. */
  beginJob(nowMs: number): () => void {
    const job: Call = { startedMs: nowMs, flush: false, late: false }
    this.#jobs.add(job)
    return () => this.#jobs.delete(job)
  }

  /** Puts a call at the end of the line. AppError PoolBusy. */
  enqueue(turn: Turn): void {
    if (this.#waiting.size >= MAX_WAITING) throw new AppError('PoolBusy')
    this.#waiting.add(turn)
  }

  /** The first of the line goes out. */
  next(nowMs: number): void {
    const turn = first(this.#waiting)
    if (turn === undefined) return
    this.#waiting.delete(turn)
    turn.go(this.begin(nowMs, turn.flush))
  }

  /** Waits for an answer; rejects with AppError VolumeStalled when that takes too long. */
  nextAnswer(nowMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const patience: Patience = {
        sinceMs: nowMs,
        giveUp: error => {
          this.#gate.delete(go)
          reject(error)
        },
      }
      const go = (): void => {
        this.#patience.delete(patience)
        resolve()
      }
      this.#gate.add(go)
      this.#patience.add(patience)
    })
  }

  /** From now on `patience` gets an error when the caller has waited too long; answers a function that ends this. */
  patient(patience: Patience): () => void {
    this.#patience.add(patience)
    return () => this.#patience.delete(patience)
  }

  /** Counts what is late, and gives up callers that waited too long. True: it is stalled since now. */
  look(nowMs: number): boolean {
    this.#stuck = 0
    for (const call of this.#calls) {
      call.late ||= nowMs - call.startedMs >= SLOW_MS
      if (call.late) this.#stuck++
    }
    if (this.#stuck > 0) this.#window = 1
    const news = !this.own && !this.stalled && this.#isStalled(nowMs)
    if (news) this.#stalledMs = nowMs
    // Nothing is out that could be answered: each waiter tries for itself.
    if (this.#calls.size + this.#jobs.size + this.#waiting.size === 0) this.#openGate()
    if (!this.stalled) return news
    for (const patience of this.#patience) {
      if (nowMs - patience.sinceMs < STALLED_MS) continue
      this.#patience.delete(patience)
      patience.giveUp(this.error())
    }
    return news
  }

  /** The error for callers that cannot wait. */
  error(): AppError {
    return new AppError(
      'VolumeStalled',
      `The volume mounted at ${this.mount} does not answer. It goes on by itself when it answers again.`,
    )
  }

  #openGate(): void {
    const gate = [...this.#gate]
    this.#gate.clear()
    for (const go of gate) go()
  }

  #isStalled(nowMs: number): boolean {
    for (const { startedMs, flush } of this.#calls)
      if (nowMs - startedMs >= (flush ? STALLED_FLUSH_MS : STALLED_MS)) return true
    return false
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const value of set) return value
  return undefined
}
