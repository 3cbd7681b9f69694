// When a page that waits for a film asks again from when on it plays: soon where the moment is near, and ever more
// rarely while nothing comes of it. Pure.

import { GrowingPause } from '../growing-pause.ts'
import type { ForecastAnswer } from './forecast-words.ts'

/** Near the moment it is asked each second: it begins at most so much late. */
const SOONEST_MS = 1000
/** A moment that is known may move: it is asked for again after this share of the way to it, within these bounds. */
const SHARE = 0.25
const LATEST_MS = 15_000
/** Each question in vain doubles the time to the next one, up to this: rates are watched for a minute after each. */
const LATEST_IN_VAIN_MS = 30_000

/** The questions of one wait. */
export class ForecastPolls {
  readonly #vain = new GrowingPause(SOONEST_MS, LATEST_IN_VAIN_MS)

  /** ms from an answer to the next question. `answer`: null = there was an error. */
  after(answer: ForecastAnswer | null): number {
    if (answer !== null && typeof answer === 'object' && answer.startInSec !== null) {
      this.#vain.restart()
      return Math.max(SOONEST_MS, Math.min(LATEST_MS, answer.startInSec * 1000 * SHARE))
    }
    return this.#vain.next()
  }
}
