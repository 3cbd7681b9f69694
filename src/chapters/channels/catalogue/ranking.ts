// Ranks channels (decision 0406): fresh, subscribed to, seeded ones come first. What counts as fresh decays, so that no
// channel stays at the top for what it was years ago.

import type { ChannelRow } from './channel-rows.ts'

const DAY_S = 86_400
/** After so many days the freshness is halved. */
const HALF_LIFE_DAYS = 7
const FRESH = 4
const SEEDED = 0.5
/** A tracker can claim any number of seeders: at most they count as much as freshness does. */
const SEEDED_MOST = 4
/** A channel that more call spam than subscribe to it. */
const SPAM = 6

/** What ranking looks at. */
export type Ranked = Pick<ChannelRow, 'modified' | 'votes' | 'spam' | 'seeders'>

/** Higher is better. `nowS`: seconds since 1970. */
export function rankOf({ modified, votes, spam, seeders }: Ranked, nowS: number): number {
  const days = Math.max(0, nowS - modified) / DAY_S
  const fresh = FRESH * 2 ** (-days / HALF_LIFE_DAYS)
  const liked = Math.log2(1 + Math.max(0, votes - 2 * spam))
  const seeded = Math.min(SEEDED_MOST, SEEDED * Math.log2(1 + Math.max(0, seeders)))
  return fresh + liked + seeded - (spam > votes ? SPAM : 0)
}

/** What the order of channels goes by. */
export type RankRow = Ranked & Pick<ChannelRow, 'id' | 'standing'>

/** Its columns of `channels`. */
export const RANK_COLUMNS = 'id, standing, modified, votes, spam, seeders'

/**
 * Own, subscribed, then by rank, the best first. `level`: the place of a channel does not depend on whether it is
 * subscribed to. There may be 20,000: each is ranked once, and callers that need few whole rows give RANK_COLUMNS only.
 */
export function bestFirst<Row extends RankRow>(rows: readonly Row[], nowS: number, level = false): Row[] {
  const ranked = rows.map(row => ({ row, standing: level ? 0 : row.standing, rank: rankOf(row, nowS) }))
  ranked.sort((one, other) => other.standing - one.standing || other.rank - one.rank || one.row.id - other.row.id)
  return ranked.map(({ row }) => row)
}
