// The order in which the trackers of a torrent are asked, and which of them at the same time (BEP 12; settings
// announce_to_all_*). Pure: it sends nothing.

/** How many trackers of a torrent are to hear of it. */
export interface AnnounceSpread {
  /** One of each tier; else of the first tier that answers. */
  readonly allTiers: boolean
  /** All of a tier; else the first that answers. */
  readonly allTrackers: boolean
}

/** As BEP 12 has it. */
export const ONE_TRACKER: AnnounceSpread = { allTiers: false, allTrackers: false }

/** Steps one after the other, until a tracker of a step answers; those of a step are asked together. */
export type Lane<T> = readonly (readonly T[])[]

/** The lanes, which run at the same time. An empty list when there are no trackers. */
export function announceLanes<T>(tiers: readonly (readonly T[])[], spread: AnnounceSpread): Lane<T>[] {
  const alone = (tier: readonly T[]): Lane<T> => tier.map(each => [each])
  if (spread.allTiers && spread.allTrackers) return tiers.flat().map(each => [[each]])
  if (spread.allTiers) return tiers.map(alone)
  const lane = spread.allTrackers ? tiers : alone(tiers.flat())
  return lane.length === 0 ? [] : [lane]
}
