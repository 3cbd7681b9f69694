// Whose files are in the places of one torrent's files: those noted as its own, among them those that it made itself,
// and what a look found out about the others. Kept by the journal; the store asks here before its first write to a
// file. Invariant: what is noted stays so.

import type { InfoHash } from '../../base/ids.ts'
import { piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { FileClaims, FileMark, FoundFile } from '../../ports/piece-store.ts'
import { fileRuns, type ProgressJournal } from '../../ports/progress-journal.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { PieceSet } from '../../base/piece-set.ts'

/** What it works with. */
export interface OwnFilesDeps {
  readonly infoHash: InfoHash
  readonly lengths: TorrentLengths
  readonly files: readonly TorrentFile[]
  readonly journal: Pick<ProgressJournal, 'ownFiles' | 'noteOwnFiles' | 'madeFiles' | 'noteMadeFile'>
  /** The pieces that are there. */
  have(): PieceSet
  /** The user wants files that are in the way written over. */
  overwrites(): boolean
  /** See FileClaims. */
  setAside(path: string, kept: string): void
}

/**
 * Whose files are in the places of one torrent's files: those noted as its own, and what a look found out about the
 * others.
 */
export class OwnFiles implements FileClaims {
  readonly #deps: OwnFilesDeps
  readonly #own = new Set<number>()
  readonly #made = new Map<number, FileMark>()
  #allOwn = false
  readonly #found = new Map<number, FoundFile>()
  #known: Promise<void> | null = null

  constructor(deps: OwnFilesDeps) {
    this.#deps = deps
  }

  known(): Promise<void> {
    return this.#known ?? this.load()
  }

  /** Reads the notes again: others add to them too. Rejects with what the journal said. */
  load(): Promise<void> {
    const known = this.#load()
    this.#known = known
    known.catch(() => {
      if (this.#known === known) this.#known = null
    })
    return known
  }

  isOwn(index: number): boolean {
    return this.#allOwn || this.#own.has(index)
  }

  found(index: number): FoundFile | null {
    const found = this.#found.get(index)
    if (found !== undefined && found !== 'foreign') return found
    if (this.#deps.overwrites()) return 'replace'
    return found ?? (this.hasPieceOf(index) ? 'fits' : null)
  }

  /** What a look says; it counts until the next one. */
  looked(found: ReadonlyMap<number, FoundFile>): void {
    this.#found.clear()
    for (const [index, what] of found) this.#found.set(index, what)
  }

  /** Some piece that is there has bytes of the file. */
  hasPieceOf(index: number): boolean {
    const { files, lengths, have } = this.#deps
    const file = files[index]
    if (file === undefined || file.length === 0) return false
    const pieces = have()
    const [first, last] = piecesOfRange(lengths, file.offset, file.length)
    for (let piece = first; piece <= last; piece += 1) if (pieces.get(piece)) return true
    return false
  }

  madeMark(index: number): FileMark | null {
    return this.#made.get(index) ?? null
  }

  async note(indexes: readonly number[], made?: FileMark): Promise<void> {
    const { journal, infoHash } = this.#deps
    const [first] = indexes
    if (made !== undefined && first !== undefined) {
      await journal.noteMadeFile(infoHash, first, made)
      this.#made.set(first, made)
      this.#own.add(first)
      return
    }
    const news = indexes.filter(index => !this.isOwn(index))
    if (news.length === 0) return
    await journal.noteOwnFiles(infoHash, fileRuns(news))
    for (const index of news) this.#own.add(index)
  }

  setAside(path: string, kept: string): void {
    this.#deps.setAside(path, kept)
  }

  async #load(): Promise<void> {
    const { files, infoHash, journal } = this.#deps
    const [own, made] = await Promise.all([journal.ownFiles(infoHash), journal.madeFiles(infoHash)])
    for (const [index, mark] of made) this.#made.set(index, mark)
    for (const [first, last] of own) {
      if (first === 0 && last >= files.length - 1) this.#allOwn = true
      else for (let index = first; index <= Math.min(last, files.length - 1); index += 1) this.#own.add(index)
    }
  }
}
