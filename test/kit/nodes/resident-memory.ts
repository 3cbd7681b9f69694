// How much memory a process holds, from /proc.

import { readFileSync } from 'node:fs'

/** Resident memory of `pid`, MiB. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
