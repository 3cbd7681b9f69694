// Two sounds beside each other: by how much one comes later, and whether a tone goes on.

/** Hz of the sounds. */
const RATE = 48_000
/** Places that are compared, samples. */
const REACH = 1500
/** Hz of the tone. */
export const TONE_HZ = 440

/** How much two sounds are alike when one is moved by `lag` samples: 1 = the same. */
function likeness(one: Int16Array, other: Int16Array, lag: number): number {
  let [both, ones, others] = [0, 0, 0]
  for (let at = 48_000; at < 48_000 * 20; at += 7) {
    const [a, b] = [one[at] ?? 0, other[at + lag] ?? 0]
    both += a * b
    ones += a * a
    others += b * b
  }
  return both / Math.sqrt(ones * others || 1)
}

/** By how many samples the second comes later, and how alike they are then. */
export function lagOf(one: Int16Array, other: Int16Array): { lag: number; alike: number } {
  let best = { lag: 0, alike: -1 }
  for (let lag = -REACH; lag <= REACH; lag += 1) {
    const alike = likeness(one, other, lag)
    if (alike > best.alike) best = { lag, alike }
  }
  return best
}

/** How far each sample of a tone is from what the two before it say. */
export function surprises(sound: Int16Array): number[] {
  const turn = 2 * Math.cos((2 * Math.PI * TONE_HZ) / RATE)
  return [...sound].map((value, at) =>
    at < 2 ? 0 : Math.abs(value - turn * (sound[at - 1] ?? 0) + (sound[at - 2] ?? 0)),
  )
}
