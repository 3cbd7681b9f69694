// A thread that makes segments, as the node has it: started with its first segment, ended when there is nothing to do
// for a while, and ended at once when a film takes it too much time or memory, or does not let go of it when nobody
// waits any more. Films are made by strangers: what one does to its reader, it does there.
// States: none -> idle <-> making; making -> none when the thread is ended or died.

import { AppError } from '../../../base/errors.ts'
import { workerUrl } from '../../../io/worker-url.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import { FilmThread, isOutOfMemory } from '../../media/io/film-thread.ts'
import type { ReadableFilm } from '../../media/ports/film-reader.ts'
import type { SegmentJob, SegmentOutcome, SegmentTask } from '../convert/thread-messages.ts'
import type { SegmentMaker } from '../ports/segment-maker.ts'

/** How long the thread may work on one segment by the processor's clock, without its waits for bytes. */
const LIMIT_MS = 3000
/** How much longer by the wall's clock where sound is converted: honest segments take a tenth of it (decision 0543). */
const CONVERTING_MS = 3000
/** Of the thread's heap; bytes lie outside of it, and are bounded where they are gathered, read and converted. */
const MEMORY_MIB = 64
/** A thread without work takes some 10 MB, an index of up to 32 MiB, and when it has converted some 40 MB for that. */
const IDLE_MS = 60_000
/** How long it may take to let go of a segment for which nobody waits any more, and how long its end is waited for. */
const LET_GO_MS = 50
const END_MS = 40
/** The same when it has had its time: its place is not given on before it is gone. */
const LATE_END_MS = 1000
const NOTHING: ReadableFilm = { size: 0, read: () => Promise.resolve(0) }

/** Where the thread's code lies, and what it may take. */
export interface SegmentThreadOptions {
  readonly clock: Clock
  readonly worker?: URL
  readonly limitMs?: number
  readonly memoryMib?: number
  readonly idleMs?: number
}

interface Making {
  readonly settle: (outcome: SegmentOutcome) => void
  readonly reject: (error: unknown) => void
  /** Ends the watch over whoever waits. */
  readonly leave: () => void
}

/** The thread, and the segment that it makes. */
export class SegmentThread implements SegmentMaker {
  readonly #options: Required<SegmentThreadOptions>
  #thread: FilmThread<SegmentTask, SegmentOutcome> | null = null
  #making: Making | null = null
  #timer: Timer | null = null
  #stopped = false
  #ending: Promise<void> = Promise.resolve()

  constructor({ clock, worker, limitMs = LIMIT_MS, memoryMib = MEMORY_MIB, idleMs = IDLE_MS }: SegmentThreadOptions) {
    this.#options = { clock, worker: worker ?? workerUrl('hls'), limitMs, memoryMib, idleMs }
  }

  /** There is a thread now. */
  get running(): boolean {
    return this.#thread !== null
  }

  make(job: SegmentJob, film: ReadableFilm, signal: AbortSignal): Promise<SegmentOutcome> {
    if (this.#stopped || signal.aborted) return Promise.reject(new AppError('Aborted'))
    if (this.#making !== null) return Promise.reject(new Error('a segment is being made already'))
    const thread = this.#ready()
    return new Promise((settle, reject) => {
      const giveUp = (): void => this.#giveUp(thread)
      const leave = (): void => signal.removeEventListener('abort', giveUp)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#making = { settle, reject, leave }
      const limits = job.order.soundMargin > 0 ? { starvedMs: CONVERTING_MS } : {}
      thread.begin(job, film, { limitMs: this.#options.limitMs, ...limits })
    })
  }

  warm(): void {
    if (this.#stopped || this.#making !== null) return
    this.#ready().begin(null, NOTHING, { limitMs: this.#options.limitMs })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#takeMaking()?.reject(new AppError('Aborted'))
    await this.#end()
  }

  /** The thread, which may still be loading what the next job needs. */
  #ready(): FilmThread<SegmentTask, SegmentOutcome> {
    this.#timer?.cancel()
    this.#thread?.leave()
    return (this.#thread ??= this.#start())
  }

  #start(): FilmThread<SegmentTask, SegmentOutcome> {
    return new FilmThread<SegmentTask, SegmentOutcome>(this.#options, {
      over: (outcome, failure) => this.#over(outcome, failure),
      late: isStarved => this.#late(isStarved),
      died: error => {
        this.#thread = null
        this.#timer?.cancel()
        const why = isOutOfMemory(error) ? 'it takes too much memory' : 'its reader failed'
        this.#takeMaking()?.settle(costly(why))
      },
    })
  }

  /**
   * Nobody waits any more: a word says so to the thread, which is ended when it does not hear. One that has not begun
   * is loading, which the next job needs too, and hears it then.
   */
  #giveUp(thread: FilmThread<SegmentTask, SegmentOutcome>): void {
    if (this.#making === null || thread !== this.#thread) return
    thread.giveUp()
    if (thread.hasBegun) {
      this.#timer = this.#options.clock.after(LET_GO_MS, () =>
        this.#endWith(END_MS, making => making.reject(new AppError('Aborted'))),
      )
      return
    }
    thread.leave()
    this.#rest()
    this.#takeMaking()?.reject(new AppError('Aborted'))
  }

  /** Only what the thread itself has done is its film's fault: before it has begun that is nothing. */
  #late(isStarved: boolean): void {
    const isFault = this.#thread?.hasBegun === true && !isStarved
    const late: SegmentOutcome = { kind: 'late', why: 'it takes too long' }
    this.#endWith(LATE_END_MS, making => making.settle(isFault ? costly(late.why) : late))
  }

  #over(outcome: SegmentOutcome, failure: unknown): void {
    if (outcome.kind === 'unreadable' && outcome.isSpoilt === true)
      return this.#endWith(LATE_END_MS, making => making.settle(outcome))
    const making = this.#takeMaking()
    this.#rest()
    if (outcome.kind === 'failed') making?.reject(failure ?? new AppError('DiskError'))
    else if (outcome.kind === 'given-up') making?.reject(new AppError('Aborted'))
    else making?.settle(outcome)
  }

  /** Ended when nothing comes for a while. */
  #rest(): void {
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(this.#options.idleMs, () => void this.#end())
  }

  /** Ends the thread; `tell` is called when it is gone, or after so long: its place is not free before. */
  #endWith(limitMs: number, tell: (making: Making) => void): void {
    const making = this.#takeMaking()
    const ended = this.#end()
    if (making === null) return
    let told = false
    const tellOnce = (): void => {
      timer.cancel()
      if (!told) tell(making)
      told = true
    }
    const timer = this.#options.clock.after(limitMs, tellOnce)
    void ended.finally(tellOnce)
  }

  #takeMaking(): Making | null {
    const making = this.#making
    this.#making = null
    making?.leave()
    return making
  }

  #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    this.#timer?.cancel()
    // One that was ended before may not be gone.
    this.#ending = Promise.all([this.#ending, thread?.end()]).then(() => undefined)
    return this.#ending
  }
}

function costly(why: string): SegmentOutcome {
  return { kind: 'unreadable', why, isCostly: true }
}
