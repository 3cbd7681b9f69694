// What else the machine did while something was measured: the time of its processors that neither this program nor
// anything it started has used. Figures of a busy machine are read with care (bench/README.md).

import { readFileSync } from 'node:fs'
import { treeTicks } from './process-cost.ts'

/** Idle and waiting for a disk: columns 4 and 5 of proc(5), /proc/stat. */
const IDLE = [3, 4]

/** Ticks in which any processor had work; what a host took from the machine counts too. */
function busyTicks(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const columns = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return columns.reduce((sum, ticks, at) => (IDLE.includes(at) ? sum : sum + ticks), 0)
}

/**
 * Watches from now until the function returned is called: processors that others kept busy meanwhile, on average (0.5 =
 * half of one).
 */
export function watchOthers(): () => number {
  const [busy, own, begin] = [busyTicks(), treeTicks(process.pid), performance.now()]
  return () => {
    const others = busyTicks() - busy - (treeTicks(process.pid) - own)
    // Counted in ticks of 10 ms, at different moments.
    return Math.max(0, (others * 10) / (performance.now() - begin))
  }
}
