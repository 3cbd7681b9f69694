// Two sounds beside each other: by how much one comes later, and whether a tone goes on.

/** Hz of the sounds. */
const RATE = 48_000
/** Places that are compared, samples. */
const REACH = 1500
/** Hz of the tone. */
export const TONE_HZ = 440

/** First all places are compared by one in so many samples, then those near the best one by more of them, samples. */
const [COARSE, FINE, NEAR] = [97, 7, 100]

/** How much two sounds are alike when one is moved by `lag` samples: 1 = the same. Looks at each `step`th sample. */
function likeness(one: Int16Array, other: Int16Array, lag: number, step: number): number {
  let [both, ones, others] = [0, 0, 0]
  // Their ends may differ, and nothing lies beyond them.
  const end = Math.min(one.length, other.length) - RATE / 2
  for (let at = RATE; at < end; at += step) {
    const [a, b] = [one[at] ?? 0, other[at + lag] ?? 0]
    both += a * b
    ones += a * a
    others += b * b
  }
  return both / Math.sqrt(ones * others || 1)
}

/** The best of the places from one to another. */
function bestOf(one: Int16Array, other: Int16Array, from: number, to: number, step: number) {
  let best = { lag: from, alike: -1 }
  for (let lag = from; lag <= to; lag += 1) {
    const alike = likeness(one, other, lag, step)
    if (alike > best.alike) best = { lag, alike }
  }
  return best
}

/** By how many samples the second comes later, and how alike they are then. */
export function lagOf(one: Int16Array, other: Int16Array): { lag: number; alike: number } {
  const { lag } = bestOf(one, other, -REACH, REACH, COARSE)
  return bestOf(one, other, lag - NEAR, lag + NEAR, FINE)
}

/** How far each sample of a tone is from what the two before it say. */
export function surprises(sound: Int16Array): number[] {
  const turn = 2 * Math.cos((2 * Math.PI * TONE_HZ) / RATE)
  return Array.from(sound, (value, at) =>
    at < 2 ? 0 : Math.abs(value - turn * (sound[at - 1] ?? 0) + (sound[at - 2] ?? 0)),
  )
}
