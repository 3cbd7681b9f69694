// Rows of `channels`.

import type { KnownChannel } from '../ports/channel-catalogue.ts'
import { AppError } from '../../../base/errors.ts'
import { headFromBytes, headToBytes } from '../wire/head-codec.ts'
import { parseChannelId } from '../wire/ids.ts'
import type { ChannelHead, ChannelId, ChannelMode } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'

/** A channel that others told of; numbers of ChannelStanding as the table has them. */
export const DISCOVERED = 0
/** A channel that is subscribed to. */
export const SUBSCRIBED = 1
/** A channel of ours. */
export const OWN = 2

const STANDINGS = ['discovered', 'subscribed', 'own'] as const

/** A row. Own channels have standing OWN; see schema.ts. */
export interface ChannelRow {
  readonly id: number
  readonly cid: ChannelId
  readonly standing: number
  readonly head: Uint8Array | null
  readonly head_sequence: number
  readonly head_records: number
  readonly head_time: number
  readonly held_sequence: number
  readonly held_records: number
  readonly name: string
  readonly description: string
  readonly mode: ChannelMode
  readonly adult: number
  readonly announced: number
  readonly torrents: number
  readonly extras: number
  readonly votes: number
  readonly spam: number
  readonly seeders: number
  readonly modified: number
  readonly bytes: number
  readonly giver: string
  readonly found_at: number
  /** 1: an own channel that its owner has unsubscribed from. */
  readonly own_left: number
}

/** Whether it is subscribed to, as clients see it: an own channel is from the moment it is made (spec 3.4). */
export function isSubscribed({ standing, own_left: left }: Pick<ChannelRow, 'standing' | 'own_left'>): boolean {
  return standing === SUBSCRIBED || (standing === OWN && left === 0)
}

/** The standing's word. */
export function standingOf(row: ChannelRow): (typeof STANDINGS)[number] {
  return STANDINGS[row.standing] ?? 'discovered'
}

/** The row as the network sees it. */
export function knownOf(row: ChannelRow): KnownChannel {
  return {
    channel: row.cid,
    head: row.head === null ? null : headFromBytes(row.head),
    standing: standingOf(row),
    heldSequence: row.held_sequence,
  }
}

/** Statements over `channels`. */
export class ChannelRows {
  readonly #context: CatalogueContext

  constructor(context: CatalogueContext) {
    this.#context = context
  }

  find(cid: string): ChannelRow | undefined {
    return this.#context.sql.get<ChannelRow>('SELECT * FROM channels WHERE cid = ?', cid)
  }

  /** By the path of a request. AppError ChannelNotFound. */
  named(cid: string): ChannelRow {
    const id = parseChannelId(cid)
    const row = id === null ? undefined : this.find(id)
    if (row === undefined) throw new AppError('ChannelNotFound')
    return row
  }

  byId(id: number): ChannelRow {
    const row = this.#context.sql.get<ChannelRow>('SELECT * FROM channels WHERE id = ?', id)
    if (row === undefined) throw new Error(`channel ${id} is gone`)
    return row
  }

  /** Makes a row for an unknown channel. */
  make(cid: ChannelId, standing: number, giver: string): ChannelRow {
    const text = 'INSERT INTO channels (cid, standing, giver, found_at) VALUES (?, ?, ?, ?)'
    const id = this.#context.sql.insert(text, cid, standing, giver, this.#context.nowS())
    if (standing !== DISCOVERED)
      this.#context.tell({ kind: 'standing', channel: cid, standing: STANDINGS[standing] ?? null })
    return this.byId(id)
  }

  setHead(row: ChannelRow, head: ChannelHead): void {
    const text = 'UPDATE channels SET head = ?, head_sequence = ?, head_records = ?, head_time = ? WHERE id = ?'
    this.#context.sql.run(text, headToBytes(head), head.sequence, head.records, head.timeS, row.id)
    this.#context.tell({ kind: 'head', channel: row.cid, own: row.standing === OWN })
  }

  setHeld(row: ChannelRow, sequence: number, records: number): void {
    const text = 'UPDATE channels SET held_sequence = ?, held_records = ? WHERE id = ?'
    this.#context.sql.run(text, sequence, records, row.id)
  }

  setStanding(row: ChannelRow, standing: number): void {
    this.#context.sql.run('UPDATE channels SET standing = ? WHERE id = ?', standing, row.id)
    this.#context.tell({ kind: 'standing', channel: row.cid, standing: STANDINGS[standing] ?? null })
  }

  /**
   * Whether the owner of an own channel is subscribed to it; it changes no standing and no vote, and peers do not get
   * it.
   */
  setOwnSubscription({ id }: ChannelRow, subscribed: boolean): void {
    this.#context.sql.run('UPDATE channels SET own_left = ? WHERE id = ?', subscribed ? 0 : 1, id)
  }

  /** Forgets the channel and all that hangs on it, votes included. */
  drop(row: Pick<ChannelRow, 'id' | 'cid'>): void {
    const { sql } = this.#context
    dropContent(this.#context, row.id)
    sql.run('DELETE FROM votes WHERE channel = ?', row.id)
    sql.run('DELETE FROM found_channels WHERE rowid = ?', row.id)
    sql.run('DELETE FROM channels WHERE id = ?', row.id)
    this.#context.tell({ kind: 'standing', channel: row.cid, standing: null })
  }
}

/** Takes away all records of a channel and what they came to. */
export function dropContent({ sql, ownersWords }: CatalogueContext, channel: number): void {
  ownersWords.changes++
  sql.run(
    'DELETE FROM found_torrents WHERE rowid IN (SELECT id FROM torrents WHERE channel = ? AND shown = 1)',
    channel,
  )
  for (const table of ['torrents', 'playlists', 'entries', 'comments', 'refs', 'tree', 'records']) {
    sql.run(`DELETE FROM ${table} WHERE channel = ?`, channel)
  }
  sql.run('UPDATE channels SET torrents = 0, seeders = 0, extras = 0, bytes = 0 WHERE id = ?', channel)
}
