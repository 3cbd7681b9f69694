// Decode times of pictures. Containers that are read do not all have them, and packers that guess them put pictures
// before their own decode time. Invariant: they rise from picture to picture, and none is later than its picture is
// shown; they do not depend on other segments, so that segments fit.

/** The longest delay between both, in ticks of 90 kHz: streams of 16 pictures at 24 a second have 0.67 s. */
const MAX_DELAY_TICKS = 63_000

/** When pictures are decoded and shown, ticks. */
export interface PictureTimes {
  readonly decoded: readonly number[]
  readonly shown: readonly number[]
}

/** Clocks begin at 0: what would be before that is decoded and shown at once then, as it is not meant to be seen. */
export function fromZero({ decoded, shown }: PictureTimes): PictureTimes {
  if ((decoded[0] ?? 0) >= 0) return { decoded, shown }
  const moved = decoded.map((time, at) => Math.max(time, at))
  return { decoded: moved, shown: shown.map((time, at) => Math.max(time, moved[at] ?? 0)) }
}

/**
 * The decode time of each picture: the times at which pictures are shown, sorted, and all moved back by a delay that is
 * the same over the whole film. `shown`: ticks, in the order of decoding; `delay`: ticks.
 */
export function decodeTimes(shown: readonly number[], delay: number): number[] {
  const sorted = Float64Array.from(shown).sort()
  const moved = Math.max(0, Math.min(MAX_DELAY_TICKS, Math.round(delay)))
  const times = new Array<number>(shown.length)
  // From behind: no picture is decoded later than it, or any that follows it, is shown.
  let limit = Number.POSITIVE_INFINITY
  for (let at = shown.length - 1; at >= 0; at -= 1) {
    limit = Math.min(limit, shown[at] ?? limit)
    const time = Math.min((sorted[at] ?? 0) - moved, limit)
    times[at] = time
    limit = time - 1
  }
  return times
}
