// Gives files and folders of downloads other names. The row says `to` before a file is touched, `now` only when every
// file is there under those names and durable, and then `from` until nothing is left under the old ones: at any instant
// all files are under the names `now`. A run that was cut off is gone on with by the next start. Loaded late: by
// FileRenamer.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, errorText } from '../../../base/errors.ts'
import type { Log } from '../../../ports/log.ts'
import type { FolderUse } from '../../../ports/own-files.ts'
import type { FileRenames } from '../../../ports/records.ts'
import { type FileNames, namedFiles, renamed } from '../../../wire/metainfo/renamed-files.ts'
import type { Metainfo, TorrentFile } from '../../../wire/metainfo/torrent-types.ts'
import { foldName } from '../../../wire/metainfo/unique-paths.ts'
import { runStepsInTurns } from '../../../wire/steps.ts'
import type { DownloadEntry } from '../download-entry.ts'
import type { DownloadSet } from '../download-set.ts'

/** What renaming needs of the node. */
export interface RenamerDeps {
  readonly log: Log
  /** Judges the folder with those files in it. AppErrors InvalidParameter, PathNotAllowed, DiskFull. */
  prepareFolder(folder: string, use?: FolderUse): Promise<string>
}

/** What is to be renamed. */
export interface RenameRequest {
  /** Path below the torrent's folder, as files have it in their `name`; '' = that folder, or the only file. */
  readonly path: string
  readonly name: string
}

const NONE: FileRenames = { now: [], to: null, from: null }

/** Gives files and folders of downloads other names; each call in the turn of its download. */
export class FileRenaming {
  readonly #set: Pick<DownloadSet, 'update' | 'queue'>
  readonly #deps: RenamerDeps
  readonly #signal: AbortSignal

  /** `signal`: gives up what is under way; the next start goes on with it. */
  constructor(set: Pick<DownloadSet, 'update' | 'queue'>, deps: RenamerDeps, signal: AbortSignal) {
    this.#set = set
    this.#deps = deps
    this.#signal = signal
  }

  /**
   * Renames, done when settled; false: it was called so. AppErrors InvalidParameter, FileNotFound, MetadataNotFound,
   * StateConflict (the name is taken, or the files are being moved), PathNotAllowed, and what the disk says.
   */
  async rename(entry: DownloadEntry, request: RenameRequest): Promise<boolean> {
    await this.finish(entry)
    const { destination, movingTo, movedFrom, renames } = entry.stored
    if (movingTo !== null || movedFrom !== null)
      throw new AppError('StateConflict', 'The files are being moved; rename them when that is done.')
    if (renames?.from) throw new AppError('StateConflict', 'Files under older names could not be deleted yet.')
    const metainfo = await entry.torrent.loadMetainfo()
    if (metainfo === null) throw new AppError('MetadataNotFound')
    const now = renames?.now ?? []
    const path = pathFromRoot(metainfo, request.path)
    const next = await runStepsInTurns(renamed(metainfo.files, now, path, request.name), nextTurn)
    if (next.isSame) return false
    const files = await runStepsInTurns(namedFiles(metainfo.files, next.names), nextTurn)
    await this.#deps.prepareFolder(destination, { files })
    await this.#set.update(entry, { renames: { now, to: next.names, from: null } })
    // Another spelling of its own name is there already where the file system takes one for the other.
    const isOther = foldName(request.name) !== foldName(path.at(-1) ?? '')
    await this.#place(entry, { now, to: next.names, files, resumed: false, ...(isOther && { fresh: next.path }) })
    await this.finish(entry)
    return true
  }

  /** Goes on with what a restart cut off. What cannot be done is in the log, and the names stay as they were. */
  async goOn(entry: DownloadEntry): Promise<void> {
    const { infoHash, renames } = entry.stored
    try {
      const metainfo = renames?.to ? await entry.torrent.loadMetainfo() : null
      if (renames?.to && metainfo !== null) {
        const files = await runStepsInTurns(namedFiles(metainfo.files, renames.to), nextTurn)
        await this.#place(entry, { now: renames.now, to: renames.to, files, resumed: true })
      }
      await this.finish(entry)
    } catch (error) {
      this.#deps.log.warn('a file could not be renamed', { infoHash, error: errorText(error) })
    }
  }

  /** Deletes what is left under old names. What cannot be deleted now is tried again by the next call. */
  async finish(entry: DownloadEntry): Promise<void> {
    const { infoHash, destination, renames } = entry.stored
    if (!renames?.from) return
    try {
      const files = (await entry.torrent.loadMetainfo())?.files ?? []
      const old = await runStepsInTurns(namedFiles(files, renames.from), nextTurn)
      await (await entry.torrent.wake()).leaveFolder(destination, old)
      await this.#set.update(entry, { renames: settled(renames.now) })
    } catch (error) {
      this.#deps.log.warn('files are still there under their old names, too', { infoHash, error: errorText(error) })
    }
  }

  async #place(entry: DownloadEntry, run: RenameRun): Promise<void> {
    const signal = this.#signal
    const { now, to, files, fresh, resumed } = run
    try {
      await entry.torrent.moveStorage({
        destination: entry.stored.destination,
        files,
        ...(fresh !== undefined && { fresh }),
        commit: () => this.#set.update(entry, { renames: { now: to, to: null, from: now } }),
        resumed,
        signal,
      })
    } catch (error) {
      if (!signal.aborted) await this.#set.update(entry, { renames: settled(now) })
      throw error
    }
  }
}

interface RenameRun {
  readonly now: FileNames
  readonly to: FileNames
  readonly files: readonly TorrentFile[]
  readonly fresh?: readonly string[]
  readonly resumed: boolean
}

/** No row keeps more than it has to. */
function settled(now: FileNames): FileRenames | null {
  return now.length === 0 ? null : { ...NONE, now }
}

function pathFromRoot({ multiFile, files }: Metainfo, path: string): string[] {
  const root = files[0]?.path[0] ?? ''
  if (path === '') return [root]
  return multiFile ? [root, ...path.split('/')] : path.split('/')
}
