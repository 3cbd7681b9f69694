// A few things that moved, put back into a long list that is in order: few comparisons, the rest is copied in runs.

/**
 * Both lists in one, in the order of `compare` (as for sort; what is equal stays before what comes). Compares about
 * log2(kept) times for each one that comes. Neither list is changed.
 */
export function mergeOrdered<T>(kept: readonly T[], coming: readonly T[], compare: (a: T, b: T) => number): T[] {
  const merged: T[] = []
  let from = 0
  for (const each of coming) {
    const to = placeOf(kept, from, each, compare)
    for (; from < to; from++) merged.push(kept[from] as T)
    merged.push(each)
  }
  for (; from < kept.length; from++) merged.push(kept[from] as T)
  return merged
}

/** The first place at or after `from` whose element belongs behind `each`. */
function placeOf<T>(kept: readonly T[], from: number, each: T, compare: (a: T, b: T) => number): number {
  let [low, high] = [from, kept.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(kept[middle] as T, each) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
