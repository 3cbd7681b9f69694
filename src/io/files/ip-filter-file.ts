// Address lists in files, plain or gzip, read in turns of the loop and read again when they change. The list in force
// is replaced by a whole new one or not at all: a file that is missing, unreadable or still being written changes
// nothing. States: idle -(look: files differ and were still for one look)-> reading -(unchanged since, taken)-> idle.

import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError, errorText } from '../../base/errors.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { FilterListReader, type FilterRanges } from '../../wire/net/ip-filter.ts'
import { runStepsInTurns } from '../../wire/steps.ts'

/** Pause between two looks at the files. */
const LOOK_MS = 2_000
/** Most bytes of one list, unpacked: two million lines of the longest kind in the field. */
const MAX_LIST_BYTES = 512 * 1024 * 1024
/** Attempts to read files that change meanwhile, where a caller waits for the result. */
const ATTEMPTS = 3
/** Bytes read at once. */
const READ_BYTES = 64 * 1024
const GZIP_MAGIC = [0x1f, 0x8b] as const

/** Where the lists are. */
export interface IpFilterFileOptions {
  /** Absolute paths; all lists together are one filter. */
  readonly files: readonly string[]
  readonly lookMs?: number
}

/** What the files go through. */
export interface IpFilterFileDeps {
  readonly clock: Clock
  readonly log: Log
  /** Puts a whole list in force; resolves when it is. */
  take(ranges: FilterRanges): Promise<void>
}

/** What the last reading found. */
export interface IpFilterState {
  readonly ranges: number
  readonly lines: number
  readonly broken: number
  /** Why the files as they are now are not in force; null when they are. */
  readonly problem: string | null
}

const NOTHING: IpFilterState = { ranges: 0, lines: 0, broken: 0, problem: null }

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** What changes when a file does; a missing file has a signature too. */
async function signatureOf(files: readonly string[]): Promise<string> {
  const parts = files.map(async file => {
    const found = await stat(file).catch(() => null)
    return found === null ? 'missing' : `${found.ino}:${found.size}:${found.mtimeMs}`
  })
  return JSON.stringify([files, await Promise.all(parts)])
}

/** True for a gzip file. Rejects with what the file system says. */
async function isPacked(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(2), 0, 2, 0)
    return bytesRead === 2 && GZIP_MAGIC.every((byte, index) => buffer[index] === byte)
  } finally {
    await handle.close()
  }
}

/**
 * Reads one list into `reader`. Throws AppError or an error of the file system, and DecodeError for too many ranges.
 */
async function readList(file: string, reader: FilterListReader, signal: AbortSignal): Promise<void> {
  // Before it is opened: opening a pipe would wait for its other end.
  const about = await stat(file)
  if (!about.isFile()) throw new AppError('BadConfiguration', 'it is no regular file')
  const packed = await isPacked(file)
  const raw = createReadStream(file, { highWaterMark: READ_BYTES })
  const source: Readable = packed ? pipeline(raw, createGunzip(), () => undefined) : raw
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted()
    bytes += chunk.length
    if (bytes > MAX_LIST_BYTES) throw new AppError('BadConfiguration', 'the list is too long')
    await runStepsInTurns(reader.feed(chunk), nextTurn)
  }
  reader.endList()
}

/** The address lists of the settings, kept up to date. */
export class IpFilterFiles {
  readonly #deps: IpFilterFileDeps
  readonly #lookMs: number
  #files: readonly string[]
  #timer: Timer | null = null
  #abort = new AbortController()
  /** The reading or look that runs; one at a time. */
  #running: Promise<void> = Promise.resolve()
  #busy = false
  #seen = ''
  /** Signature of the last files that were read, well or not. */
  #done = ''
  #state = NOTHING

  constructor(options: IpFilterFileOptions, deps: IpFilterFileDeps) {
    this.#files = options.files
    this.#lookMs = options.lookMs ?? LOOK_MS
    this.#deps = deps
  }

  get state(): IpFilterState {
    return this.#state
  }

  /**
   * Reads the lists for the first time and watches them from then on. Rejects with AppError BadConfiguration when one
   * cannot be read: a node that was given a filter must not run without it.
   */
  async start(): Promise<void> {
    this.#watch()
    await this.#alone(() => this.#read(true))
    if (this.#state.problem !== null) throw new AppError('BadConfiguration', this.#state.problem)
  }

  /** Other files from now on; resolves when they were read. What cannot be read leaves the old list in force. */
  async setFiles(files: readonly string[]): Promise<void> {
    this.#files = files
    this.#watch()
    await this.#alone(() => this.#read(true))
  }

  /** Ends the watch and a reading that runs. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    this.#abort.abort(new AppError('Aborted'))
    await this.#running
  }

  /** Without files there is nothing to look at. */
  #watch(): void {
    if (this.#files.length > 0 && !this.#abort.signal.aborted) {
      this.#timer ??= this.#deps.clock.every(this.#lookMs, () => this.#look())
      return
    }
    this.#timer?.cancel()
    this.#timer = null
  }

  /** Runs `work`, which never rejects, after what runs. */
  #alone(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(async () => {
      if (this.#abort.signal.aborted) return
      this.#busy = true
      await work()
      this.#busy = false
    })
    return this.#running
  }

  #look(): void {
    if (!this.#busy) void this.#alone(() => this.#read(false))
  }

  /** Reads the files when they changed; `atOnce` does not wait until they are no longer written. */
  async #read(atOnce: boolean): Promise<void> {
    const attempts = atOnce ? ATTEMPTS : 1
    for (let attempt = 0; attempt < attempts; attempt++) if (await this.#readOnce(atOnce)) return
    if (atOnce) this.#problem('an address list changes while it is read')
  }

  /**
   * False when the files changed meanwhile: what was read may be half of them, and the next looks will see it through.
   */
  async #readOnce(atOnce: boolean): Promise<boolean> {
    const files = this.#files
    const before = await signatureOf(files)
    const settled = before === this.#seen
    this.#seen = before
    if (before === this.#done || (!settled && !atOnce)) return true
    try {
      const ranges = await this.#readAll(files)
      if ((await signatureOf(files)) !== before) return false
      await this.#deps.take(ranges)
      this.#state = { ranges: ranges.count, lines: ranges.lines, broken: ranges.broken, problem: null }
      this.#deps.log.info('the address lists are in force', { ...this.#state, firstBroken: ranges.firstBroken })
    } catch (error) {
      if (this.#abort.signal.aborted) return true
      this.#problem(errorText(error))
    }
    this.#done = before
    return true
  }

  async #readAll(files: readonly string[]): Promise<FilterRanges> {
    const reader = new FilterListReader()
    for (const file of files) {
      try {
        await readList(file, reader, this.#abort.signal)
      } catch (error) {
        throw new AppError('BadConfiguration', `The address list ${file} cannot be read: ${errorText(error)}`, {
          cause: error,
        })
      }
    }
    return reader.ranges()
  }

  #problem(problem: string): void {
    this.#state = { ...this.#state, problem }
    this.#deps.log.warn('the address lists were not taken; the old ones stay in force', { problem })
  }
}
