// The time of day. A wrong one breaks signed links, certificates, DHT items and the order of events.

import { fine, type Finding, problem, warning } from './finding.ts'

/** This program was not there before. */
const FIRST_RELEASE_MS = Date.UTC(2025, 0, 1)
const FAR_MS = 50 * 365 * 24 * 3600 * 1000
/** File systems and clocks may differ by so much. */
const SLACK_MS = 60_000

/** `newestMs`: the newest time that is written down in the state directory, null = none. */
export function checkClock(nowMs: number, newestMs: number | null): Finding {
  const now = new Date(nowMs).toISOString()
  const advice = 'Set it, and let it be kept right (systemd-timesyncd, chrony).'
  if (nowMs < FIRST_RELEASE_MS || nowMs > FIRST_RELEASE_MS + FAR_MS) {
    return problem('clock', `The clock of this machine is wrong: it says ${now}.`, advice)
  }
  if (newestMs !== null && newestMs > nowMs + SLACK_MS) {
    const text = `The clock says ${now}, but the node wrote something at ${new Date(newestMs).toISOString()}: it was set back.`
    return warning('clock', text, advice)
  }
  return fine('clock', `The clock says ${now}.`)
}
