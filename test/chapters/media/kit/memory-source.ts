// A film in memory or on disk as a source of bytes: counts what is read of it, and lacks what a test says.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type ByteRange, type ByteSource, NotHere } from '../../../../src/chapters/media/core/byte-source.ts'

/** A film of bytes. */
export class MemorySource implements ByteSource {
  readonly bytes: Uint8Array
  /** What is not there yet. */
  holes: readonly ByteRange[] = []
  fetched = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get size(): number {
    return this.bytes.length
  }

  read(start: number, end: number): Uint8Array {
    if (start < 0 || end > this.size || end < start) throw new RangeError(`${start} to ${end} of ${this.size}`)
    if (this.holes.some(hole => hole.start < end && start < hole.end)) throw new NotHere({ start, end })
    this.fetched += end - start
    return Uint8Array.from(this.bytes.subarray(start, end))
  }
}

/** A film on disk; the caller closes it. */
export class DiskSource implements ByteSource {
  readonly #file: number
  readonly size: number
  fetched = 0

  constructor(path: string) {
    this.#file = openSync(path, 'r')
    this.size = fstatSync(this.#file).size
  }

  read(start: number, end: number): Uint8Array {
    this.fetched += end - start
    const bytes = new Uint8Array(end - start)
    readSync(this.#file, bytes, 0, bytes.length, start)
    return bytes
  }

  close(): void {
    closeSync(this.#file)
  }
}
