// What comes before the first write to each file of one torrent: a file that is not there is made, empty, and noted as
// the torrent's own before it gets a byte, ahead of its first piece where somebody waits for that; one that is there
// is written to only when it was looked at, and as that look allows. Invariant: no byte of a file that is not the
// torrent's own changes.

import { foreignFile } from '../base/foreign-file.ts'
import type { DiskSpace } from '../io/files/disk-space.ts'
import type { FileNotes } from '../io/files/file-notes.ts'
import { makeOwn } from '../io/files/make-own.ts'
import type { NotedFiles } from '../io/files/noted-files.ts'
import type { OpenFiles } from '../io/files/open-files.ts'
import type { TorrentFolder } from '../io/files/torrent-folder.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { FileClaims, StoreLayout } from '../ports/piece-store.ts'
import type { ArenaNumber } from './contract/jobs.ts'
import { type SpanWrite, spanWrites } from './jobs/write.ts'
import type { FileSpan } from './spans.ts'

/** What first writes share with the other work of a store. */
export interface FirstWriteParts {
  readonly lanes: VolumeLanes
  readonly space: DiskSpace
  readonly files: Pick<OpenFiles, 'forget'>
  readonly arenas: readonly SharedArrayBuffer[]
}

/** The first writes of one torrent, in one folder. */
export class FirstWrites {
  readonly #layout: StoreLayout
  readonly #folder: TorrentFolder
  readonly #parts: FirstWriteParts
  readonly #claims: FileClaims | null
  readonly #notes: FileNotes
  readonly #source: NotedFiles
  /** Files at work: several pieces of one may come at once. */
  readonly #underWay = new Map<number, Promise<void>>()

  constructor(
    layout: StoreLayout,
    folder: TorrentFolder,
    parts: FirstWriteParts,
    notes: FileNotes,
    source: NotedFiles,
  ) {
    this.#notes = notes
    this.#source = source
    this.#layout = layout
    this.#folder = folder
    this.#parts = parts
    this.#claims = layout.claims ?? null
  }

  /** The file may be written to at once. Asked after the folder was prepared. */
  isDone(index: number): boolean {
    return this.#folder.isMade(index) && this.#claims?.isOwn(index) !== false
  }

  /**
   * Makes ready the files that `segments` will be written to. Rejects with ForeignFile, and as the disk and the notes
   * do; then nothing of a file that is not the torrent's has changed.
   */
  async make(arena: ArenaNumber, segments: readonly number[], spans: readonly FileSpan[]): Promise<void> {
    const claims = this.#claims
    if (claims === null) return
    await claims.known()
    if (spans.every(({ file }) => file < 0 || this.isDone(file))) return
    const views = this.#parts.arenas.map(buffer => new Uint8Array(buffer))
    const named = spans.map(({ file, position, length }) => ({ fd: file, position, length }))
    for (const write of spanWrites(views, { arena, segments }, named)) {
      await this.#made(claims, write)
    }
  }

  /**
   * Makes those of the files that are not there, empty, so that their first write finds them. What is there stays as it
   * is. Rejects as the disk and the notes do.
   */
  async makeAhead(indexes: readonly number[]): Promise<void> {
    const claims = this.#claims
    if (claims === null) return
    await claims.known()
    for (const index of indexes) {
      if (this.#folder.isMade(index) || this.#underWay.has(index)) continue
      await this.#once(index, async () => {
        const made = await this.#folder.create(index)
        if (made !== null) await claims.note([index], made.mark || undefined)
      })
    }
  }

  async #made(claims: FileClaims, write: SpanWrite): Promise<void> {
    const index = write.fd
    for (;;) {
      if (this.isDone(index)) return
      const known = this.#underWay.get(index)
      if (known === undefined) return this.#once(index, () => this.#make(claims, write))
      // It may have been made ahead, which leaves alone what is there.
      await known
    }
  }

  #once(index: number, make: () => Promise<void>): Promise<void> {
    const work = make().finally(() => this.#underWay.delete(index))
    this.#underWay.set(index, work)
    return work
  }

  async #make(claims: FileClaims, write: SpanWrite): Promise<void> {
    const index = write.fd
    const made = this.#folder.isMade(index) ? null : await this.#folder.create(index)
    if (made === null) await this.#take(claims, write)
    // Empty so far: after a kill before this it is taken like any empty file.
    await claims.note([index], made?.mark || undefined)
  }

  async #take(claims: FileClaims, { fd: index, position, buffers }: SpanWrite): Promise<void> {
    const found = claims.found(index)
    const path = this.#folder.pathOf(index)
    if (found === null || found === 'foreign')
      throw foreignFile(path, found === null ? 'it was not there when the download began' : 'nothing in it fits')
    // Another program changed it since it was looked at: it is checked first.
    const { changed: change = null } = await this.#source.identify(index)
    if (change !== null) throw change
    const { lanes, space } = this.#parts
    const { key, files } = this.#layout
    const length = files[index]?.length ?? 0
    const { kept, changed } = await makeOwn(
      { folder: this.#folder, index, length, key, found, position, bytes: buffers },
      { lanes, space },
    )
    if (changed) {
      // What was known of it, and descriptors of it, say nothing any more.
      this.#notes.accept(index)
      this.#parts.files.forget(this.#source, index)
    }
    if (kept !== null) claims.setAside(path, kept)
  }
}
