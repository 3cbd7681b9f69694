// CPU time of one thread of this process, as Linux counts it: how long a thread works, however busy the machine is with
// others.

import { readFileSync, readlinkSync } from 'node:fs'

/** The thread that asks, for taskCpuMs(); null where the system does not say. */
export function ownTask(): string | null {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return null
  }
}

/** What a thread has used, ms; null where the system does not say, or it is gone. */
export function taskCpuMs(task: string | null): number | null {
  if (task === null || !/^\d+\/task\/\d+$/.test(task)) return null
  try {
    const nanoseconds = Number(readFileSync(`/proc/${task}/schedstat`, 'latin1').split(' ')[0])
    return Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : null
  } catch {
    return null
  }
}
