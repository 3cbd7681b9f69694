// The jobs of the network's side (ports/channel-catalogue.ts), synchronous in the catalogue's thread.

import type { FoundRecords, HeadVerdict, KnownChannel, RecordRole, RecordsVerdict } from '../ports/channel-catalogue.ts'
import { parseInfoHash } from '../../../base/ids.ts'
import { DecodeError } from '../../../base/errors.ts'
import { decodeHead, verifyHead } from '../wire/head-codec.ts'
import { recordIdBytes } from '../wire/ids.ts'
import { verifyVote } from '../wire/vote-codec.ts'
import {
  type ChannelHead,
  type ChannelId,
  type ChannelVote,
  MAX_FUTURE_S,
  type RecordId,
  type TreeNode,
} from '../wire/types.ts'
import { adopt, type SetChange } from './adoption.ts'
import { Arrivals } from './arrivals.ts'
import { type ChannelRow, DISCOVERED, dropContent, knownOf } from './channel-rows.ts'
import { GiverBudgets } from './giver-budgets.ts'
import type { NetworkJobs } from './jobs.ts'
import { ADMITTED_BEFORE_EVICTION, MAX_DISCOVERED } from './limits.ts'
import type { Parts } from './parts.ts'
import { previewOf } from './previews.ts'
import { bestFirst, RANK_COLUMNS, type RankRow } from './ranking.ts'
import type { Search } from './search.ts'

/** New channels from one giver in an hour. */
export const NEW_CHANNELS_PER_HOUR = 300
/** New votes from one giver in an hour. */
const VOTES_PER_HOUR = 2000

type Handlers = {
  readonly [N in keyof NetworkJobs as N extends `network.${infer M}` ? M : never]: (
    ...args: NetworkJobs[N]['args']
  ) => NetworkJobs[N]['reply']
}

/** Most that is answered at once. */
const MOST = 10_000

/** The jobs of the network's side (ports/channel-catalogue.ts), synchronous in the catalogue's thread. */
export class NetworkSide implements Handlers {
  readonly #parts: Parts
  readonly #search: Search
  readonly #arrivals: Arrivals
  readonly #newChannels = new GiverBudgets(NEW_CHANNELS_PER_HOUR)
  readonly #newVotes = new GiverBudgets(VOTES_PER_HOUR)

  constructor(parts: Parts, search: Search) {
    this.#parts = parts
    this.#search = search
    this.#arrivals = new Arrivals(parts)
  }

  worthAnnouncing(limit: number): KnownChannel[] {
    const { context, channels } = this.#parts
    const rows = context.sql.all<RankRow>(`SELECT ${RANK_COLUMNS} FROM channels WHERE head IS NOT NULL`)
    const best = bestFirst(rows, context.nowS()).slice(0, limit)
    return best.map(({ id }) => knownOf(channels.byId(id)))
  }

  wanted(): KnownChannel[] {
    const text = `SELECT * FROM channels WHERE standing > ${DISCOVERED} ORDER BY id`
    return this.#parts.context.sql.all<ChannelRow>(text).map(knownOf)
  }

  known(channel: ChannelId): KnownChannel | null {
    const row = this.#parts.channels.find(channel)
    return row === undefined ? null : knownOf(row)
  }

  offerHead(offered: ChannelHead, from: string): HeadVerdict {
    const { channels, context } = this.#parts
    const head = this.#checked(offered)
    if (head === null) return 'refused'
    const row = channels.find(head.channel)
    if (row === undefined) return this.#admit(head, from)
    if (row.head_sequence >= head.sequence) return 'known'
    if (!this.#signed(head)) return 'refused'
    channels.setHead(row, head)
    // The owner has ended the channel.
    if (head.records === 0 && row.standing === DISCOVERED) dropContent(context, row.id)
    return 'newer'
  }

  #admit(head: ChannelHead, from: string): HeadVerdict {
    const { channels, context } = this.#parts
    // Upkeep forgets the worst ranked beyond MAX_DISCOVERED: junk that came first must not keep others out for good.
    const discovered = `SELECT count(*) FROM channels WHERE standing = ${DISCOVERED}`
    const full = (context.sql.value<number>(discovered) ?? 0) >= MAX_DISCOVERED + ADMITTED_BEFORE_EVICTION
    const reason =
      head.records === 0 ? 'ended' : full ? 'no room' : this.#newChannels.take(from, context.nowS()) ? null : 'too many'
    if (reason !== null) {
      context.refuse(reason)
      return 'refused'
    }
    if (!this.#signed(head)) return 'refused'
    channels.setHead(channels.make(head.channel, DISCOVERED, from), head)
    return 'new'
  }

  /** The head as its own bytes tell it, whatever else the object says. */
  #checked(head: ChannelHead): ChannelHead | null {
    const { context } = this.#parts
    try {
      const own = decodeHead(head)
      if (own.timeS <= context.nowS() + MAX_FUTURE_S) return own
      context.refuse('from the future')
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      context.refuse('unreadable')
    }
    return null
  }

