// How far apart two sounds are that should be one.

/** Places that are compared, samples. */
const REACH = 1500

/** How much they are alike when one is moved by `lag` samples: 1 = the same. */
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
