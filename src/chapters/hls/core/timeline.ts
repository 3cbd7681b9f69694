// The clock of segments: that of the film, moved by a constant, so that what is decoded before it is shown never lies
// before its start.

/** Ticks in a second. */
export const TICKS = 90_000
/**
 * Where the film starts, s: films that were trimmed without encoding begin with a key frame before that, up to a group
 * of pictures (10 s) earlier.
 */
export const START_S = 20
/** How long a picture lasts, where neither file nor stream say so, s. */
export const USUAL_FRAME_S = 1 / 24
/** How many are decoded ahead, where neither say so. */
export const USUAL_REORDER = 2

/** Seconds of the film as ticks. */
export function ticksOf(seconds: number): number {
  return Math.round((seconds + START_S) * TICKS)
}
