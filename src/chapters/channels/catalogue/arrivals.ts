// Records that come from the network: decoded, checked one by one, and kept in the role they came for. What is refused
// is counted and changes nothing.

import { DecodeError } from '../../../base/errors.ts'
import type { RecordRole, RecordsVerdict } from '../ports/channel-catalogue.ts'
import { decodeRecord } from '../wire/record-codec.ts'
import { verifyRecord } from '../wire/record-signature.ts'
import { isOwner } from '../wire/rights.ts'
import { type ChannelRecord, MAX_CHANNEL_RECORDS, MAX_FUTURE_S } from '../wire/types.ts'
import { type ChannelRow, DISCOVERED, dropContent } from './channel-rows.ts'
import { MAX_EXTRAS } from './limits.ts'
import type { Parts } from './parts.ts'
import { EXTRA, PREVIEW, type StoredRecord, WANTED } from './record-rows.ts'

/** Records that are kept of a channel that nobody here has subscribed to. */
const MAX_PREVIEWS = 60
/** Bytes of records, with their rows, of one channel: above what a million torrents mostly take. */
export const MAX_CHANNEL_BYTES = 1024 * 1024 * 1024

const ROLES = { wanted: WANTED, extra: EXTRA, preview: PREVIEW } as const
/** Kinds that are judged before those that depend on them. */
const RANK = { channel: 0, grant: 1, torrent: 2, playlist: 2, entry: 3, comment: 3, edit: 3, deletion: 4 } as const

/** Channels whose room is remembered. */
const MAX_ROOMS = 1000
/** Kinds of previews that stay. */
const ALWAYS: ReadonlySet<string> = new Set(['channel', 'grant'])

/** Records that come from the network: decoded, checked one by one, and kept in the role they came for. */
export class Arrivals {
  readonly #parts: Parts
  /** What may still come of a channel's set, at least. */
  readonly #wantedRoom = new Map<number, number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  take(channel: ChannelRow, encodings: readonly Uint8Array[], role: RecordRole): RecordsVerdict {
    const verdict = { kept: 0, known: 0, refused: 0 }
    const records = encodings.map(bytes => this.#decode(channel, bytes)).filter(record => record !== null)
    verdict.refused = encodings.length - records.length
    const fresh = records.some(record => this.#parts.rows.roleOf(channel.id, record.id) === undefined)
    const room = fresh ? this.#room(channel, ROLES[role]) : 0
    const kept: StoredRecord[] = []
    for (const record of records.toSorted((one, other) => RANK[one.content.kind] - RANK[other.content.kind])) {
      const became = this.#takeOne(channel, record, ROLES[role], room - verdict.kept)
      verdict[became.verdict]++
      if (became.stored !== undefined) {
        kept.push(became.stored)
        // An extra is allowed by what came with it.
        if (role === 'extra') this.#parts.view.refresh(channel, [became.stored])
      }
    }
    if (role === 'preview' && kept.length > 0) this.#parts.view.refresh(channel, kept)
    if (role === 'wanted' && fresh) this.#wantedRoom.set(channel.id, room - verdict.kept)
    return verdict
  }

  #takeOne(
    channel: ChannelRow,
    record: ChannelRecord,
    role: number,
    room: number,
  ): { verdict: keyof RecordsVerdict; stored?: StoredRecord } {
    const { rows } = this.#parts
    const known = rows.roleOf(channel.id, record.id)
    if (known !== undefined) return { verdict: 'known', ...this.#promote(known, record, role) }
    const reason = room <= 0 ? 'no room' : this.#reason(channel, record, role)
    if (reason !== null) {
      this.#parts.context.refuse(reason)
      return { verdict: 'refused' }
    }
    const row = rows.insert(channel.id, record, role)
    return { verdict: 'kept', stored: { row, role, counted: -1, record } }
  }

  /** A preview that turns out to be an extra of what is held now. */
  #promote(known: { id: number; role: number }, record: ChannelRecord, role: number): { stored?: StoredRecord } {
    if (known.role !== PREVIEW || role !== EXTRA) return {}
    this.#parts.rows.setRole(known.id, EXTRA)
    return { stored: { row: known.id, role: EXTRA, counted: 0, record } }
  }

  #decode(channel: ChannelRow, bytes: Uint8Array): ChannelRecord | null {
    const { context } = this.#parts
    try {
      const record = decodeRecord(bytes)
      if (record.channel !== channel.cid) context.refuse('of another channel')
      else if (record.timeS > context.nowS() + MAX_FUTURE_S) context.refuse('from the future')
      else return record
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      context.refuse('unreadable')
    }
    return null
  }

  /** Why a record is not taken; null: it is. */
  #reason(channel: ChannelRow, record: ChannelRecord, role: number): string | null {
    const { context, view } = this.#parts
    if (role === EXTRA) {
      // What the owner says of a set that is here comes with its head: what it has taken out must not come back.
      if (channel.held_sequence > 0 && isOwner(record.author, channel.cid)) return 'not in the head'
      if (!view.judge.allows(channel, record, view.judge.rules(channel))) return 'not allowed'
    }
    return verifyRecord(record, context.verify) ? null : 'forged'
  }

  #room(channel: ChannelRow, role: number): number {
    const { rows } = this.#parts
    if (channel.bytes >= MAX_CHANNEL_BYTES) return 0
    if (role === WANTED) return this.#roomForWanted(channel.id)
    if (role === EXTRA) return channel.standing === DISCOVERED ? 0 : MAX_EXTRAS - rows.countInRole(channel.id, EXTRA)
    // Previews of a channel that is here whole are of no use.
    if (channel.head_records === 0) return 0
    if (channel.held_sequence > 0 && !this.#letGo(channel)) return 0
    return this.#roomForPreviews(channel)
  }

  /** Counted when it may be used up, since counting takes as long as there are records. */
  #roomForWanted(channel: number): number {
    const left = this.#wantedRoom.get(channel) ?? 0
    if (left > 0) return left
    if (this.#wantedRoom.size >= MAX_ROOMS) this.#wantedRoom.clear()
    return MAX_CHANNEL_RECORDS - this.#parts.rows.countInRole(channel, WANTED)
  }

  /** A set that was left when its channel was unsubscribed from goes when it is out of date. */
  #letGo(channel: ChannelRow): boolean {
    if (channel.standing !== DISCOVERED || channel.head_sequence <= channel.held_sequence) return false
    dropContent(this.#parts.context, channel.id)
    this.#parts.channels.setHeld(channel, 0, 0)
    return true
  }

  /** The oldest previews go when newer ones come. */
  #roomForPreviews(channel: ChannelRow): number {
    const { rows, view } = this.#parts
    const kept = rows.inRole(channel.id, PREVIEW, MAX_PREVIEWS * 2)
    const gone = kept.slice(MAX_PREVIEWS / 2).filter(({ record: { content } }) => !ALWAYS.has(content.kind))
    if (kept.length < MAX_PREVIEWS) return MAX_PREVIEWS - kept.length
    for (const stored of gone) {
      rows.setRole(stored.row, WANTED)
      view.refresh(channel, [{ ...stored, role: WANTED }])
      rows.drop(channel.id, stored)
    }
    return MAX_PREVIEWS - kept.length + gone.length
  }
}
