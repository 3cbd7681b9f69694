// How large the trackers say that a swarm is.

import type { Announcer } from '../../ports/announcer.ts'

/** The largest counts any tracker named; 0 when none did. */
export function swarmCounts(announcer: Announcer): { seeders: number; leechers: number } {
  let seeders = 0
  let leechers = 0
  for (const row of announcer.rows()) {
    seeders = Math.max(seeders, row.seeders ?? 0)
    leechers = Math.max(leechers, row.leechers ?? 0)
  }
  return { seeders, leechers }
}
