// The files behind spans: descriptors lent while they are used, and reads through them straight into slots. Reads run
// in libuv's threads, a few at a time (decision 0110). Invariant: descriptors go back whatever happens.

import { fdatasync, read } from 'node:fs'
import { promisify } from 'node:util'
import { diskError } from '../io/files/disk-errors.ts'
import type { FileNotes } from '../io/files/file-notes.ts'
import type { FileSource, OpenFiles } from '../io/files/open-files.ts'
import { lookAtDescriptor } from '../io/files/safe-files.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { Span } from './contract/jobs.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import { type FileSpan, filesOf, groupSpans, spanLength } from './spans.ts'

const readDescriptor = promisify(read)
const syncDescriptor = promisify(fdatasync)

/** What files are lent for; `check`: to find out what is there, also where another program changed it. */
export type FileUse = 'read' | 'write' | 'check'

/** One torrent's files, reached by spans. */
export class SpanFiles {
  readonly #source: FileSource
  readonly #files: OpenFiles
  readonly #lanes: VolumeLanes

  constructor(source: FileSource, files: OpenFiles, lanes: VolumeLanes) {
    this.#source = source
    this.#files = files
    this.#lanes = lanes
  }

  /**
   * Lends descriptors for the spans, of at most MAX_JOB_FILES files, while `use` runs. Rejects as OpenFiles.acquire.
   */
  async withFiles<T>(spans: readonly FileSpan[], how: FileUse, use: (open: readonly Span[]) => Promise<T>): Promise<T> {
    const indexes = filesOf(spans)
    const lent = await this.#files.acquire(this.#source, indexes, how === 'write', how === 'check')
    const descriptors = new Map(indexes.map((index, i) => [index, lent[i]?.fd ?? -1]))
    try {
      return await use(
        spans.map(({ file, position, length }) => ({ fd: descriptors.get(file) ?? -1, position, length })),
      )
    } finally {
      this.#files.release(lent)
    }
  }

  /** Reads the spans into `into`; the file that ended too early, or null. Padding reads as zeroes. */
  async read(spans: readonly FileSpan[], into: Uint8Array, how: FileUse = 'read'): Promise<number | null> {
    let at = 0
    for (const group of groupSpans(spans, MAX_JOB_FILES)) {
      const start = at
      at += spanLength(group)
      const missing = await this.withFiles(group, how, open => this.#readGroup(group, open, into.subarray(start, at)))
      if (missing !== null) return missing
    }
    return null
  }

  /** Flushes a file to the disk and notes what it is like then. Rejects with AppError of the disk. */
  async flush(file: number, notes: FileNotes): Promise<void> {
    const lent = await this.#files.acquire(this.#source, [file], false, true)
    const settle = notes.settling(file)
    try {
      for (const { fd } of lent) {
        const flush = () => syncDescriptor(fd).then(() => lookAtDescriptor(fd))
        settle(await this.#lanes.flush(this.#source.place, flush))
      }
    } catch (error) {
      throw diskError(error, this.#source.pathOf(file))
    } finally {
      this.#files.release(lent)
    }
  }

  async #readGroup(group: readonly FileSpan[], open: readonly Span[], into: Uint8Array): Promise<number | null> {
    let at = 0
    for (const [i, { fd, position, length }] of open.entries()) {
      const target = into.subarray(at, at + length)
      at += length
      const file = group[i]?.file ?? -1
      if (fd < 0) target.fill(0)
      else if (!(await this.#readFully(fd, file, position, target))) return file
    }
    return null
  }

  /** Fills `target`; false when the file ends first. */
  async #readFully(fd: number, file: number, position: number, target: Uint8Array): Promise<boolean> {
    let done = 0
    while (done < target.length) {
      try {
        const { bytesRead } = await this.#lanes.run(this.#source.place, () =>
          readDescriptor(fd, target, done, target.length - done, position + done),
        )
        if (bytesRead === 0) return false
        done += bytesRead
      } catch (error) {
        throw diskError(error, this.#source.pathOf(file))
      }
    }
    return true
  }
}
