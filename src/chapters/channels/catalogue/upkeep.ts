// What the catalogue does beside its jobs, a bounded piece at a time: takes what others wrote into own channels, keeps
// the quota of discovered channels by forgetting the worst ranked, deletes what will not be asked for.

import type { ChannelRow } from './channel-rows.ts'
import { DISCOVERED, OWN } from './channel-rows.ts'
import { ADMITTED_BEFORE_EVICTION, MAX_DISCOVERED } from './limits.ts'
import type { Parts } from './parts.ts'
import { RANK_COLUMNS, type RankRow, rankOf } from './ranking.ts'
import { takeExtras } from './taken-extras.ts'

/** Records that were put off and are judged in one piece of upkeep. */
const JUDGED_LATE = 200

/** What a channel costs beside its records. */
const CHANNEL_BYTES = 1024
/** Channels that are forgotten at a time; each may hold some 60 previews, or a set that was left. */
const EVICTED_AT_ONCE = 50

/**
 * What the catalogue does beside its jobs, a bounded piece at a time: takes what others wrote into own channels, keeps
 * the quota of discovered channels by forgetting the worst ranked, deletes what will not be asked for.
 */
export class Upkeep {
  readonly #parts: Parts
  #quotaBytes: number
  #shrinks = false

  constructor(parts: Parts, quotaBytes: number) {
    this.#parts = parts
    this.#quotaBytes = quotaBytes
  }

  setQuota(bytes: number): void {
    this.#quotaBytes = bytes
  }

  /** True: there is more to do soon. */
  tend(): boolean {
    if (this.#judgeLate()) return true
    const taken = this.#takeExtras()
    const evicted = this.#evict()
    return taken || evicted
  }

  /** Records of big sets that were adopted. */
  #judgeLate(): boolean {
    const { context, channels, view } = this.#parts
    const text = 'SELECT channel FROM records WHERE counted < 0 AND role <> 2 LIMIT 1'
    const id = context.sql.value<number>(text)
    if (id === undefined) return false
    view.refreshLate(channels.byId(id), JUDGED_LATE)
    return true
  }

  #takeExtras(): boolean {
    const text = 'SELECT * FROM channels WHERE standing = ?'
    const own = this.#parts.context.sql.all<ChannelRow>(text, OWN)
    return own.map(channel => takeExtras(this.#parts, channel)).includes(true)
  }

  /**
   * How many channels must go. Ranking all of them for each channel that comes would cost too much: they go some
   * hundreds in a row.
   */
  #tooMany(channels: number): number {
    if (channels <= MAX_DISCOVERED) this.#shrinks = false
    else if (channels > MAX_DISCOVERED + ADMITTED_BEFORE_EVICTION / 2) this.#shrinks = true
    return this.#shrinks ? channels - MAX_DISCOVERED : 0
  }

  /** The worst ranked go until the rest fits, in bytes and in number; own and subscribed ones never do. */
  #evict(): boolean {
    const { context, channels } = this.#parts
    const text = `SELECT count(*) AS channels, coalesce(sum(bytes + ${CHANNEL_BYTES}), 0) AS bytes FROM channels
      WHERE standing = ${DISCOVERED}`
    const sums = context.sql.get<{ channels: number; bytes: number }>(text) ?? { channels: 0, bytes: 0 }
    let over = sums.bytes - this.#quotaBytes
    let tooMany = this.#tooMany(sums.channels)
    if (over <= 0 && tooMany <= 0) return false
    const rows = context.sql.all<RankRow & Pick<ChannelRow, 'cid' | 'bytes' | 'found_at'>>(
      `SELECT ${RANK_COLUMNS}, cid, bytes, found_at FROM channels WHERE standing = ?`,
      DISCOVERED,
    )
    const nowS = context.nowS()
    const ranked = rows.map(row => ({ row, rank: rankOf(row, nowS) }))
    ranked.sort((one, other) => one.rank - other.rank || one.row.found_at - other.row.found_at)
    for (const { row } of ranked.slice(0, EVICTED_AT_ONCE)) {
      if (over <= 0 && tooMany <= 0) break
      channels.drop(row)
      context.refuse('evicted')
      over -= row.bytes + CHANNEL_BYTES
      tooMany--
    }
    return over > 0 || tooMany > 0
  }
}
