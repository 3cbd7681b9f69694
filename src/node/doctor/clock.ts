// The time of day. A wrong one breaks signed links, certificates, DHT items and the order of events.

import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'

/** This program was not there before. */
const FIRST_RELEASE_MS = Date.UTC(2025, 0, 1)
const FAR_MS = 50 * 365 * 24 * 3600 * 1000
/** File systems and clocks may differ by so much. */
const SLACK_MS = 60_000

/** `newestMs`: the newest time that is written down in the state directory, null = none. */
export function checkClock(nowMs: number, newestMs: number | null): Finding {
  const time = new Date(nowMs).toISOString()
  if (nowMs < FIRST_RELEASE_MS || nowMs > FIRST_RELEASE_MS + FAR_MS) return coreFinding('clock_wrong', { time })
  if (newestMs !== null && newestMs > nowMs + SLACK_MS)
    return coreFinding('clock_set_back', { time, written: new Date(newestMs).toISOString() })
  return coreFinding('clock_ok', { time })
}
