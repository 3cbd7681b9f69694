// The line for the threads that make segments: first come first served, for two seconds. A player that must wait longer
// is better off asking again than holding a connection. Who leaves gives its place up. Its length is that of the list
// of segments under way, which is bounded.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ReadableFilm } from '../../media/ports/film-reader.ts'
import type { SegmentJob, SegmentOutcome } from '../convert/thread-messages.ts'
import type { SegmentMaker } from '../ports/segment-maker.ts'

/** How long one waits for its turn. */
const TURN_LIMIT_MS = 2000

/** Segments whose client has gone while they were being made. */
export interface LeftSegments {
  readonly count: number
  /** Together, from when the client was seen to have gone to when the thread was free, ms. */
  readonly ms: number
}

/** The line. */
export class SegmentLine {
  readonly #makers: readonly SegmentMaker[]
  readonly #free: SegmentMaker[]
  readonly #clock: Clock
  readonly #waiting = new Set<(maker: SegmentMaker) => void>()
  /** Which film each made last: it has its index. */
  readonly #lastTag = new WeakMap<SegmentMaker, string>()
  #left: LeftSegments = { count: 0, ms: 0 }

  /** `makers`: as many segments are made at a time. */
  constructor(makers: readonly SegmentMaker[], clock: Clock) {
    this.#makers = makers
    this.#free = [...makers]
    this.#clock = clock
  }

  /** Segments that are being made. */
  get making(): number {
    return this.#makers.length - this.#free.length
  }

  /** Those that wait for their turn. */
  get length(): number {
    return this.#waiting.size
  }

  /** Since the start. */
  get left(): LeftSegments {
    return this.#left
  }

  /** As SegmentMaker.make(), when it is its turn; AppError TooManyRequests when that does not come in time. */
  async make(job: SegmentJob, film: ReadableFilm, signal: AbortSignal): Promise<SegmentOutcome> {
    const maker = this.#takeFree(job.tag) ?? (await this.#turn(signal))
    this.#lastTag.set(maker, job.tag)
    let leftMs: number | null = null
    const leave = (): void => void (leftMs = this.#clock.now())
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await maker.make(job, film, signal)
    } finally {
      signal.removeEventListener('abort', leave)
      const { count, ms } = this.#left
      if (leftMs !== null) this.#left = { count: count + 1, ms: ms + this.#clock.now() - leftMs }
      this.#pass(maker)
    }
  }

  /** Conversions of a film are to come: whoever would have the first one loads what it needs, if it has no work. */
  warm(tag: string): void {
    this.#free[this.#firstFree(tag)]?.warm()
  }

  /** Ends all that is being made. */
  async stop(): Promise<void> {
    await Promise.all(this.#makers.map(maker => maker.stop()))
  }

  #takeFree(tag: string): SegmentMaker | undefined {
    return this.#free.splice(this.#firstFree(tag), 1)[0]
  }

  /** Place of one without work, of one that has made of this film before if there is such; -1 = none is free. */
  #firstFree(tag: string): number {
    const known = this.#free.findIndex(maker => this.#lastTag.get(maker) === tag)
    return known < 0 ? this.#free.length - 1 : known
  }

  #turn(signal: AbortSignal): Promise<SegmentMaker> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(take)
        timer.cancel()
        signal.removeEventListener('abort', leave)
      }
      const take = (maker: SegmentMaker): void => {
        end()
        resolve(maker)
      }
      const leave = (): void => {
        end()
        reject(new AppError('Aborted'))
      }
      const timer = this.#clock.after(TURN_LIMIT_MS, () => {
        end()
        reject(new AppError('TooManyRequests', `${this.#makers.length} segments are being made already; try again.`))
      })
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(take)
    })
  }

  /** To whoever waits longest. */
  #pass(maker: SegmentMaker): void {
    for (const take of this.#waiting) return take(maker)
    this.#free.push(maker)
  }
}
