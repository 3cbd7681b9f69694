// The line for the thread that reads films: one at a time, first come first served. Who leaves gives its place up. Its
// length is that of the list of films under way, which is bounded.

import { AppError } from '../../../base/errors.ts'
import type { SubtitleOrder } from '../core/subtitles/subtitle-part.ts'
import type { FilmReader, ReadableFilm } from '../ports/film-reader.ts'
import type { FactsOutcome } from '../probe/read-facts.ts'
import type { TextsOutcome } from '../probe/read-part.ts'

interface Waiting {
  readonly start: () => void
}

/** The line. */
export class ReaderLine {
  readonly #reader: FilmReader
  readonly #waiting = new Set<Waiting>()
  #busy = false

  constructor(reader: FilmReader) {
    this.#reader = reader
  }

  /** Films that wait for their turn. */
  get length(): number {
    return this.#waiting.size
  }

  /**
   * Reads a film when it is its turn; `begun` is called then. Rejects with AppError Aborted when `signal` fires before
   * that.
   */
  read(film: ReadableFilm, signal: AbortSignal, begun: () => void): Promise<FactsOutcome> {
    return this.#inTurn(signal, async () => {
      begun()
      return (await this.#reader.read(film)).outcome
    })
  }

  /** Reads texts of one, as read(). */
  texts(film: ReadableFilm, order: SubtitleOrder, signal: AbortSignal, begun: () => void): Promise<TextsOutcome> {
    return this.#inTurn(signal, () => {
      begun()
      return this.#reader.texts(film, order)
    })
  }

  async #inTurn<Outcome>(signal: AbortSignal, work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#busy) await this.#turn(signal)
    else if (signal.aborted) throw new AppError('Aborted')
    this.#busy = true
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting)
        reject(new AppError('Aborted'))
      }
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** The next begins before anybody who comes now: it stays busy for it. */
  #next(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting)
      waiting.start()
      return
    }
    this.#busy = false
  }
}
