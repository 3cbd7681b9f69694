// Which files of the watch folder were dealt with, over restarts. Promises settle after the commit and reject as those
// of ports/records.ts.

/** A file that was started or found corrupt; another size or time makes it another file. */
export interface SeenFile {
  /** Absolute. */
  readonly path: string
  readonly size: number
  /** Whole milliseconds since 1970, as is `goneAtMs`. */
  readonly mtimeMs: number
  /** Since when nothing is at this path; null = it is there. */
  readonly goneAtMs: number | null
}

/** The durable list. */
export interface SeenFiles {
  /** All, in any order. */
  list(): Promise<SeenFile[]>
  /** Adds or replaces rows. */
  keep(files: readonly SeenFile[]): Promise<void>
  drop(paths: readonly string[]): Promise<void>
}
