// Rows of downloads and their info dictionaries. Synchronous, in the database thread, inside the batch's transaction.

import type Database from 'better-sqlite3'
import type { InfoHash, InfoHashV2, PeerAddress } from '../base/ids.ts'
import type {
  DownloadChange,
  DownloadControls,
  FileRenames,
  LoadedDownload,
  NewDownload,
  StoredDownload,
  StoredMetainfo,
} from '../ports/records.ts'
import type { TorrentNotes } from '../wire/metainfo/torrent-types.ts'
import type { OwnFileRows } from './own-file-rows.ts'
import { FACT_BYTES } from './packed-progress.ts'
import type { ProgressRows } from './progress-rows.ts'

interface DownloadRow {
  id: number
  info_hash: string
  name: string
  source_uri: string
  destination: string
  announce_tiers: string
  peers: string
  added_at: number
  hops: number
  safe_seeding: number
  selected_files: string | null
  user_stopped: number
  total_up: number
  total_down: number
  finished_at: number | null
  scrubbed_at: number | null
  read_at: number | null
  error: string
  position: number
  piece_count: number
  controls: string | null
  seeded_sec: number
  goal_reached: number
  moving_to: string | null
  moved_from: string | null
  renames: string | null
  info_hash_v2: string | null
  web_seeds: string
  queue_order: number | null
}

interface MetainfoRow {
  info: Uint8Array
  piece_layers: Uint8Array | null
  comment: string | null
  created_by: string | null
  creation_date: number | null
  renames: string | null
}

/** How each member of a DownloadChange is written: its column and value. */
const columns: {
  readonly [K in keyof Required<Omit<DownloadChange, 'infoBytes' | 'pieceLayers' | 'ownFiles'>>]: readonly [
    string,
    (value: never) => unknown,
  ]
} = {
  name: ['name', (value: string) => value],
  sourceUri: ['source_uri', (value: string) => value],
  destination: ['destination', (value: string) => value],
  announceTiers: ['announce_tiers', JSON.stringify],
  peers: ['peers', JSON.stringify],
  addedAtMs: ['added_at', Math.round],
  hops: ['hops', (value: number) => value],
  safeSeeding: ['safe_seeding', Number],
  selectedFiles: [
    'selected_files',
    (value: readonly number[] | null) => (value === null ? null : JSON.stringify(value)),
  ],
  userStopped: ['user_stopped', Number],
  finishedAtMs: ['finished_at', (value: number | null) => (value === null ? null : Math.round(value))],
  scrubbedAtMs: ['scrubbed_at', Math.round],
  readAtMs: ['read_at', Math.round],
  error: ['error', (value: string) => value],
  pieceCount: ['piece_count', (value: number) => value],
  controls: ['controls', controlsText],
  seededSec: ['seeded_sec', Math.round],
  goalReached: ['goal_reached', Number],
  movingTo: ['moving_to', (value: string | null) => value],
  movedFrom: ['moved_from', (value: string | null) => value],
  renames: ['renames', (value: FileRenames | null) => (value === null ? null : JSON.stringify(value))],
  infoHashV2: ['info_hash_v2', (value: string | null) => value],
  webSeeds: ['web_seeds', JSON.stringify],
  queueOrder: ['queue_order', (value: number) => value],
}

/** Statements over `downloads` and `metainfo`. */
export class DownloadRows {
  readonly #database: Database.Database
  readonly #progress: ProgressRows
  readonly #ownFiles: OwnFileRows
  readonly #insert: Database.Statement
  readonly #insertInfo: Database.Statement<
    [number, Uint8Array, Uint8Array | null, string | null, string | null, number | null]
  >
  readonly #layers: Database.Statement<[Uint8Array | null, number]>
  readonly #remove: Database.Statement<[string]>
  readonly #id: Database.Statement<[string]>
  readonly #count: Database.Statement<[], number>
  readonly #page: Database.Statement<[number, number], DownloadRow>
  readonly #metainfo: Database.Statement<[number], MetainfoRow>
  readonly #totals: Database.Statement<[number, number, string]>
  readonly #seeded: Database.Statement<[number, string]>
  readonly #queued: Database.Statement<[number, string]>
  /** UPDATE statements by their column list; there are few combinations in use. */
  readonly #updates = new Map<string, Database.Statement>()

