// Wait and run times by kind of job, for the debug figures. Sums only; keeps no history.

import type { JobName } from './contract/jobs.ts'

/** Figures of one kind of job since the start. Times in milliseconds. */
export interface JobStats {
  readonly count: number
  /** From the post to the worker taking it up: sum and longest. */
  readonly waitMs: number
  readonly maxWaitMs: number
  /** Inside the job: sum and longest. */
  readonly runMs: number
  readonly maxRunMs: number
}

/** Waiting and running times by kind of job. */
export class JobTimes {
  readonly #byName = new Map<JobName, { -readonly [Key in keyof JobStats]: number }>()

  /** Adds one finished job; times in microseconds. */
  add(name: JobName, waitUs: number, runUs: number): void {
    let stats = this.#byName.get(name)
    if (stats === undefined) {
      stats = { count: 0, waitMs: 0, maxWaitMs: 0, runMs: 0, maxRunMs: 0 }
      this.#byName.set(name, stats)
    }
    stats.count++
    stats.waitMs += waitUs / 1000
    stats.runMs += runUs / 1000
    stats.maxWaitMs = Math.max(stats.maxWaitMs, waitUs / 1000)
    stats.maxRunMs = Math.max(stats.maxRunMs, runUs / 1000)
  }

  stats(): Partial<Record<JobName, JobStats>> {
    return Object.fromEntries([...this.#byName].map(([name, stats]) => [name, { ...stats }]))
  }
}

/** The times of two pools together. */
export function addTimes(
  a: Readonly<Partial<Record<JobName, JobStats>>>,
  b: Readonly<Partial<Record<JobName, JobStats>>>,
): Partial<Record<JobName, JobStats>> {
  const sum: Partial<Record<JobName, JobStats>> = { ...a }
  for (const [name, more] of Object.entries(b) as [JobName, JobStats][]) {
    const known = sum[name]
    if (known === undefined) sum[name] = more
    else
      sum[name] = {
        count: known.count + more.count,
        waitMs: known.waitMs + more.waitMs,
        maxWaitMs: Math.max(known.maxWaitMs, more.maxWaitMs),
        runMs: known.runMs + more.runMs,
        maxRunMs: Math.max(known.maxRunMs, more.maxRunMs),
      }
  }
  return sum
}