  #signed(head: ChannelHead): boolean {
    const { context } = this.#parts
    const signed = verifyHead(head, context.verify)
    if (!signed) context.refuse('forged')
    return signed
  }

  treeNode(channel: ChannelId, prefix: string): { readonly sequence: number; readonly node: TreeNode } | null {
    const { channels, tree } = this.#parts
    const row = channels.find(channel)
    if (row === undefined || row.held_sequence === 0 || !/^[0-9a-f]{0,64}$/.test(prefix)) return null
    const node = tree.node(row.id, prefix)
    return node === null ? null : { sequence: row.held_sequence, node }
  }

  lacking(channel: ChannelId, ids: readonly RecordId[]): RecordId[] {
    const { channels, rows } = this.#parts
    const row = channels.find(channel)
    return row === undefined ? [...ids] : ids.filter(id => rows.roleOf(row.id, id) === undefined)
  }

  records(channel: ChannelId, ids: readonly RecordId[], maxBytes: number): Uint8Array[] {
    const { channels, context } = this.#parts
    const row = channels.find(channel)
    const found: Uint8Array[] = []
    let bytes = 0
    for (const id of row === undefined ? [] : ids) {
      const text = 'SELECT bytes FROM records WHERE channel = ? AND hash = ?'
      const record = context.sql.value<Uint8Array>(text, row?.id ?? 0, recordIdBytes(id))
      if (record === undefined) continue
      bytes += record.length
      if (bytes > maxBytes && found.length > 0) break
      found.push(record)
    }
    return found
  }

  offerRecords(channel: ChannelId, records: readonly Uint8Array[], role: RecordRole, _from: string): RecordsVerdict {
    const row = this.#parts.channels.find(channel)
    if (row !== undefined) return this.#arrivals.take(row, records, role)
    this.#parts.context.refuse('channel not known', records.length)
    return { kept: 0, known: 0, refused: records.length }
  }

  adopt(offered: ChannelHead, change: SetChange): boolean {
    const head = this.#checked(offered)
    const row = head === null ? undefined : this.#parts.channels.find(head.channel)
    if (head === null || row === undefined || !this.#signed(head)) return false
    if (head.sequence <= row.held_sequence) return head.sequence === row.held_sequence
    return adopt(this.#parts, row, head, change)
  }

  extras(channel: ChannelId, limit: number): RecordId[] {
    const { channels, rows } = this.#parts
    const row = channels.find(channel)
    if (row === undefined) return []
    return rows.countedExtras(row.id, Math.min(limit, MOST))
  }

  preview(channel: ChannelId, limit: number): Uint8Array[] {
    const row = this.#parts.channels.find(channel)
    return row === undefined ? [] : previewOf(this.#parts, row, limit)
  }

  searchFor(text: string, limit: number): FoundRecords {
    return this.#search.forPeer(text, limit)
  }

  votes(channel: ChannelId, limit: number): ChannelVote[] {
    const row = this.#parts.channels.find(channel)
    return row === undefined ? [] : this.#parts.votes.list(row.id, Math.min(limit, MOST))
  }

  offerVotes(votes: readonly ChannelVote[], from: string): number {
    const { channels, context, votes: kept } = this.#parts
    let taken = 0
    for (const vote of votes) {
      const row = channels.find(vote.channel)
      const reason =
        row === undefined
          ? 'channel not known'
          : vote.timeS > context.nowS() + MAX_FUTURE_S
            ? 'from the future'
            : kept.of(row.id, vote.voter).time >= vote.timeS
              ? 'known'
              : !this.#newVotes.take(from, context.nowS())
                ? 'too many votes'
                : verifyVote(vote, context.verify)
                  ? null
                  : 'forged'
      if (reason === null && row !== undefined) taken += Number(kept.keep(row.id, vote))
      else if (reason !== null && reason !== 'known') context.refuse(reason)
    }
    return taken
  }

  heldRecords(
    channel: ChannelId,
    after: RecordId | null,
    maxBytes: number,
  ): { readonly id: RecordId; readonly bytes: Uint8Array }[] {
    const { channels, context } = this.#parts
    const row = channels.find(channel)
    if (row === undefined) return []
    const text = 'SELECT hash, bytes FROM records WHERE channel = ? AND hash > ? AND role = 0 ORDER BY hash LIMIT 1000'
    const from = after === null ? new Uint8Array(0) : recordIdBytes(after)
    const found: { id: RecordId; bytes: Uint8Array }[] = []
    let bytes = 0
    for (const record of context.sql.all<{ hash: Uint8Array; bytes: Uint8Array }>(text, row.id, from)) {
      bytes += record.bytes.length
      if (bytes > maxBytes && found.length > 0) break
      found.push({ id: Buffer.from(record.hash).toString('hex') as RecordId, bytes: record.bytes })
    }
    return found
  }

  signPack(channel: ChannelId, sequence: number, pack: string): ChannelHead | null {
    const row = this.#parts.channels.find(channel)
    const infoHash = parseInfoHash(pack)
    return row === undefined || infoHash === null ? null : this.#parts.own.signPack(row, sequence, infoHash)
  }
}
