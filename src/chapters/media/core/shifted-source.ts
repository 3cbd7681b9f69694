// A source behind the first bytes of another: sound behind a tag.

import type { ByteSource } from './byte-source.ts'

/** A source behind the first bytes of another. */
export class ShiftedSource implements ByteSource {
  readonly #inner: ByteSource
  readonly #start: number

  constructor(inner: ByteSource, start: number) {
    this.#inner = inner
    this.#start = start
  }

  get size(): number {
    return Math.max(0, this.#inner.size - this.#start)
  }

  read(start: number, end: number): Uint8Array {
    return this.#inner.read(this.#start + start, this.#start + end)
  }
}
