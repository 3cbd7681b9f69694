// A file that lines are added to and that never grows past a bound: when it is full it becomes `.1`, what was `.1`
// becomes
// `.2`, and the oldest goes. Written synchronously, so that the last line before a crash is there.

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** How large, and how many. */
export interface RotatingFileOptions {
  /** Absolute. Its folder is made. */
  readonly path: string
  /** Bytes after which it is turned over. */
  readonly maxBytes: number
  /** Older files that are kept. */
  readonly older: number
}

/** One file and those before it. */
export class RotatingFile {
  readonly #options: RotatingFileOptions
  #fd: number | null
  #bytes: number

  /** Opens the file, for its owner only. Throws what the system says. */
  constructor(options: RotatingFileOptions) {
    this.#options = options
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
    this.#fd = openFile(options.path)
    this.#bytes = fstatSync(this.#fd).size
    if (this.#bytes > options.maxBytes) this.#turnOver()
  }

  /** Paths, the newest first; those behind the first need not be there. */
  get paths(): string[] {
    const { path, older } = this.#options
    return [path, ...Array.from({ length: older }, (_, at) => `${path}.${at + 1}`)]
  }

  /** Adds a text. Never throws: on a full disk it is lost, and the node goes on. */
  write(text: string): void {
    if (this.#fd === null) return
    try {
      if (this.#bytes > this.#options.maxBytes) this.#turnOver()
      this.#bytes += writeSync(this.#fd, text)
    } catch {
      // Tried again with the next one.
    }
  }

  /** Further texts are dropped. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }

  /** Whatever cannot be renamed is gone on with: a log that grows is better than none. */
  #turnOver(): void {
    this.#bytes = 0
    const paths = this.paths
    for (let at = paths.length - 1; at > 0; at--) rename(paths[at - 1] ?? '', paths[at] ?? '')
    const next = openFile(this.#options.path)
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = next
  }
}

function openFile(path: string): number {
  return openSync(path, 'a', 0o600)
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch {
    // There are not so many yet, or the folder does not allow it.
  }
}
