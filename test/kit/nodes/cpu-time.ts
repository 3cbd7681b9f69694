// CPU time of this process: what a piece of work cost, however busy the machine is with others.

import { readFileSync } from 'node:fs'

/** Milliseconds of CPU that all threads of this process have used. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of CPU that the thread which asks has used; Linux counts them in nanoseconds. */
export function mainThreadMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
}
