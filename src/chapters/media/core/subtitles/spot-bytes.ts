// A source for heads that lie between bodies nobody reads: where they are far apart little is read at each, where they
// follow closely they come together, for a read costs more than bytes do. What is only likely to be of use is not
// waited for. Its reads have an end: by their number, their bytes and their time.

import { type ByteSource, NotHere, OverBudget } from '../byte-source.ts'
import { MAX_PART_READS, PART_BUDGET_BYTES } from './subtitle-part.ts'

/** What is read at a head that lies far from the one before, and at one that does not. */
const SHORT_BYTES = 4 * 1024
const LONG_BYTES = 64 * 1024
/** Bodies from this length on are jumped over. */
const FAR_BYTES = 32 * 1024

/** Reads at spots of a film, one behind the other. */
export class SpotBytes implements ByteSource {
  readonly #inner: ByteSource
  readonly #isOver: () => boolean
  readonly #nearBytes: number
  #fetched = 0
  #reads = 0
  #late = false
  #start = 0
  #window: Uint8Array = new Uint8Array(0)

  /**
   * `isOver`: says that it has taken long enough; `kind`: one head after the other is read, or spots that an index
   * names, between which nothing is.
   */
  constructor(inner: ByteSource, isOver: () => boolean, kind: 'heads' | 'spots') {
    this.#inner = inner
    this.#isOver = isOver
    this.#nearBytes = kind === 'heads' ? LONG_BYTES : SHORT_BYTES
  }

  get size(): number {
    return this.#inner.size
  }

  /** Bytes read so far. */
  get fetched(): number {
    return this.#fetched
  }

  /** It ended by its time; what it had read came sooner on another machine. */
  get isLate(): boolean {
    return this.#late
  }

  read(start: number, end: number): Uint8Array {
    const held = this.#start + this.#window.length
    if (start < this.#start || end > held) {
      const jump = start - held
      const isNear = jump >= 0 && jump < FAR_BYTES
      this.#window = this.#fetch(start, end, start + (isNear ? this.#nearBytes : SHORT_BYTES))
      this.#start = start
    }
    return this.#window.subarray(start - this.#start, end - this.#start)
  }

  /** Up to `likely`, or, where that is not there, what is wanted alone. */
  #fetch(start: number, end: number, likely: number): Uint8Array {
    const to = Math.min(this.size, Math.max(end, likely))
    if (to > end) {
      try {
        return this.#fetchOnce(start, to)
      } catch (error) {
        if (!(error instanceof NotHere)) throw error
      }
    }
    return this.#fetchOnce(start, end)
  }

  #fetchOnce(start: number, end: number): Uint8Array {
    this.#reads += 1
    const isTooMuch = this.#reads > MAX_PART_READS || this.#fetched + end - start > PART_BUDGET_BYTES
    this.#late = !isTooMuch && this.#isOver()
    if (isTooMuch || this.#late) throw new OverBudget(PART_BUDGET_BYTES)
    const bytes = this.#inner.read(start, end)
    this.#fetched += end - start
    return bytes
  }
}
