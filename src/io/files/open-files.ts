// A bounded cache of open descriptors, shared by all torrents. A descriptor stays open while a job uses it and is
// closed when it is the least recently used and its place is needed. Invariants: at most `capacity` descriptors; a
// descriptor in use is never closed; one that is used again after `recheckMs` is first compared with what lies at its
// path, and so is the file with how it was left, where the source knows that.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { FilePermits } from './file-permits.ts'
import { closeQuietly, type FileIdentity, type OpenedFile } from './safe-files.ts'
import { plainLanes, type VolumeLanes } from './volume-lanes.ts'
import type { Volume } from './volume.ts'

/** What lies at a path. */
export interface SeenFile extends FileIdentity {
  /** Why it must not be read or written: it is not as it was left. Absent: how it was left is not known. */
  readonly changed?: AppError | null
}

/** A file just opened. */
export interface SourceFile extends OpenedFile, SeenFile {}

/** Where files are opened: one torrent's folder. */
export interface FileSource {
  open(index: number, write: boolean): Promise<SourceFile>
  identify(index: number): Promise<SeenFile>
  pathOf(index: number): string
  /** The path whose volume they count to (src/io/files/volume-lanes.ts). */
  readonly place: string
}

/** What closing descriptors and lending them asks of volumes. */
export type FileVolumes = Pick<VolumeLanes, 'run' | 'volumeOf'>

/** A descriptor lent by acquire(); give it back by release(). */
export interface LentFile {
  readonly fd: number
  /** Whose permit it has. */
  readonly volume: Volume
}

interface Entry {
  readonly source: FileSource
  readonly index: number
  readonly opened: OpenedFile
  users: number
  /** Dropped from the cache: closes when the last user is done. */
  stale: boolean
  lookedAtMs: number
  looking: Promise<void> | null
  /** What the last look found wrong. */
  changed: AppError | null
  /** Another file lies at its path. */
  replaced: boolean
}

/** Descriptors kept by default: half of the usual limit of 1024. */
export const DEFAULT_OPEN_FILES = 512
/** Files of one source are below this: far above what a torrent may have. */
const MAX_FILES = 2 ** 24
/** What tells the key of a file opened for writing from that of the same for reading. */
const WRITING = 1
/** A descriptor is used this long without a look at its path. */
const RECHECK_MS = 1000

/** The descriptors of all torrents, lent out while a job uses them. */
export class OpenFiles {
  readonly #clock: Clock
  readonly #recheckMs: number
  readonly #capacity: number
  /** In order of last use. An entry that is still opening is a promise. */
  readonly #entries = new Map<number, Entry | Promise<Entry>>()
  readonly #names = new WeakMap<FileSource, number>()
  readonly #volumes: FileVolumes
  readonly #lent = new Map<LentFile, Entry>()
  readonly #permits: FilePermits
  /** Descriptors that are being closed and that no caller awaits; close() waits for them. */
  readonly #closing = new Set<Promise<void>>()
  #nextName = 1

  /** `capacity` is at least the most files asked for in one acquire(). */
  constructor(
    options: { readonly capacity?: number; readonly recheckMs?: number },
    deps: { readonly clock: Clock; readonly volumes?: FileVolumes },
  ) {
    this.#clock = deps.clock
    this.#volumes = deps.volumes ?? plainLanes(deps.clock)
    this.#capacity = Math.max(1, options.capacity ?? DEFAULT_OPEN_FILES)
    this.#permits = new FilePermits(this.#capacity)
    this.#recheckMs = options.recheckMs ?? RECHECK_MS
  }

