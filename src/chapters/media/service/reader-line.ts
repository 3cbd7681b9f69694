// The line for the thread that reads films: one at a time, first come first served, but facts before texts: no film
// begins without facts, and texts are asked for again and again. Who leaves gives its place up. Its length is that of
// the lists of films and of looks under way, which are bounded.

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
  readonly #facts = new Set<Waiting>()
  readonly #texts = new Set<Waiting>()
  #busy = false

  constructor(reader: FilmReader) {
    this.#reader = reader
  }

  /** Films that wait for their turn. */
  get length(): number {
    return this.#facts.size + this.#texts.size
  }

  /**
   * Reads a film when it is its turn; `begun` is called then. Rejects with AppError Aborted when `signal` fires before
   * that.
   */
  read(film: ReadableFilm, signal: AbortSignal, begun: () => void): Promise<FactsOutcome> {
    return this.#inTurn(this.#facts, signal, async () => {
      begun()
      return (await this.#reader.read(film)).outcome
    })
  }

  /** Reads texts of one, as read(), when nobody waits for facts. */
  texts(film: ReadableFilm, order: SubtitleOrder, signal: AbortSignal, begun: () => void): Promise<TextsOutcome> {
    return this.#inTurn(this.#texts, signal, () => {
      begun()
      return this.#reader.texts(film, order)
    })
  }

  async #inTurn<Outcome>(line: Set<Waiting>, signal: AbortSignal, work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#busy) await this.#turn(line, signal)
    else if (signal.aborted) throw new AppError('Aborted')
    this.#busy = true
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turn(line: Set<Waiting>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        line.delete(waiting)
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
      line.add(waiting)
    })
  }

  /** The next begins before anybody who comes now: it stays busy for it. */
  #next(): void {
    const line = this.#facts.size > 0 ? this.#facts : this.#texts
    for (const waiting of line) {
      line.delete(waiting)
      waiting.start()
      return
    }
    this.#busy = false
  }
}
