// Where the Lamport clock of an overlay begins.

import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'

/** A run begins at the milliseconds since this, times GLOBAL_TIMES_OF_A_MS, and less than that by chance. */
const SINCE_MS = Date.UTC(2020, 0, 1)
const GLOBAL_TIMES_OF_A_MS = 4096

/**
 * The first global time of a run: above all that earlier runs signed with the same key. A peer that still knows us at
 * the port of the last run takes an older number from a new address for a recording, and does not answer
 * (Introductions). A whole number below 2^53 until the year 2089.
 */
export function firstGlobalTime(deps: { readonly clock: Clock; readonly random: Random }): number {
  const sinceMs = Math.max(0, deps.clock.wallMs() - SINCE_MS)
  return sinceMs * GLOBAL_TIMES_OF_A_MS + deps.random.below(GLOBAL_TIMES_OF_A_MS)
}