  /** Descriptors held, also those being opened. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Lends descriptors of the files, all or none; waits while too many are lent. Never call it while holding some: that
   * could wait for ever. Rejects as FileSource.open does, and for a file that was swapped, deleted or changed;
   * `anyway`: whatever lies there now is lent, to find out what it is.
   */
  async acquire(
    source: FileSource,
    indexes: readonly number[],
    write: boolean,
    anyway: boolean = false,
  ): Promise<LentFile[]> {
    if (indexes.length > this.#capacity) throw new RangeError(`${indexes.length} files at once are too many`)
    const volume = this.#volumes.volumeOf(source.place)
    await this.#permits.take(indexes.length, volume)
    const outcomes = await Promise.allSettled(
      indexes.map(index => this.#lend(source, index, { write, anyway, volume })),
    )
    const files = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const failed = outcomes.find(outcome => outcome.status === 'rejected')
    if (failed === undefined) return files
    this.#permits.give(indexes.length - files.length, volume)
    this.release(files)
    throw failed.reason
  }

  /**
   * As acquire() for writing, when all files are open and need no look, and nobody waits; else null, and none is lent.
   */
  acquireNow(source: FileSource, indexes: readonly number[]): LentFile[] | null {
    const volume = this.#volumes.volumeOf(source.place)
    const freshMs = this.#clock.now() - this.#recheckMs
    const found: Entry[] = []
    for (const index of indexes) {
      const entry = this.#entries.get(this.#keyOf(source, index) + WRITING)
      if (entry === undefined || entry instanceof Promise) return null
      if (entry.changed !== null || entry.lookedAtMs <= freshMs) return null
      found.push(entry)
    }
    return this.#permits.takeNow(found.length, volume) ? found.map(entry => this.#lendNow(entry, volume)) : null
  }

  #lendNow(entry: Entry, volume: Volume): LentFile {
    const key = this.#keyOf(entry.source, entry.index) + WRITING
    entry.users++
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return this.#note(entry, volume)
  }

  /**
   * A file that is open already, for one read that ends before anything else runs; null when it is not, or it is due
   * for a look, or was changed.
   */
  peek(source: FileSource, index: number): OpenedFile | null {
    const key = this.#keyOf(source, index)
    const entry = this.#entries.get(key + WRITING) ?? this.#entries.get(key)
    if (entry === undefined || entry instanceof Promise || entry.changed !== null) return null
    return this.#clock.now() - entry.lookedAtMs < this.#recheckMs ? entry.opened : null
  }

  /** The next use of a file opens it again, and so looks at it. */
  forget(source: FileSource, index: number): void {
    const reading = this.#keyOf(source, index)
    for (const key of [reading + WRITING, reading]) {
      const entry = this.#entries.get(key)
      if (entry instanceof Promise) this.#entries.delete(key)
      else if (entry !== undefined) void this.#discard(key, entry)
    }
  }

  /** Takes lent descriptors back. */
  release(files: readonly LentFile[]): void {
    for (const file of files) {
      const entry = this.#lent.get(file)
      if (entry === undefined) throw new RangeError(`descriptor ${file.fd} is not lent`)
      this.#lent.delete(file)
      this.#leave(entry)
      this.#permits.give(1, file.volume)
    }
  }

  /** Closes the descriptors of one source; those in use close when given back, and are not lent again. */
  async drop(source: FileSource): Promise<void> {
    const [first, end] = [this.#keyOf(source, 0), this.#keyOf(source, MAX_FILES)]
    const closing: Promise<void>[] = []
    for (const [key, held] of [...this.#entries]) {
      if (key < first || key >= end) continue
      const entry = await Promise.resolve(held).catch(() => null)
      if (entry !== null && this.#entries.get(key) === entry) closing.push(this.#discard(key, entry))
    }
    await Promise.all(closing)
  }

  /** Closes every descriptor that is not in use, and waits for those being closed. */
  async close(): Promise<void> {
    for (const [key, held] of [...this.#entries]) {
      const entry = await Promise.resolve(held).catch(() => null)
      if (entry !== null) await this.#discard(key, entry)
    }
    await Promise.all(this.#closing)
  }

  async #lend(
    source: FileSource,
    index: number,
    { write, anyway, volume }: { readonly write: boolean; readonly anyway: boolean; readonly volume: Volume },
  ): Promise<LentFile> {
    const reading = this.#keyOf(source, index)
    // A descriptor for writing serves readers too.
    const key = write || this.#entries.has(reading + WRITING) ? reading + WRITING : reading
    return this.#note(await this.#enter(key, source, index, write, anyway), volume)
  }

  #note(entry: Entry, volume: Volume): LentFile {
    const file: LentFile = { fd: entry.opened.fd, volume }
    this.#lent.set(file, entry)
    return file
  }

  /** Finds or opens the entry and counts the caller as its user. */
  async #enter(key: number, source: FileSource, index: number, write: boolean, anyway: boolean): Promise<Entry> {
    for (;;) {
      const held = this.#entries.get(key) ?? this.#open(key, source, index, write)
      const entry = held instanceof Promise ? await held : held
      if (this.#entries.get(key) !== entry) continue
      entry.users++
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      try {
        if (this.#clock.now() - entry.lookedAtMs >= this.#recheckMs) await (entry.looking ??= this.#look(entry))
        if (entry.changed === null || (anyway && !entry.replaced)) return entry
        if (!anyway) throw entry.changed
      } catch (error) {
        this.#abandon(key, entry)
        throw error
      }
      this.#abandon(key, entry)
    }
  }

  /** A user gives up an entry that must not be used any more. */
  #abandon(key: number, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
    entry.stale = true
    this.#leave(entry)
  }

  #open(key: number, source: FileSource, index: number, write: boolean): Promise<Entry> {
    // One turn later, so that this entry already counts in #entries.
    const opening: Promise<Entry> = Promise.resolve()
      .then(() => this.#opened(source, index, write))
      .then(
        entry => {
          // Forgotten meanwhile: waiters find that it is not the entry, and open another.
          if (this.#entries.get(key) === opening) this.#entries.set(key, entry)
          else void this.#shut(entry)
          return entry
        },
        (error: unknown) => {
          if (this.#entries.get(key) === opening) this.#entries.delete(key)
          throw error
        },
      )
    this.#entries.set(key, opening)
    return opening
  }

  async #opened(source: FileSource, index: number, write: boolean): Promise<Entry> {
    await this.#makeRoom()
    const opened = await source.open(index, write)
    const changed = opened.changed ?? null
    const lookedAtMs = this.#clock.now()
    return { source, index, opened, users: 0, stale: false, lookedAtMs, looking: null, changed, replaced: false }
  }

  /**
   * Closes idle descriptors, oldest first, until one more fits. The permits see to it that there are enough of them.
   */
  async #makeRoom(): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#capacity) return
      if (entry instanceof Promise || entry.users > 0) continue
      const closed = this.#discard(key, entry)
      // Not of a volume that does not answer: callers for other volumes must not wait for it.
      if (this.#volumes.volumeOf(entry.source.place).stuck === 0) await closed
    }
  }

  async #look(entry: Entry): Promise<void> {
    try {
      const { dev, ino, changed = null } = await entry.source.identify(entry.index)
      entry.replaced = dev !== entry.opened.dev || ino !== entry.opened.ino
      entry.changed = changed ?? (entry.replaced ? replacedFile(entry) : null)
      entry.lookedAtMs = this.#clock.now()
    } finally {
      entry.looking = null
    }
  }

  #discard(key: number, entry: Entry): Promise<void> {
    this.#entries.delete(key)
    entry.stale = true
    return entry.users === 0 ? this.#shut(entry) : Promise.resolve()
  }

  #leave(entry: Entry): void {
    entry.users--
    if (entry.users === 0 && entry.stale) void this.#shut(entry)
  }

  #shut(entry: Entry): Promise<void> {
    // A volume that does not answer holds up the close too.
    const close = () => closeQuietly(entry.opened.fd)
    const closing = this.#volumes.run(entry.source.place, close).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
    return closing
  }

  /** The key of a file opened for reading; for writing it is WRITING more. */
  #keyOf(source: FileSource, index: number): number {
    let name = this.#names.get(source)
    if (name === undefined) {
      name = this.#nextName++
      this.#names.set(source, name)
    }
    return (name * MAX_FILES + index) * 2
  }
}

function replacedFile({ source, index }: Entry): AppError {
  return new AppError('FileMissing', `A file of the download was replaced by another: ${source.pathOf(index)}`)
}
