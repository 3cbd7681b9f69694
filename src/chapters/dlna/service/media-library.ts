// What of the node's downloads is shown: looked at again when somebody asks and the last look is old, and changed only
// when something differs, so that the number of its state stays while nothing happens (decision 0539). Not shown are
// downloads over circuits, whose names are nobody's business in this network, and those that are stopped before their
// end, which a reader would set going. One look at a time; bounded in downloads and files.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DownloadRecord, ListedDownload } from '../../../services/downloads/download-records-api.ts'
import type { DownloadsService } from '../../../services/downloads/downloads-api.ts'
import { MediaCatalogue } from '../core/media-catalogue.ts'
import type { MediaDownload } from '../core/media-objects.ts'
import { type MediaFile, mediaFiles, type SizedFile } from '../core/media-files.ts'

/** A look is good for so long, and one under way is waited for so long: players give up after some seconds. */
const FRESH_MS = 2_000
const WAIT_MS = 1_500
/** The first one, before which there is nothing to answer with. */
const FIRST_WAIT_MS = 8_000
/** Files of a download are looked at again after this: others may be selected. */
const FILES_MS = 60_000
/** Of complete ones, whose files are read from the disk, so many in one look. */
const MAX_AGAIN = 50
/** Downloads, files of all, and files of one that are looked at. */
const MAX_DOWNLOADS = 20_000
const MAX_FILES = 200_000
const MAX_LOOKED = 50_000
const FILES_PER_TURN = 2_000

const FIELDS: readonly (keyof DownloadRecord)[] = [
  ...(['infohash', 'name', 'status', 'queued', 'progress', 'hops', 'labels', 'time_added', 'total_pieces'] as const),
]
const RECORD_OPTIONS = { peers: false, pieces: false, files: false, fields: FIELDS }

/** What is asked of the downloads of the node. */
export type LibraryDownloads = Pick<DownloadsService, 'list' | 'files' | 'record' | 'streamable'>

/** What a library works with. */
export interface LibraryDeps {
  readonly clock: Clock
  readonly downloads: LibraryDownloads
  /** What a download is called in ids of objects. */
  keyOf(infohash: string): string
  /** What is shown is another than before. */
  changed(): void
}

interface Known {
  readonly download: MediaDownload | null
  readonly lookedMs: number
}

/** Whether a download may be seen and played from the local network. */
export function isShown(
  record: Pick<DownloadRecord, 'hops' | 'status' | 'queued' | 'progress' | 'total_pieces'>,
): boolean {
  const { hops, status, queued, progress, total_pieces: pieces } = record
  if (hops > 0 || pieces === 0) return false
  return progress >= 1 || queued || (status !== 'DLSTATUS_STOPPED' && status !== 'DLSTATUS_STOPPED_ON_ERROR')
}

/** What of the downloads of the node is shown: looked at when somebody asks, changed only when something differs. */
export class MediaLibrary {
  readonly #deps: LibraryDeps
  #catalogue = new MediaCatalogue([])
  #known = new Map<string, Known>()
  #lookedMs = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null
  #stopped = false
  /** Complete downloads whose files this look may still look at again. */
  #again = 0

  constructor(deps: LibraryDeps) {
    this.#deps = deps
  }

  /** What was shown at the last look. */
  get latest(): MediaCatalogue {
    return this.#catalogue
  }

