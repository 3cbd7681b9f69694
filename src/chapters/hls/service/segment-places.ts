// Places of segments under way, those too that wait for the swarm: each has a reader of its download. A place is given
// back when its work settles, and its work ends with its asker.

import { AppError } from '../../../base/errors.ts'
import type { Asker } from '../../../services/downloads/streams-api.ts'

/** In all. */
const MAX_JOBS = 32
/** And of one film: one link must not keep all others waiting. */
const MAX_JOBS_OF_FILM = 12

/** The places. */
export class SegmentPlaces {
  readonly #jobs = new Set<AbortController>()
  /** How many of a film, by its tag. */
  readonly #ofFilm = new Map<string, number>()
  #stopped = false
  /** Segments that had a place since the start. */
  begun = 0
  /** And those that were refused one. */
  refused = 0

  /** Segments under way. */
  get taken(): number {
    return this.#jobs.size
  }

  /**
   * Does a work of the film with this tag; `signal` fires when its asker leaves. AppErrors TooManyRequests, NotReady
   * after stop(); rejects with what the work rejects with.
   */
  async work<T>(tag: string, asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#stopped) throw new AppError('NotReady', 'The node is stopping.')
    const count = this.#ofFilm.get(tag) ?? 0
    if (count >= MAX_JOBS_OF_FILM) throw this.#refusal(`${MAX_JOBS_OF_FILM} segments of it are`)
    if (this.#jobs.size >= MAX_JOBS) throw this.#refusal(`${MAX_JOBS} segments are already`)
    this.#ofFilm.set(tag, count + 1)
    const controller = new AbortController()
    const leave = (): void => controller.abort()
    if (asker.signal.aborted) leave()
    asker.signal.addEventListener('abort', leave, { once: true })
    this.#jobs.add(controller)
    this.begun += 1
    try {
      return await work(controller.signal)
    } finally {
      this.#jobs.delete(controller)
      this.#leave(tag)
      asker.signal.removeEventListener('abort', leave)
    }
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopped = true
    for (const job of this.#jobs) job.abort()
  }

  #refusal(full: string): AppError {
    this.refused += 1
    return new AppError('TooManyRequests', `${full} being made or waited for; try again.`)
  }

  #leave(tag: string): void {
    const left = (this.#ofFilm.get(tag) ?? 1) - 1
    if (left === 0) this.#ofFilm.delete(tag)
    else this.#ofFilm.set(tag, left)
  }
}
