// What a process (with its threads and children) has cost so far, from /proc.

import { readdirSync, readFileSync } from 'node:fs'

/** Ticks a second of the kernel's process accounting (USER_HZ; 100 on every Linux that Node runs on). */
const TICKS = 100

export interface ProcessCost {
  /** User and system time of the tree, seconds. */
  readonly cpuSec: number
  /** Peak resident memory of the process itself, MiB (VmHWM). */
  readonly peakRssMiB: number
  /** Resident memory now, MiB. */
  readonly rssMiB: number
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap(task => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  })
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields 14 to 17 of proc(5): utime, stime, and those of children waited for.
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
  return own + childrenOf(pid).reduce((sum, child) => sum + cpuTicks(child), 0)
}

function statusMiB(status: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
}

/** Reads the cost of `pid`. Throws when it is gone. */
export function processCost(pid: number): ProcessCost {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuSec: cpuTicks(pid) / TICKS,
    peakRssMiB: statusMiB(status, 'VmHWM'),
    rssMiB: statusMiB(status, 'VmRSS'),
  }
}
