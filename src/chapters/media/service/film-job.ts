// One film that is being read for whoever asks: a look by the thread, then a wait for what was missing, and so on until
// all is known. It goes on as long as somebody waits for it; when the last has left it ends at once, and nothing is
// asked of the swarm any more.
// States: looking (in line for the thread, or in it) <-> waiting (for the swarm) -> over, or tired (looked at too
// often: what is known is answered, and no more becomes known) -> over.

import { AppError } from '../../../base/errors.ts'
import type { ByteRange } from '../core/byte-source.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import type { FactsOutcome } from '../probe/read-facts.ts'
import type { FilmBytes } from './film-bytes.ts'
import type { ReaderLine } from './reader-line.ts'

/** Looks at one film. Each brings what was missing for it, so that a few are enough. */
const MAX_LOOKS = 64

/** How far it is. */
export interface JobState {
  /** Null: nothing is known. */
  readonly facts: FilmFacts | null
  /** What is to be read next; null = all is known. */
  readonly wanted: ByteRange | null
  readonly missing: readonly ByteRange[]
}

/** One film. */
export class FilmJob {
  readonly #film: FilmBytes
  readonly #line: ReaderLine
  readonly #controller = new AbortController()
  #facts: FilmFacts | null = null
  #wanted: ByteRange | null = null
  #isPassing = false
  #isInLine = false
  #askers = 0
  readonly #tells = new Set<(facts: FilmFacts) => void>()
  #isOver = false
  /** Settles with the look that goes on, or that comes next. Never rejects. */
  #look: Promise<void> = Promise.resolve()
  /** Settles when all is known. Rejects as MediaService.facts() does. */
  readonly whole: Promise<FilmFacts>

  /** `film` is closed with it. `over`: called once, when it has ended. */
  constructor(film: FilmBytes, line: ReaderLine, over: () => void) {
    this.#film = film
    this.#line = line
    this.whole = this.#run().finally(() => {
      this.#isOver = true
      film.close()
      over()
    })
    // Whoever is still there hears of it.
    this.whole.catch(() => undefined)
  }

  /** The look that goes on; settled while it waits for the swarm. */
  get look(): Promise<void> {
    return this.#look
  }

  /** What is known now. */
  get state(): JobState {
    const wanted = this.#wanted
    return { facts: this.#facts, wanted, missing: wanted === null ? [] : this.#film.missingIn(wanted) }
  }

  /** It waits for its turn, behind other films. */
  get isInLine(): boolean {
    return this.#isInLine
  }

  /** All that is known when it is over may become more when more of the film is there. */
  get isPassing(): boolean {
    return this.#isPassing
  }

  /** Nobody waits for it any more, or it is done: whoever comes now needs another. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Somebody waits for it. `tell`: is called with what is known, now and after each look that brought something. */
  join(tell?: (facts: FilmFacts) => void): void {
    // First what may throw: who did not join does not leave.
    if (tell !== undefined && this.#facts !== null) tell(this.#facts)
    this.#askers += 1
    if (tell !== undefined) this.#tells.add(tell)
  }

  /** And no longer does; `tell` as it joined. */
  leave(tell?: (facts: FilmFacts) => void): void {
    this.#askers -= 1
    if (tell !== undefined) this.#tells.delete(tell)
    if (this.#askers === 0) this.end()
  }

  /** Ends it, whoever waits. */
  end(): void {
    this.#isOver = true
    this.#controller.abort()
    this.#film.close()
  }

  async #run(): Promise<FilmFacts> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const outcome = await this.#lookOnce()
      const facts = this.#take(outcome)
      if (facts !== null) return facts
      if (this.#wanted !== null) await this.#film.whenThere(this.#wanted)
    }
    if (this.#facts === null)
      throw new AppError('MediaUnreadable', 'The film cannot be read: it is looked at again and again.')
    return this.#leftAlone()
  }

  /** Until nobody waits for it any more. */
  #leftAlone(): Promise<never> {
    const { signal } = this.#controller
    return new Promise((_resolve, reject) => {
      const left = (): void => reject(new AppError('Aborted'))
      if (signal.aborted) left()
      else signal.addEventListener('abort', left, { once: true })
    })
  }

  async #lookOnce(): Promise<FactsOutcome> {
    this.#isInLine = true
    const begun = (): void => void (this.#isInLine = false)
    const looking = this.#line.read(this.#film, this.#controller.signal, begun)
    const settled = (): void => undefined
    this.#look = looking.then(settled, settled)
    return looking
  }

  /** The facts when all is known. Throws AppErrors MediaUnreadable, DiskError. */
  #take(outcome: FactsOutcome): FilmFacts | null {
    switch (outcome.kind) {
      case 'read':
        this.#facts = outcome.reading.facts
        this.#wanted = outcome.reading.missing
        this.#isPassing = outcome.reading.passing ?? false
        if (this.#facts !== null) for (const tell of this.#tells) tell(this.#facts)
        return this.#wanted === null ? this.#facts : null
      case 'missing':
        this.#wanted = outcome.range
        return null
      case 'unreadable':
        throw new AppError('MediaUnreadable', `The film cannot be read: ${outcome.why}.`)
      case 'failed':
        throw new AppError('DiskError', `The film could not be read: ${outcome.why}.`)
    }
  }
}
