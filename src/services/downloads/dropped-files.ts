// What is known of the files of the watch folder: those that were dealt with (durable, kept while they are gone for a
// while: a network mount comes back), and those that are not finished yet. Bounded.

import type { Clock } from '../../ports/clock.ts'
import type { SeenFile, SeenFiles } from '../../ports/seen-files.ts'
import type { DroppedFile, FolderLook, ReadFile } from '../../ports/watched-folder.ts'

/** A file that has gone is forgotten after this. */
const FORGET_AFTER_MS = 30 * 24 * 3600 * 1000
/** Files remembered; of more, those that have gone first are forgotten. */
const MAX_SEEN = 20_000
/** A file that could not be started though it can be read: first and longest wait. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000

/** What became of a file. */
export type FileVerdict =
  | { readonly kind: 'started'; readonly file: ReadFile['file'] }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'later'; readonly error: unknown }
  | { readonly kind: 'unfinished' }

interface Unfinished {
  file: DroppedFile
  /** Since when it has not changed, ms of the clock. */
  stillSinceMs: number
  /** Why it cannot be read as it is; null = not tried. */
  reason: string | null
  /** Tries that failed for another reason. */
  failures: number
  notBeforeMs: number
}

/**
 * What is known of the files of the watch folder: those that were dealt with (durable, kept while they are gone for a
 * while: a network mount comes back), and those that are not finished yet.
 */
export class DroppedFiles {
  readonly #records: SeenFiles
  readonly #clock: Clock
  readonly #seen = new Map<string, SeenFile>()
  readonly #unfinished = new Map<string, Unfinished>()

  constructor(records: SeenFiles, clock: Clock) {
    this.#records = records
    this.#clock = clock
  }

  /** Reads what was dealt with; rejects as the records do. */
  async load(): Promise<void> {
    for (const file of await this.#records.list()) this.#seen.set(file.path, file)
    await this.#forgetOld()
  }

  /** Paths of files that may change on. */
  get unfinished(): ReadonlySet<string> {
    return new Set(this.#unfinished.keys())
  }

  /** Forgets files that are not dealt with: the folder is another one. */
  forgetUnfinished(): void {
    this.#unfinished.clear()
  }

  /** The files of a look to deal with now. */
  due(files: readonly DroppedFile[]): DroppedFile[] {
    const present = new Set<string>()
    const due: DroppedFile[] = []
    for (const file of files) {
      if (sameFile(this.#seen.get(file.path), file)) continue
      present.add(file.path)
      if (this.#note(file).notBeforeMs <= this.#clock.now()) due.push(file)
    }
    for (const path of this.#unfinished.keys()) if (!present.has(path)) this.#unfinished.delete(path)
    return due
  }

  #note(file: DroppedFile): Unfinished {
    const known = this.#unfinished.get(file.path)
    if (known !== undefined && sameFile(known.file, file)) return known
    const fresh = { file, stillSinceMs: this.#clock.now(), reason: null, failures: 0, notBeforeMs: -Infinity }
    this.#unfinished.set(file.path, fresh)
    return fresh
  }

  /** Whether the file has not changed for so long. */
  isStill(file: DroppedFile, forMs: number): boolean {
    const known = this.#unfinished.get(file.path)
    return known !== undefined && this.#clock.now() - known.stillSinceMs >= forMs
  }

  /** Whether it was tried as it is, and cannot be read. */
  wasTried(file: DroppedFile): boolean {
    return this.#unfinished.get(file.path)?.reason != null
  }

  /** Why it cannot be read. */
  reasonOf(file: DroppedFile): string {
    return this.#unfinished.get(file.path)?.reason ?? ''
  }

  noteTried(file: DroppedFile, reason: string): void {
    const known = this.#unfinished.get(file.path)
    if (known !== undefined) known.reason = reason
  }

  /** It cannot be started now; true for the first time. */
  postpone(file: DroppedFile): boolean {
    const known = this.#unfinished.get(file.path)
    if (known === undefined) return false
    known.notBeforeMs = this.#clock.now() + Math.min(FIRST_WAIT_MS * 2 ** known.failures, LONGEST_WAIT_MS)
    return known.failures++ === 0
  }

  /** It is dealt with. */
  finished({ path }: DroppedFile): void {
    this.#unfinished.delete(path)
  }

  /** It is dealt with, durably. */
  async remember({ path, size, mtimeMs }: DroppedFile): Promise<void> {
    this.#unfinished.delete(path)
    const seen: SeenFile = { path, size, mtimeMs, goneAtMs: null }
    this.#seen.set(path, seen)
    await this.#records.keep([seen])
    if (this.#seen.size > MAX_SEEN) await this.#forgetOld()
  }

  /** Notes which of the files that were dealt with in `directory` have gone or come back. */
  async noteLook({ files, whole }: FolderLook, directory: string): Promise<void> {
    const present = new Set(files.map(({ path }) => path))
    const changed: SeenFile[] = []
    for (const seen of this.#seen.values()) {
      const there = present.has(seen.path)
      if (there === (seen.goneAtMs === null) || (!there && (!whole || !seen.path.startsWith(`${directory}/`)))) continue
      changed.push({ ...seen, goneAtMs: there ? null : this.#clock.wallMs() })
    }
    if (changed.length === 0) return
    for (const seen of changed) this.#seen.set(seen.path, seen)
    await this.#records.keep(changed)
  }

  async #forgetOld(): Promise<void> {
    const limitMs = this.#clock.wallMs() - FORGET_AFTER_MS
    const gone = [...this.#seen.values()].filter(({ goneAtMs }) => goneAtMs !== null)
    gone.sort((a, b) => (a.goneAtMs ?? 0) - (b.goneAtMs ?? 0))
    const tooMany = this.#seen.size - MAX_SEEN
    const old = gone.filter(({ goneAtMs }, index) => index < tooMany || (goneAtMs ?? 0) < limitMs)
    if (old.length === 0) return
    for (const { path } of old) this.#seen.delete(path)
    await this.#records.drop(old.map(({ path }) => path))
  }
}

function sameFile(a: Omit<DroppedFile, 'path'> | undefined, b: DroppedFile): boolean {
  return a !== undefined && a.size === b.size && a.mtimeMs === b.mtimeMs
}
