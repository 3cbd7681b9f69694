// What a process with its threads and children costs, from /proc: CPU time, memory now and at its peak.

import { readdirSync, readFileSync } from 'node:fs'

/** Ticks a second of the kernel's process accounting (USER_HZ; 100 on every Linux that Node runs on). */
const TICKS = 100

/** Pause between two looks at the memory, ms. */
const WATCH_MS = 50

export interface ProcessCost {
  /** User and system time of the tree, seconds. */
  readonly cpuSec: number
  /** Peak resident memory of the process itself, MiB (VmHWM). */
  readonly peakRssMiB: number
  /** Resident memory of the tree now, MiB. */
  readonly rssMiB: number
  /** Of it the part that is no mapped file, MiB. */
  readonly anonMiB: number
}

/** Empty where the process ended while it was read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** `pid` and all its descendants. */
function treeOf(pid: number): number[] {
  const children = threadsOf(pid).flatMap(task => {
    const text = textOf(`/proc/${pid}/task/${task}/children`).trim()
    return text === '' ? [] : text.split(' ').map(Number)
  })
  return [pid, ...children.flatMap(treeOf)]
}

function cpuTicks(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields 14 to 17 of proc(5): utime, stime, and those of children waited for.
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
}

/** Ticks of 10 ms that `pid` and everything it started have used; what has ended counts once it was waited for. */
export function treeTicks(pid: number): number {
  return treeOf(pid).reduce((total, each) => total + cpuTicks(each), 0)
}

function statusMiB(status: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
}

/** Reads the cost of `pid` so far. Throws when it is gone. */
export function processCost(pid: number): ProcessCost {
  const own = readFileSync(`/proc/${pid}/status`, 'utf8')
  const tree = treeOf(pid)
  const statuses = tree.map(each => textOf(`/proc/${each}/status`))
  const sum = (key: string) => statuses.reduce((total, status) => total + statusMiB(status, key), 0)
  return {
    cpuSec: treeTicks(pid) / TICKS,
    peakRssMiB: statusMiB(own, 'VmHWM'),
    rssMiB: sum('VmRSS'),
    anonMiB: sum('RssAnon'),
  }
}

/** What a stretch of work cost. */
export interface MeteredCost {
  readonly cpuSec: number
  /** Highest resident memory of the tree seen in the stretch, MiB. */
  readonly peakRssMiB: number
  readonly peakAnonMiB: number
}

/** Meters the tree of `pid` from now until the function returned is called (once). */
export function startMeter(pid: number): () => MeteredCost {
  const before = processCost(pid)
  const peak = { rss: before.rssMiB, anon: before.anonMiB }
  const look = () => {
    const now = processCost(pid)
    peak.rss = Math.max(peak.rss, now.rssMiB)
    peak.anon = Math.max(peak.anon, now.anonMiB)
    return now
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      clearInterval(timer)
    }
  }, WATCH_MS)
  return () => {
    clearInterval(timer)
    const after = look()
    return { cpuSec: after.cpuSec - before.cpuSec, peakRssMiB: peak.rss, peakAnonMiB: peak.anon }
  }
}
