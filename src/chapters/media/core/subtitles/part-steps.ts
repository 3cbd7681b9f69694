// How many elements and boxes are looked at for one part of a film's texts.

import { OverBudget } from '../byte-source.ts'
import { MAX_PART_STEPS } from './subtitle-part.ts'

/** Counts what is looked at. */
export class Steps {
  #left = MAX_PART_STEPS

  /** Throws OverBudget. */
  take(): void {
    this.#left -= 1
    if (this.#left < 0) throw new OverBudget(MAX_PART_STEPS)
  }
}
