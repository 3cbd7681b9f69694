// A film of a download in memory: what is there of it grows by and by, and its readers are counted.

import type { ReaderOptions, StreamableFile, StreamReader } from '../../../../src/services/downloads/streams-api.ts'
import { AppError } from '../../../../src/base/errors.ts'
import type { StoreVolume } from '../../../../src/ports/volumes.ts'
import type { ByteRange } from '../../../../src/chapters/media/core/byte-source.ts'

/** A film of which pieces come in. */
export class MemoryFilm implements StreamableFile {
  readonly name = 'film'
  readonly tag: string
  readonly bytes: Uint8Array
  /** What is not there. */
  holes: ByteRange[] = []
  /** Readers that are open, and bytes that they have read. */
  open = 0
  read = 0
  /** What its files lie on; undefined: nothing is known of it. */
  volume: StoreVolume | undefined = undefined
  /** How readers were opened. */
  readonly opened: ReaderOptions[] = []
  /** Places that readers wait at. */
  readonly waited: number[] = []
  /** Settles every read; rejects it where a test says so. */
  disk: () => Promise<void> = () => Promise.resolve()
  readonly #waiters = new Set<{
    position: number
    resolve: (count: number) => void
    reject: (error: unknown) => void
  }>()

  constructor(bytes: Uint8Array, index = 0) {
    this.bytes = bytes
    this.tag = `${'ab'.repeat(20)}-${index}`
  }

  get size(): number {
    return this.bytes.length
  }

  /** A range comes in. */
  arrive({ start, end }: ByteRange): void {
    this.holes = this.holes.flatMap(hole => {
      const [before, behind] = [
        { start: hole.start, end: Math.min(hole.end, start) },
        { start: Math.max(hole.start, end), end: hole.end },
      ]
      return [before, behind].filter(rest => rest.end > rest.start)
    })
    for (const waiter of this.#waiters) {
      if (this.#gapAt(waiter.position)) continue
      this.#waiters.delete(waiter)
      waiter.resolve(1)
    }
  }

  /** The download cannot go on. */
  fail(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error)
    this.#waiters.clear()
  }

  openReader(options: ReaderOptions = {}): StreamReader {
    this.open += 1
    this.opened.push(options)
    let closed = false
    return {
      volume: this.volume,
      waitFor: position => {
        if (!this.#gapAt(position)) return 1
        this.waited.push(position)
        return new Promise((resolve, reject) => this.#waiters.add({ position, resolve, reject }))
      },
      gaps: (start, end) =>
        this.holes
          .filter(hole => hole.start < end && start < hole.end)
          .map(hole => ({ start: Math.max(start, hole.start), end: Math.min(end, hole.end) })),
      read: async (position, length, slot) => {
        await this.disk()
        slot.bytes.set(this.bytes.subarray(position, position + length))
        this.read += length
        return length
      },
      close: () => {
        if (closed) return
        closed = true
        this.open -= 1
        this.fail(new AppError('Aborted'))
      },
    }
  }

  #gapAt(position: number): boolean {
    return this.holes.some(({ start, end }) => start <= position && position < end)
  }
}
