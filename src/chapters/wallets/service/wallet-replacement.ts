// Whether a transfer with a higher fee took the place of the one before it. bcoin answers before it has looked at what
// it was given, and replaces nothing; Litecoin Core replaces only when asked to, but says so.

import type { Clock } from '../../../ports/clock.ts'

/** Long enough for a server on another machine to look at one transaction. */
const LOOKS = 20
const PAUSE_MS = 100

/** False: the server keeps the old one. `waiting`: ids that wait for a block there. */
export async function tookItsPlace(
  waiting: () => Promise<readonly string[]>,
  clock: Clock,
  txid: string,
  old: string,
): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    const ids = await waiting()
    // Where the old one waits no more, a block or another transfer decided.
    if (ids.includes(txid) || !ids.includes(old)) return true
    await new Promise<void>(resolve => void clock.after(PAUSE_MS, resolve))
  }
  return false
}
