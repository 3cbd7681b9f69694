// Times of frames of sound that all last equally long: containers round them (Matroska to milliseconds), and players
// hear a step where a frame comes a part of a millisecond early or late.

/** Farther from its place than this a frame is where a hole is, s. */
const MAX_ROUNDING_S = 0.0015

/**
 * The times with the rounding taken out: frames that follow each other by `step` seconds, but for rounding, lie exactly
 * so far apart. Holes stay.
 */
export function evenTimes(times: readonly number[], step: number): number[] {
  const even: number[] = []
  let first = 0
  for (let at = 1; at <= times.length; at += 1) {
    if (at < times.length && isNear(times, first, at, step)) continue
    even.push(...evenRun(times.slice(first, at), step))
    first = at
  }
  return even
}

/** The frame lies where it would be after the first of its run. Both may be rounded. */
function isNear(times: readonly number[], first: number, at: number, step: number): boolean {
  const place = (times[first] ?? 0) + (at - first) * step
  return Math.abs((times[at] ?? 0) - place) <= MAX_ROUNDING_S
}

/** The mean of where the frames say that the run begins is nearer to it than any of them. */
function evenRun(times: readonly number[], step: number): number[] {
  const sum = times.reduce((total, time, at) => total + time - at * step, 0)
  const start = sum / times.length
  return times.map((_, at) => start + at * step)
}
