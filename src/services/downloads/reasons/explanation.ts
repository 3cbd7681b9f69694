// Answers why one download does not move: collects what is known of it now, and has explain.ts find the reasons.

import type { Explanation } from '../download-records-api.ts'
import type { DownloadEntry } from '../download-entry.ts'
import { shownStatus, webSeedRecord } from '../download-record.ts'
import { explain } from './explain.ts'
import { isMoving } from './reasons.ts'

/** `seededSec`: how long it has seeded, all time. */
export function explanationOf(entry: DownloadEntry, seededSec: number): Explanation {
  const { stored, loadError, circuits } = entry
  const facts = entry.facts()
  const { torrent } = facts
  const unloaded = { status: loadError === '' ? 'waiting-check' : 'error', downRate: 0 } as const
  return {
    infohash: stored.infoHash,
    status: shownStatus(torrent?.snapshot ?? unloaded, circuits),
    moving: isMoving(facts),
    time_seeded: seededSec,
    reasons: explain(facts),
    web_seeds: torrent?.webSeeds.map(webSeedRecord) ?? [],
  }
}
