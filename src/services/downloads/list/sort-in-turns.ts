// Sorting that leaves the event loop free: runs that are sorted in one go, then merged in turns.

import type { Turns } from './turns.ts'

/** Items sorted in one go: less than a millisecond. */
const RUN_ITEMS = 1024

/** The items in order, stable; the list that is given is written to. */
export async function sortInTurns<T>(items: T[], compare: (a: T, b: T) => number, turns: Turns): Promise<T[]> {
  for (let at = 0; at < items.length; at += RUN_ITEMS) {
    const run = items.slice(at, at + RUN_ITEMS).sort(compare)
    for (let i = 0; i < run.length; i++) items[at + i] = run[i] as T
    await turns.after(RUN_ITEMS)
  }
  let [from, to]: [T[], T[]] = [items, items.slice()]
  for (let width = RUN_ITEMS; width < items.length; width *= 2) {
    for (let at = 0; at < items.length; at += 2 * width) await mergeRuns(from, to, [at, width], compare, turns)
    ;[from, to] = [to, from]
  }
  return from
}

/** Merges the runs at `at` and `at + width` of `from` into `to`. */
async function mergeRuns<T>(
  from: readonly T[],
  to: T[],
  [at, width]: readonly [at: number, width: number],
  compare: (a: T, b: T) => number,
  turns: Turns,
): Promise<void> {
  const middle = Math.min(at + width, from.length)
  const end = Math.min(at + 2 * width, from.length)
  let [left, right] = [at, middle]
  for (let out = at; out < end; out++) {
    if ((out & (RUN_ITEMS - 1)) === 0) await turns.after(RUN_ITEMS)
    const fromLeft = left < middle && (right >= end || compare(from[left] as T, from[right] as T) <= 0)
    to[out] = (fromLeft ? from[left++] : from[right++]) as T
  }
}
