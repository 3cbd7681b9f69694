// Progress of downloads: the last checkpoint and the journal of pieces verified since. Synchronous, in the database
// thread. A journal row carries the epoch it was written in; an epoch ends when a boot ends without a clean stop, and
// rows of an older epoch are pieces that may never have reached the disk.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'
import { type FileFacts, unfitFacts } from '../ports/piece-store.ts'
import type { ResumeData } from '../ports/progress-journal.ts'

interface DownloadKey {
  id: number
  piece_count: number
}

interface ProgressRow {
  have: Buffer
  files: string
  complete: number
  checkpoint_at: number
  user_stopped: number
}

interface JournalRow {
  piece: number
  at_ms: number
  epoch: number
}

/** Statements over `progress` and `piece_journal`. */
export class ProgressRows {
  readonly #epoch: number
  readonly #killed: boolean
  readonly #key: Database.Statement<[string], DownloadKey>
  readonly #addPiece: Database.Statement<[number, number, number, number]>
  readonly #setProgress: Database.Statement<[number, Uint8Array, string, number, number]>
  readonly #setHave: Database.Statement<[Uint8Array, number]>
  readonly #setFiles: Database.Statement<[string, number]>
  readonly #progress: Database.Statement<[number], ProgressRow>
  readonly #journal: Database.Statement<[number], JournalRow>
  readonly #dropPiece: Database.Statement<[number, number]>
  readonly #dropJournal: Database.Statement<[number]>

