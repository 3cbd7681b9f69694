// Whose files are in the places of one torrent's files: those noted as its own, among them those that it made itself,
// and what a look found out about the others. Kept by the journal; the store asks here before its first write to a
// file. Invariant: what is noted as its own stays so; as its making, until another program writes into it.

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
  readonly journal: Pick<ProgressJournal, 'ownFiles' | 'noteOwnFiles' | 'madeFiles' | 'noteMadeFile' | 'keepMadeFiles'>
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
  /** Written into by others in this run: what the journal is just telling may be older. */
  readonly #changed = new Set<number>()
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

  /** Some file is of its making. */
  get hasMade(): boolean {
    return this.#made.size > 0
  }

  madeMark(index: number): FileMark | null {
    return this.#made.get(index) ?? null
  }

  /**
   * Another program wrote into the file, which is its making from now on. Whoever finds that out notes it as a doubt in
   * the journal, which forgets the making too.
   */
  changed(index: number): void {
    this.#changed.add(index)
    this.#made.delete(index)
  }

  /** What it made until now is the user's. Rejects with what the journal said; in this run it is so from now on. */
  async keepMade(): Promise<void> {
    const { journal, infoHash } = this.#deps
    await this.known()
    for (const index of this.#made.keys()) this.changed(index)
    await journal.keepMadeFiles(infoHash)
  }

  async note(indexes: readonly number[], made?: FileMark): Promise<void> {
    const { journal, infoHash } = this.#deps
    const [first] = indexes
    if (made !== undefined && first !== undefined) {
      await journal.noteMadeFile(infoHash, first, made)
      this.#changed.delete(first)
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
    this.#made.clear()
    for (const [index, mark] of made) if (isMark(mark) && !this.#changed.has(index)) this.#made.set(index, mark)
    for (const [first, last] of own) {
      if (first === 0 && last >= files.length - 1) this.#allOwn = true
      else for (let index = first; index <= Math.min(last, files.length - 1); index += 1) this.#own.add(index)
    }
  }
}

/** A mark without a time says nothing: it is of a file system that gives numbers out again. */
function isMark(mark: FileMark): boolean {
  return mark !== '' && !mark.endsWith('-0')
}
