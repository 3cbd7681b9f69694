// What the axes of a graph over time reach from and to. Pure.

/** A graph that has just begun is a minute wide, so that it does not jump. */
const MIN_SEC = 60
/** Samples are of now. */
const EARLIEST_SEC = 1e9

/** Whether there is a line to draw: of fewer samples the axes would name times and values that nobody measured. */
export function hasLine([times = []]: readonly (readonly number[])[]): boolean {
  return times.length > 1
}

/** Unix seconds; null: there are no samples, and uPlot would name times of its own. */
export function timeRange(min: number | null, max: number | null, nowSec: number): [number, number] {
  if (min === null || max === null || min < EARLIEST_SEC) return [nowSec - MIN_SEC, nowSec]
  return [Math.min(min, max - MIN_SEC), max]
}

/** From nothing to a little above the largest; to `top` at least, so that a line at nothing has an axis to read. */
export function valueRange(max: number | null, top: number): [number, number] {
  return [0, Math.max(top, (max ?? 0) * 1.1)]
}
