// The bytes of a film in a download: read where they are there, asked of the swarm where they are not, by a reader as
// streams have one, behind what players need unless it is for one. Nothing here waits for ever.

import { AppError } from '../../../base/errors.ts'
import type { Arena, Slot } from '../../../ports/arena.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { StoreVolume } from '../../../ports/volumes.ts'
import type { ReaderOptions, StreamableFile, StreamReader } from '../../../services/downloads/streams-api.ts'
import type { ByteRange } from '../core/byte-source.ts'
import type { ReadableFilm } from '../ports/film-reader.ts'
import { inTime } from './in-time.ts'

/** A disk that takes longer does not answer; volumes but that of the state directory say so sooner themselves. */
const READ_LIMIT_MS = 10_000
/** Reads of one volume that were given up and have not come back: each still has its memory. */
const MAX_LOST_READS = 4
/** The same of all volumes: a quarter of the memory, which streams need too. */
const MAX_ALL_LOST_READS = 16

/** What films of one node are read with. */
export class FilmDisk {
  readonly clock: Clock
  readonly #arena: Arena
  /** Of each volume that was read from lately; undefined: that of the state directory, or nothing is known of it. */
  readonly #lost = new Map<StoreVolume | undefined, number>()

  /** `arena`: the memory that files of downloads are read into. */
  constructor(clock: Clock, arena: Arena) {
    this.clock = clock
    this.#arena = arena
  }

  /** Reads that were given up and have not come back. */
  get lost(): number {
    return [...this.#lost.values()].reduce((sum, reads) => sum + reads, 0)
  }

  /**
   * Reads up to `length` bytes, which are there, into the start of `into`; the number read. AppErrors VolumeStalled,
   * PoolBusy, and what the disk says. A read that was given up touches `into` no more.
   */
  async read(reader: StreamReader, start: number, length: number, into: Uint8Array): Promise<number> {
    const { volume } = reader
    if ((this.#lost.get(volume) ?? 0) >= MAX_LOST_READS || this.lost >= MAX_ALL_LOST_READS)
      throw new AppError('VolumeStalled')
    if (volume?.answers === false) await volume.nextAnswer()
    const slot = await this.#lease()
    const read = this.#readOnce(reader, start, Math.min(length, into.length, slot.bytes.length), slot)
    this.#count(volume, 1)
    const back = (): void => this.#count(volume, -1)
    read.then(back, back)
    try {
      const count = await inTime(this.clock, READ_LIMIT_MS, volume === undefined ? read : volume.inTime(read))
      into.set(slot.bytes.subarray(0, count))
      return count
    } finally {
      // At once, or when it comes.
      const release = (): void => this.#arena.release(slot)
      void read.then(release, release)
    }
  }

  #count(volume: StoreVolume | undefined, more: number): void {
    const reads = (this.#lost.get(volume) ?? 0) + more
    if (reads === 0) this.#lost.delete(volume)
    else this.#lost.set(volume, reads)
  }

  /** A reader that is closed throws at once. */
  async #readOnce(reader: StreamReader, start: number, length: number, slot: Slot): Promise<number> {
    return reader.read(start, length, slot)
  }

  async #lease(): Promise<Slot> {
    const free = this.#arena.lease()
    if (free !== null) return free
    const controller = new AbortController()
    const timer = this.clock.after(READ_LIMIT_MS, () => controller.abort())
    try {
      return await this.#arena.leaseLater(controller.signal)
    } catch (error) {
      if (controller.signal.aborted)
        throw new AppError('PoolBusy', 'No memory to read a film into became free in time.')
      throw error
    } finally {
      timer.cancel()
    }
  }
}

/** An open film; the caller closes it. */
export class FilmBytes implements ReadableFilm {
  readonly size: number
  readonly #reader: StreamReader
  readonly #disk: FilmDisk

  /** `reading`: for a player it is not in the background. */
  constructor(file: StreamableFile, disk: FilmDisk, reading: ReaderOptions = { background: true }) {
    this.size = file.size
    this.#reader = file.openReader(reading)
    this.#disk = disk
  }

  /** The parts of a range that are not there. */
  missingIn({ start, end }: ByteRange): readonly ByteRange[] {
    return this.#reader.gaps?.(start, end) ?? []
  }

  async read(start: number, length: number, into: Uint8Array): Promise<number> {
    const [gap] = this.missingIn({ start, end: start + length })
    const there = gap === undefined ? length : Math.max(0, gap.start - start)
    return there === 0 ? 0 : this.#disk.read(this.#reader, start, there, into)
  }

  /** Settles when a range is there. Rejects with AppError Aborted after close(), or why the download cannot go on. */
  async whenThere(range: ByteRange): Promise<void> {
    for (;;) {
      const [gap] = this.missingIn(range)
      if (gap === undefined) return
      await this.#reader.waitFor(gap.start)
    }
  }

  /** Nothing is asked of the swarm any more. */
  close(): void {
    this.#reader.close()
  }
}
