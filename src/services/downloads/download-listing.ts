// Records of the downloads, one after the other, so that making many of them holds up no other work.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import type { ListedDownload } from './download-records-api.ts'
import type { ListOptions } from './downloads-api.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { RateLimits } from './download-record.ts'
import type { DownloadSet } from './download-set.ts'
import type { SeedingGoals } from './seeding-goals.ts'

/** Records made in one turn of the event loop, ms. */
const LIST_TURN_MS = 4

/** What records are made with. */
export interface ListingDeps {
  readonly clock: Clock
  readonly goals: Pick<SeedingGoals, 'seededSec'>
  settings(): RateLimits
}

/** Records of all, or of those that `options` names. */
export async function* recordsOf(
  set: DownloadSet,
  options: ListOptions,
  { clock, goals, settings }: ListingDeps,
): AsyncGenerator<ListedDownload, void> {
  const limits = settings()
  let turnMs = clock.now()
  for (const entry of options.only === undefined ? [...set.entries.values()] : named(set, options.only)) {
    const record = await entry.record(options, limits)
    yield options.details === true ? { ...record, details: await entry.details(goals.seededSec(entry)) } : record
    if (clock.now() - turnMs < LIST_TURN_MS) continue
    await nextTurn()
    turnMs = clock.now()
  }
}

/** Each once, in the order of the names. */
function named(set: DownloadSet, names: readonly string[]): Set<DownloadEntry> {
  return new Set(names.map(name => set.lookUp(name)).filter(entry => entry !== null))
}
