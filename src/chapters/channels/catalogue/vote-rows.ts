// Votes: one of each key and channel, the newest. The sums are in the channel's row.

import { decodeVote } from '../wire/vote-codec.ts'
import type { ChannelVote } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'

/** Votes that are kept of a channel. */
const MAX_VOTES = 5000

/** Statements over `votes`. */
export class VoteRows {
  readonly #context: CatalogueContext

  constructor(context: CatalogueContext) {
    this.#context = context
  }

  /** Keeps a vote that is signed; false: a newer one of this voter is here, or there are too many. */
  keep(channel: number, vote: ChannelVote): boolean {
    const { sql } = this.#context
    const text = 'SELECT value, time FROM votes WHERE channel = ? AND voter = ?'
    const before = sql.get<{ value: number; time: number }>(text, channel, vote.voter)
    if (before !== undefined && before.time >= vote.timeS) return false
    if (before === undefined && this.count(channel) >= MAX_VOTES) return false
    const put = 'INSERT OR REPLACE INTO votes (channel, voter, value, time, bytes) VALUES (?, ?, ?, ?, ?)'
    sql.run(put, channel, vote.voter, vote.value, vote.timeS, vote.bytes)
    const change = (value: number): number => Number(vote.value === value) - Number(before?.value === value)
    const add = 'UPDATE channels SET votes = votes + ?, spam = spam + ? WHERE id = ?'
    sql.run(add, change(1), change(-1), channel)
    return true
  }

  count(channel: number): number {
    return this.#context.sql.value<number>('SELECT count(*) FROM votes WHERE channel = ?', channel) ?? 0
  }

  /** The vote of a key; 0: none. */
  of(channel: number, voter: Uint8Array): { readonly value: number; readonly time: number } {
    const text = 'SELECT value, time FROM votes WHERE channel = ? AND voter = ?'
    return this.#context.sql.get<{ value: number; time: number }>(text, channel, voter) ?? { value: 0, time: 0 }
  }

  /** The newest. */
  list(channel: number, limit: number): ChannelVote[] {
    const text = 'SELECT bytes FROM votes WHERE channel = ? ORDER BY time DESC LIMIT ?'
    return this.#context.sql.values<Uint8Array>(text, channel, limit).map(decodeVote)
  }
}
