// Who gives files and folders of downloads other names (FileRenaming), made when the first of them is renamed, or was
// on its way when the node stopped.

import type { DownloadEntry } from '../download-entry.ts'
import type { DownloadSet } from '../download-set.ts'
import type { FileRenaming, RenamerDeps, RenameRequest } from './file-renaming.ts'

/** Gives files and folders of downloads other names; each call but resume() in the turn of its download. */
export class FileRenamer {
  readonly #set: Pick<DownloadSet, 'update' | 'queue'>
  readonly #deps: RenamerDeps
  readonly #abort = new AbortController()
  #made: Promise<FileRenaming> | null = null

  constructor(set: Pick<DownloadSet, 'update' | 'queue'>, deps: RenamerDeps) {
    this.#set = set
    this.#deps = deps
  }

  /** See FileRenaming. */
  async rename(entry: DownloadEntry, request: RenameRequest): Promise<boolean> {
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
