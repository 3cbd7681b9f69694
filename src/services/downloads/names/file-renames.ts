// Who gives files and folders of downloads other names (FileRenaming), made when the first of them is renamed, or was
// on its way when the node stopped.

import { AppError } from '../../../base/errors.ts'
import type { DownloadEntry } from '../download-entry.ts'
import type { DownloadSet } from '../download-set.ts'
import type { SharedPlaces } from '../places/shared-places.ts'
import type { FileRenaming, RenamerDeps, RenameRequest } from './file-renaming.ts'

/** Gives files and folders of downloads other names; each call but resume() in the turn of its download. */
export class FileRenamer {
  readonly #set: Pick<DownloadSet, 'update' | 'queue'>
  readonly #shared: Pick<SharedPlaces, 'find'>
  readonly #deps: RenamerDeps
  readonly #abort = new AbortController()
  #made: Promise<FileRenaming> | null = null

  constructor(set: Pick<DownloadSet, 'update' | 'queue'>, shared: Pick<SharedPlaces, 'find'>, deps: RenamerDeps) {
    this.#set = set
    this.#shared = shared
    this.#deps = deps
  }

  /** See FileRenaming. AppError StateConflict also where another download has, or may have, files in the same place. */
  async rename(entry: DownloadEntry, request: RenameRequest): Promise<boolean> {
    // The other one would look for its files in vain. Null: the disks do not tell.
    if ((await this.#shared.find(entry.stored.infoHash)) !== false)
      throw new AppError('StateConflict', 'Another download has, or may have, its files in the same place.')
    return (await this.#renaming()).rename(entry, request)
  }

  /** Goes on with what a restart cut off, in its turn. */
  resume(entry: DownloadEntry): void {
    const { infoHash, renames } = entry.stored
    if (renames?.to || renames?.from)
      void this.#set.queue.run(infoHash, async () => (await this.#renaming()).goOn(entry))
  }

  /** Deletes what is left under old names. What cannot be deleted now is tried again by the next call. */
  async finish(entry: DownloadEntry): Promise<void> {
    if (entry.stored.renames?.from) await (await this.#renaming()).finish(entry)
  }

  /** Gives up what is under way: the next start goes on with it. */
  stop(): void {
    this.#abort.abort()
  }

  #renaming(): Promise<FileRenaming> {
    this.#made ??= import('./file-renaming.ts').then(
      ({ FileRenaming: Renaming }) => new Renaming(this.#set, this.#deps, this.#abort.signal),
    )
    return this.#made
  }
}