  /** What is shown now: at most some seconds old, or as old as the look takes. */
  async current(): Promise<MediaCatalogue> {
    const { clock } = this.#deps
    const first = this.#lookedMs === Number.NEGATIVE_INFINITY
    if (clock.now() - this.#lookedMs < FRESH_MS || this.#stopped) return this.#catalogue
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    await this.#atMost(first ? FIRST_WAIT_MS : WAIT_MS, this.#looking)
    return this.#catalogue
  }

  /** Whether a file of a download may be played now: it may have changed since the last look. */
  async mayPlay(infohash: string, index: number): Promise<boolean> {
    const { downloads } = this.#deps
    try {
      if (!isShown(await downloads.record(infohash, RECORD_OPTIONS))) return false
      let looked = 0
      for (const file of await downloads.files(infohash)) {
        if (file.index === index) return file.included
        looked += 1
        if (looked % FILES_PER_TURN === 0) await nextTurn()
      }
      return false
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  /** Ends looks. */
  stop(): void {
    this.#stopped = true
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let over: () => void = () => undefined
    const late = new Promise<void>(resolve => {
      over = resolve
    })
    const timer = this.#deps.clock.after(ms, over)
    // A look that fails later has nobody who waits for it.
    work.catch(() => undefined)
    try {
      await Promise.race([work, late])
    } finally {
      timer.cancel()
    }
  }

  async #look(): Promise<void> {
    const { downloads, clock } = this.#deps
    const beganMs = clock.now()
    const known = new Map<string, Known>()
    let [files, isSame] = [0, true]
    this.#again = MAX_AGAIN
    for await (const record of downloads.list(RECORD_OPTIONS)) {
      if (this.#stopped) return
      if (known.size >= MAX_DOWNLOADS || files >= MAX_FILES) break
      if (!isShown(record)) continue
      const before = this.#known.get(record.infohash)
      const now = await this.#lookAt(record, before)
      known.set(record.infohash, now)
      files += now.download?.files.length ?? 0
      isSame &&= before !== undefined && before.download === now.download
    }
    isSame &&= known.size === this.#known.size
    this.#known = known
    this.#lookedMs = beganMs
    if (!isSame) this.#take([...known.values()].flatMap(({ download }) => download ?? []))
  }

  #take(downloads: readonly MediaDownload[]): void {
    const before = this.#catalogue.updateId
    this.#catalogue = new MediaCatalogue(downloads)
    if (this.#catalogue.updateId !== before) this.#deps.changed()
  }

  /** Files of complete downloads are old after this: the more there are the later, so that each has its turn. */
  get #completeMs(): number {
    return FILES_MS * (1 + (this.#known.size * FRESH_MS) / (MAX_AGAIN * FILES_MS))
  }

  /** The same object as before where nothing differs. */
  async #lookAt(record: ListedDownload, before: Known | undefined): Promise<Known> {
    const nowMs = this.#deps.clock.now()
    const complete = record.progress >= 1
    const old = before?.download ?? null
    const ageMs = before === undefined ? Number.POSITIVE_INFINITY : nowMs - before.lookedMs
    const isNew = ageMs === Number.POSITIVE_INFINITY
    const isOld = ageMs >= (complete ? this.#completeMs : FILES_MS) && (isNew || !complete || this.#again > 0)
    if (isOld && complete && !isNew) this.#again -= 1
    const looked = before === undefined || isOld || (old !== null && old.complete !== complete)
    const files = looked ? await this.#filesOf(record.infohash, old?.files ?? []) : (old?.files ?? [])
    const lookedMs = looked ? nowMs : before.lookedMs
    // It could not be read now: with the next look again.
    if (files === null) return { download: old, lookedMs: Number.NEGATIVE_INFINITY }
    if (files.length === 0) return { download: null, lookedMs }
    if (old !== null && isSameDownload(old, record, files)) return { download: old, lookedMs }
    const { infohash, name, labels, time_added: addedSec } = record
    const key = this.#deps.keyOf(infohash)
    return { download: { infohash, key, name, labels, addedSec, complete, files }, lookedMs }
  }

  /** Null: they cannot be read now. `old` where they are the same. */
  async #filesOf(infohash: string, old: readonly MediaFile[]): Promise<readonly MediaFile[] | null> {
    const selected: SizedFile[] = []
    let looked = 0
    try {
      for (const { index, name, size, included } of await this.#deps.downloads.files(infohash)) {
        if (included) selected.push({ index, name, size })
        looked += 1
        if (looked % FILES_PER_TURN === 0) await nextTurn()
        if (looked >= MAX_LOOKED) break
      }
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
    const found = mediaFiles(selected)
    return JSON.stringify(found) === JSON.stringify(old) ? old : found
  }
}

function isSameDownload(old: MediaDownload, record: ListedDownload, files: readonly MediaFile[]): boolean {
  return (
    old.files === files &&
    old.name === record.name &&
    old.addedSec === record.time_added &&
    old.complete === record.progress >= 1 &&
    old.labels.join('\n') === record.labels.join('\n')
  )
}