  /** `killed`: the run before this one did not end in order, so it may have written after its last word. */
  constructor(database: Database.Database, epoch: number, killed: boolean) {
    this.#epoch = epoch
    this.#killed = killed
    this.#key = database.prepare('SELECT id, piece_count FROM downloads WHERE info_hash = ?')
    this.#addPiece = database.prepare(`
      INSERT INTO piece_journal (download_id, piece, at_ms, epoch) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, epoch = excluded.epoch`)
    this.#setProgress = database.prepare(`
      INSERT OR REPLACE INTO progress (download_id, have, files, checkpoint_at, complete) VALUES (?, ?, ?, ?, ?)`)
    this.#setHave = database.prepare('UPDATE progress SET have = ? WHERE download_id = ?')
    this.#setFiles = database.prepare('UPDATE progress SET files = ? WHERE download_id = ?')
    this.#progress = database.prepare(`
      SELECT have, files, complete, checkpoint_at, user_stopped
      FROM progress JOIN downloads ON downloads.id = download_id WHERE download_id = ?`)
    this.#journal = database.prepare('SELECT piece, at_ms, epoch FROM piece_journal WHERE download_id = ?')
    this.#dropPiece = database.prepare('DELETE FROM piece_journal WHERE download_id = ? AND piece = ?')
    this.#dropJournal = database.prepare('DELETE FROM piece_journal WHERE download_id = ?')
  }

  /** Journals pieces, the last of them verified at `atMs`; nothing for a download that is gone. */
  verified(infoHash: InfoHash, pieces: readonly number[], atMs: number): void {
    const key = this.#key.get(infoHash)
    if (key === undefined) return
    for (const piece of pieces) this.#addPiece.run(key.id, piece, Math.round(atMs), this.#epoch)
  }

  /** All of `have` is on the disk: journal rows of other pieces stay. */
  checkpoint(infoHash: InfoHash, have: Uint8Array, files: readonly FileFacts[], atMs: number): void {
    const key = this.#key.get(infoHash)
    if (key === undefined) return
    const covered = this.#journal.all(key.id).filter(row => hasBit(have, row.piece))
    for (const row of covered) this.#dropPiece.run(key.id, row.piece)
    this.#setProgress.run(key.id, have, JSON.stringify(files), Math.round(atMs), 1)
  }

  /** Neither the journal nor the checkpoint says any more that the pieces are there. */
  dropped(infoHash: InfoHash, pieces: readonly number[]): void {
    const key = this.#key.get(infoHash)
    if (key === undefined) return
    for (const piece of pieces) this.#dropPiece.run(key.id, piece)
    const row = this.#progress.get(key.id)
    if (row === undefined) return
    const have = Uint8Array.from(row.have)
    for (const piece of pieces) clearBit(have, piece)
    this.#setHave.run(have, key.id)
  }

  /** The files get facts that no file fits; nothing else changes. */
  doubt(infoHash: InfoHash, files: readonly number[]): void {
    const key = this.#key.get(infoHash)
    if (key === undefined) return
    const row = this.#progress.get(key.id)
    const known = row === undefined ? [] : (JSON.parse(row.files) as FileFacts[])
    const doubted = new Set(files)
    const length = files.reduce((most, file) => Math.max(most, file + 1), known.length)
    const facts = Array.from({ length }, (_, index) =>
      doubted.has(index) ? unfitFacts(index) : (known[index] ?? noFacts(index)),
    )
    const text = JSON.stringify(facts)
    if (row === undefined) this.#setProgress.run(key.id, new Uint8Array(0), text, 0, 1)
    else this.#setFiles.run(text, key.id)
  }

  /** Forgets everything; until the next checkpoint, pieces that are not journalled count as suspect. */
  reset(infoHash: InfoHash): void {
    const key = this.#key.get(infoHash)
    if (key === undefined) return
    this.#dropJournal.run(key.id)
    this.#setProgress.run(key.id, new Uint8Array(0), '[]', 0, 0)
  }

  /** What the download of that info hash resumes from; null = nothing known. */
  resumeOf(infoHash: InfoHash): ResumeData | null {
    const key = this.#key.get(infoHash)
    return key === undefined ? null : this.resume(key.id, key.piece_count)
  }

  /** As resumeOf, by row id. `have` is as long as `pieceCount` bits need. */
  resume(id: number, pieceCount: number): ResumeData | null {
    const progress = this.#progress.get(id)
    const journal = this.#journal.all(id)
    if (progress === undefined && journal.length === 0) return null
    const have = new Uint8Array(Math.ceil(pieceCount / 8))
    if (progress !== undefined) have.set(progress.have.subarray(0, have.length))
    const suspect = new Set<number>()
    let newestMs = 0
    for (const { piece, at_ms, epoch } of journal) {
      if (piece >= pieceCount) continue
      newestMs = Math.max(newestMs, at_ms)
      if (epoch === this.#epoch) setBit(have, piece)
      else if (!hasBit(have, piece)) suspect.add(piece)
    }
    if (progress !== undefined && progress.complete === 0) {
      // A full check began and did not end: what it has not confirmed is not known to be missing either.
      for (let piece = 0; piece < pieceCount; piece++) if (!hasBit(have, piece)) suspect.add(piece)
    }
    if (this.#killed && progress?.complete === 1 && progress.user_stopped === 0 && !isFull(have, pieceCount)) {
      // It was at work: blocks written after the checkpoint and not journalled yet must not look like another
      // program's.
      newestMs = Math.max(newestMs, progress.checkpoint_at)
    }
    const files = progress === undefined ? [] : (JSON.parse(progress.files) as FileFacts[])
    return { have, suspect: [...suspect].sort((a, b) => a - b), files, newestMs }
  }
}

function noFacts(index: number): FileFacts {
  return { index, exists: false, sizeBytes: 0, mtimeMs: 0 }
}

function isFull(bits: Uint8Array, pieceCount: number): boolean {
  for (let piece = 0; piece < pieceCount; piece++) if (!hasBit(bits, piece)) return false
  return true
}

/** True when bit `piece` is set, most significant first; false beyond the end. */
function hasBit(bits: Uint8Array, piece: number): boolean {
  return ((bits[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0
}

function clearBit(bits: Uint8Array, piece: number): void {
  const byte = piece >> 3
  if (byte < bits.length) bits[byte] = (bits[byte] ?? 0) & ~(0x80 >> (piece & 7))
}

function setBit(bits: Uint8Array, piece: number): void {
  const byte = piece >> 3
  bits[byte] = (bits[byte] ?? 0) | (0x80 >> (piece & 7))
}
