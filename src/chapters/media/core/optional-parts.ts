// Parts of a film that facts can do without: what is wrong with one of them, or not there yet, costs that part alone.

import { DecodeError } from '../../../base/errors.ts'
import { type ByteRange, NotHere, OverBudget } from './byte-source.ts'

/** What became of the parts of one film. */
export class OptionalParts {
  #missing: ByteRange | null = null
  readonly #notes: string[] = []

  /** The first bytes that were not there; null = all were. */
  get missing(): ByteRange | null {
    return this.#missing
  }

  /** Sentences for people. */
  get note(): string {
    return this.#notes.join(' ')
  }

  /** Adds a sentence. */
  say(sentence: string): void {
    if (!this.#notes.includes(sentence)) this.#notes.push(sentence)
  }

  /** What `read` gives; `without` where it cannot be read or is not there. `what`: its name in a sentence. */
  part<T>(what: string, without: T, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof NotHere) this.#missing ??= error.range
      else if (error instanceof OverBudget) this.say(`${what} not read: ${error.message}.`)
      else if (error instanceof DecodeError) this.say(`${what} cannot be read: ${error.message}.`)
      else throw error
      return without
    }
  }
}
