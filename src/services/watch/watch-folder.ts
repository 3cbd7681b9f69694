// The watch folder: torrent files and files of magnet links that a user drops into it become downloads with the default
// settings, each once: what was started is remembered by path, size and time. What cannot be read and does not change
// any more is corrupt: it gets another name and an event. States of a file: new -> (written on) -> started | corrupt.

import { AppError, errorText } from '../../base/errors.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { SeenFiles } from '../../ports/seen-files.ts'
import type { DroppedFile, FolderLook, WatchedFolder } from '../../ports/watched-folder.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import type { AddDownload } from '../downloads/downloads-api.ts'
import { DroppedFiles, type FileVerdict } from '../downloads/dropped-files.ts'
import type { EventHub } from '../events/events.ts'
import { magnetLines } from './magnet-lines.ts'

/** Pause between two looks; longer where a look takes long. */
const LOOK_EVERY_MS = 800
/** A file of links that did not change for so long is whole. */
const STILL_MS = 700
/** A look costs at most this part of the time. */
const LOOK_SHARE = 20
/** Every so many looks are thorough. */
const THOROUGH_EVERY = 10
/** After the system told of a change: writers write more than once. */
const HEARD_AFTER_MS = 150
/** Files started at a time: each waits for the disk. */
const AT_ONCE = 8
/** Files of magnet links hold text. */
const MAX_MAGNET_FILE_BYTES = 256 * 1024

/** Section watch_folder. */
export interface WatchFolderSettings {
  /** Absolute; '' = none. */
  readonly directory: string
  /** What becomes of a file that was started. */
  readonly startedFiles: 'keep' | 'move' | 'delete'
  /** Where they are moved to; '' = a hidden folder in the watch folder. */
  readonly movedTo: string
  /** A file that cannot be read is corrupt when it has not changed for so long, seconds. */
  readonly corruptAfterSec: number
}

/** What starts downloads. */
export interface WatchedDownloads {
  add(request: AddDownload): Promise<unknown>
  addFile(bytes: Uint8Array, request: Omit<AddDownload, 'uri'>): Promise<unknown>
}

/** What the service needs of the node. */
export interface WatchFolderDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly downloads: WatchedDownloads
  readonly seen: SeenFiles
  /** Read at each use. */
  settings(): WatchFolderSettings
  open(directory: string, wanted: (name: string) => boolean): WatchedFolder
}

/** Whether a file is looked at, by its name. */
export function isWanted(name: string): boolean {
  return /\.(torrent|magnet)$/i.test(name)
}

/**
 * The watch folder: torrent files and files of magnet links that a user drops into it become downloads with the default
 * settings, each once: what was started is remembered by path, size and time. Everything works from start() to stop().
 */
export class WatchFolder {
  readonly #deps: WatchFolderDeps
  readonly #files: DroppedFiles
  #folder: WatchedFolder | null = null
  #directory = ''
  #timer: Timer | null = null
  /** When the timer runs, ms of the clock. */
  #dueMs = Infinity
  #looks = 0
  #working: Promise<void> | null = null
  #missing = false
  #stopped = false

  constructor(deps: WatchFolderDeps) {
    this.#deps = deps
    this.#files = new DroppedFiles(deps.seen, deps.clock)
  }

  /** Rejects as the records do. */
  async start(): Promise<void> {
    await this.#files.load()
    this.settingsChanged()
  }