  constructor(database: Database.Database, progress: ProgressRows, ownFiles: OwnFileRows) {
    this.#database = database
    this.#ownFiles = ownFiles
    this.#progress = progress
    this.#insert = database.prepare(`
      INSERT INTO downloads (info_hash, name, source_uri, destination, announce_tiers, peers, added_at, hops,
        safe_seeding, selected_files, user_stopped, piece_count, controls, info_hash_v2, web_seeds, queue_order,
        position)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM downloads))
      ON CONFLICT (info_hash) DO NOTHING`)
    this.#insertInfo = database.prepare(`
      INSERT OR REPLACE INTO metainfo (download_id, info, piece_layers, comment, created_by, creation_date)
      VALUES (?, ?, ?, ?, ?, ?)`)
    this.#layers = database.prepare('UPDATE metainfo SET piece_layers = ? WHERE download_id = ?')
    this.#remove = database.prepare('DELETE FROM downloads WHERE info_hash = ?')
    this.#id = database.prepare('SELECT id FROM downloads WHERE info_hash = ?').pluck()
    this.#count = database.prepare<[], number>('SELECT count(*) FROM downloads').pluck()
    this.#page = database.prepare('SELECT * FROM downloads WHERE position > ? ORDER BY position LIMIT ?')
    this.#metainfo = database.prepare(
      'SELECT metainfo.*, renames FROM metainfo JOIN downloads ON downloads.id = download_id WHERE download_id = ?',
    )
    this.#totals = database.prepare('UPDATE downloads SET total_up = ?, total_down = ? WHERE info_hash = ?')
    this.#seeded = database.prepare('UPDATE downloads SET seeded_sec = ? WHERE info_hash = ?')
    this.#queued = database.prepare('UPDATE downloads SET queue_order = ? WHERE info_hash = ?')
  }

  /** False when the info hash is there already. */
  insert(download: NewDownload): boolean {
    const { changes, lastInsertRowid } = this.#insert.run(
      download.infoHash,
      download.name,
      download.sourceUri,
      download.destination,
      JSON.stringify(download.announceTiers),
      JSON.stringify(download.peers),
      Math.round(download.addedAtMs),
      download.hops,
      Number(download.safeSeeding),
      download.selectedFiles === null ? null : JSON.stringify(download.selectedFiles),
      Number(download.userStopped),
      download.pieceCount,
      controlsText(download.controls ?? null),
      download.infoHashV2,
      JSON.stringify(download.webSeeds),
      download.queueOrder ?? null,
    )
    if (changes === 0) return false
    const { infoBytes, pieceLayers = null, notes } = download
    if (infoBytes !== null) this.#keepInfo(Number(lastInsertRowid), infoBytes, pieceLayers, notes)
    if (download.ownFiles !== undefined) this.#ownFiles.note(download.infoHash, download.ownFiles)
    return true
  }

  /** False when there is no such download. */
  update(infoHash: InfoHash, change: DownloadChange): boolean {
    const id = this.#id.get(infoHash) as number | undefined
    if (id === undefined) return false
    const names: string[] = []
    const values: unknown[] = []
    for (const [key, [column, encode]] of Object.entries(columns)) {
      const value = change[key as keyof typeof columns]
      if (value === undefined) continue
      names.push(column)
      values.push((encode as (value: unknown) => unknown)(value))
    }
    if (names.length > 0) this.#updateOf(names).run(...values, id)
    const { infoBytes, pieceLayers } = change
    if (infoBytes !== undefined) this.#keepInfo(id, infoBytes, pieceLayers ?? null)
    else if (pieceLayers !== undefined) this.#layers.run(pieceLayers, id)
    if (change.ownFiles !== undefined) this.#ownFiles.note(infoHash, change.ownFiles)
    return true
  }

  /** Removes the download; its other rows go with it (ON DELETE CASCADE). */
  delete(infoHash: InfoHash): boolean {
    return this.#remove.run(infoHash).changes > 0
  }

  /** How many there are. */
  count(): number {
    return this.#count.get() ?? 0
  }

  /** Up to `limit` downloads whose position is above `after`. */
  list(after: number, limit: number): StoredDownload[] {
    return this.#page.all(after, limit).map(decodeRow)
  }

  /** As list, with metadata and progress; ends early when the page holds `maxBytes`, never empty before the end. */
  load(after: number, limit: number, maxBytes: number): LoadedDownload[] {
    const page: LoadedDownload[] = []
    let bytes = 0
    for (const row of this.#page.iterate(after, limit)) {
      const stored = this.#stored(row.id)
      const resume = this.#progress.resume(row.id, row.piece_count)
      page.push({ download: decodeRow(row), stored, resume })
      bytes += (stored?.infoBytes.length ?? 0) + (stored?.pieceLayers?.length ?? 0) + (resume?.have.length ?? 0) + 512
      bytes += (resume?.files.length ?? 0) * FACT_BYTES
      if (bytes >= maxBytes) break
    }
    return page
  }

  /** What is kept of the torrent file, or null. */
  metainfo(infoHash: InfoHash): StoredMetainfo | null {
    const id = this.#id.get(infoHash) as number | undefined
    return id === undefined ? null : this.#stored(id)
  }

  /** Overwrites all-time counters; unknown downloads are passed over. */
  setTotals(totals: readonly (readonly [infoHash: InfoHash, up: number, down: number])[]): void {
    for (const [infoHash, up, down] of totals) this.#totals.run(Math.round(up), Math.round(down), infoHash)
  }

  /** Overwrites seconds of seeding; unknown downloads are passed over. */
  setSeeded(seeded: readonly (readonly [infoHash: InfoHash, seconds: number])[]): void {
    for (const [infoHash, seconds] of seeded) this.#seeded.run(Math.round(seconds), infoHash)
  }

  /** Overwrites places in the queue; unknown downloads are passed over. */
  setQueueOrders(orders: readonly (readonly [infoHash: InfoHash, order: number])[]): void {
    for (const [infoHash, order] of orders) this.#queued.run(order, infoHash)
  }

  #keepInfo(id: number, infoBytes: Uint8Array, pieceLayers: Uint8Array | null, notes?: TorrentNotes): void {
    const { comment = null, createdBy = null, creationDateSec = null } = notes ?? {}
    this.#insertInfo.run(id, infoBytes, pieceLayers, comment, createdBy, creationDateSec)
  }

  #stored(id: number): StoredMetainfo | null {
    const row = this.#metainfo.get(id)
    if (row === undefined) return null
    const { info: infoBytes, piece_layers: pieceLayers } = row
    const { comment, created_by: createdBy, creation_date: creationDateSec } = row
    const fileNames = row.renames === null ? [] : (JSON.parse(row.renames) as FileRenames).now
    const notes = { comment, createdBy, creationDateSec }
    return { infoBytes, pieceLayers, notes, ...(fileNames.length === 0 ? {} : { fileNames }) }
  }

  #updateOf(names: readonly string[]): Database.Statement {
    const list = names.map(name => `${name} = ?`).join(', ')
    let statement = this.#updates.get(list)
    if (statement === undefined) {
      statement = this.#database.prepare(`UPDATE downloads SET ${list} WHERE id = ?`)
      this.#updates.set(list, statement)
    }
    return statement
  }
}

function decodeRow(row: DownloadRow): StoredDownload {
  return {
    infoHash: row.info_hash as InfoHash,
    name: row.name,
    sourceUri: row.source_uri,
    destination: row.destination,
    announceTiers: JSON.parse(row.announce_tiers) as string[][],
    peers: JSON.parse(row.peers) as PeerAddress[],
    addedAtMs: row.added_at,
    hops: row.hops,
    safeSeeding: row.safe_seeding !== 0,
    selectedFiles: row.selected_files === null ? null : (JSON.parse(row.selected_files) as number[]),
    userStopped: row.user_stopped !== 0,
    totalUp: row.total_up,
    totalDown: row.total_down,
    finishedAtMs: row.finished_at,
    ...(row.scrubbed_at === null ? {} : { scrubbedAtMs: row.scrubbed_at }),
    ...(row.read_at === null ? {} : { readAtMs: row.read_at }),
    error: row.error,
    position: row.position,
    pieceCount: row.piece_count,
    controls: row.controls === null ? null : (JSON.parse(row.controls) as DownloadControls),
    seededSec: row.seeded_sec,
    goalReached: row.goal_reached !== 0,
    movingTo: row.moving_to,
    movedFrom: row.moved_from,
    ...(row.renames === null ? {} : { renames: JSON.parse(row.renames) as FileRenames }),
    infoHashV2: row.info_hash_v2 as InfoHashV2 | null,
    webSeeds: JSON.parse(row.web_seeds) as string[],
    ...(row.queue_order === null ? {} : { queueOrder: row.queue_order }),
  }
}

function controlsText(controls: DownloadControls | null): string | null {
  return controls === null ? null : JSON.stringify(controls)
}