  /** Follows the settings at once. */
  settingsChanged(): void {
    const { directory } = this.#deps.settings()
    if (directory !== this.#directory) {
      this.#folder?.close()
      this.#directory = directory
      this.#missing = false
      this.#looks = 0
      this.#files.forgetUnfinished()
      this.#folder = directory === '' ? null : this.#deps.open(directory, isWanted)
      this.#folder?.listen(() => this.#lookWithin(HEARD_AFTER_MS))
    }
    if (this.#folder !== null) this.#lookWithin(0)
  }

  /** Settles when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#folder?.close()
    this.#folder = null
    await this.#working
  }

  #lookWithin(ms: number): void {
    const { clock } = this.#deps
    // The look under way sets the next one.
    if (this.#stopped || this.#working !== null || clock.now() + ms >= this.#dueMs) return
    this.#timer?.cancel()
    this.#dueMs = clock.now() + ms
    this.#timer = clock.after(ms, () => this.#run())
  }

  #run(): void {
    const { clock, log } = this.#deps
    const folder = this.#folder
    this.#timer = null
    this.#dueMs = Infinity
    if (folder === null) return
    const startMs = clock.now()
    this.#working = this.#look(folder)
      .catch((error: unknown) => log.warn('the watch folder could not be looked at', { error: errorText(error) }))
      .finally(() => {
        this.#working = null
        this.#lookWithin(Math.max(LOOK_EVERY_MS, (clock.now() - startMs) * LOOK_SHARE))
      })
  }

  async #look(folder: WatchedFolder): Promise<void> {
    const thorough = this.#looks++ % THOROUGH_EVERY === 0
    const look = await folder.look(thorough, this.#files.unfinished)
    if (!this.#noteFound(look)) return
    const due = this.#files.due(look.files)
    for (let at = 0; at < due.length; at += AT_ONCE) {
      // Settings may have changed meanwhile.
      if (folder !== this.#folder) return
      await Promise.all(due.slice(at, at + AT_ONCE).map(file => this.#consider(folder, file)))
    }
    await this.#files.noteLook(look, this.#directory)
  }

  #noteFound(look: FolderLook | null): look is FolderLook {
    if (look === null && !this.#missing) {
      this.#deps.log.warn('the watch folder is not there, cannot be read, or is the state directory', {
        directory: this.#directory,
      })
    }
    this.#missing = look === null
    return look !== null
  }

  async #consider(folder: WatchedFolder, file: DroppedFile): Promise<void> {
    const verdict = await this.#judge(folder, file).catch((error: unknown): FileVerdict => ({ kind: 'later', error }))
    switch (verdict.kind) {
      case 'started':
        await this.#files.remember(verdict.file)
        this.#deps.log.info('a file of the watch folder was started', { file: file.path })
        return this.#putAway(folder, verdict.file)
      case 'unreadable':
        if (!this.#files.isStill(file, this.#deps.settings().corruptAfterSec * 1000)) return
        return this.#corrupt(folder, file, verdict.reason)
      case 'later':
        if (this.#files.postpone(file))
          this.#deps.log.warn('a file of the watch folder waits', { file: file.path, error: errorText(verdict.error) })
        return
      case 'unfinished':
    }
  }

  /** Tries to start what a file holds. Rejects with whatever is not the fault of the file. */
  async #judge(folder: WatchedFolder, file: DroppedFile): Promise<FileVerdict> {
    const isTorrent = /\.torrent$/i.test(file.path)
    // A torrent that is cut off cannot be read; a magnet link can.
    if (!isTorrent && !this.#files.isStill(file, STILL_MS)) return { kind: 'unfinished' }
    if (this.#files.wasTried(file)) return { kind: 'unreadable', reason: this.#files.reasonOf(file) }
    const read = await folder.read(file.path, isTorrent ? MAX_METAINFO_BYTES : MAX_MAGNET_FILE_BYTES)
    try {
      if (read === null) throw new AppError('TorrentUnreadable', 'The file is too large.')
      if (isTorrent) await this.#deps.downloads.addFile(read.bytes, {})
      else for (const uri of magnetLines(read.bytes)) await this.#deps.downloads.add({ uri })
      return { kind: 'started', file: read.file }
    } catch (error) {
      if (!(error instanceof AppError) || !UNREADABLE.has(error.code)) throw error
      this.#files.noteTried(file, error.message)
      return { kind: 'unreadable', reason: error.message }
    }
  }

  async #putAway(folder: WatchedFolder, file: DroppedFile): Promise<void> {
    const { path } = file
    const { startedFiles, movedTo } = this.#deps.settings()
    try {
      if (startedFiles === 'delete') await folder.remove(path)
      if (startedFiles !== 'move') return
      const target = await folder.moveInto(path, movedTo === '' ? `${this.#directory}/.started` : movedTo)
      // Into the watched folder itself: it would be found there as a new file, and moved on and on.
      if (target.startsWith(`${this.#directory}/`)) await this.#files.remember({ ...file, path: target })
    } catch (error) {
      this.#deps.log.warn('a started file stays in the watch folder', { file: path, error: errorText(error) })
    }
  }

  async #corrupt(folder: WatchedFolder, file: DroppedFile, reason: string): Promise<void> {
    const { events, log } = this.#deps
    const path = await folder.setAside(file.path).catch(async (error: unknown) => {
      log.warn('a corrupt file of the watch folder cannot be renamed', { file: file.path, error: errorText(error) })
      // It is reported once all the same.
      await this.#files.remember(file)
      return file.path
    })
    this.#files.finished(file)
    log.warn('a file of the watch folder is corrupt', { file: path, reason })
    events.emit('watch_folder_corrupt_torrent', { name: file.path.slice(file.path.lastIndexOf('/') + 1) })
  }
}

/** Errors that are the fault of the file. */
const UNREADABLE: ReadonlySet<string> = new Set(['TorrentUnreadable', 'BadMagnet'])
