// Tables of an MP4 track (ISO 14496-12, 8.6 and 8.7), read where they lie: nothing is made for each sample, because a
// table may speak of four billion of them. Samples count from 0 here, from 1 in the file.

import { DecodeError } from '../../../../base/errors.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { boxIn } from './boxes.ts'

/** A table of rows with `columns` numbers of 32 bits each, behind version, flags and their number. */
export class Rows {
  readonly #bytes: FieldBytes
  readonly #columns: number
  readonly length: number

  /** Throws DecodeError when the box is shorter than it says. */
  constructor(bytes: FieldBytes, columns: number) {
    this.length = bytes.u32(4)
    bytes.need(8, this.length * columns * 4)
    this.#bytes = bytes
    this.#columns = columns
  }

  /** Unsigned. */
  at(row: number, column = 0): number {
    return this.#bytes.u32(8 + (row * this.#columns + column) * 4)
  }

  signed(row: number, column: number): number {
    return this.#bytes.i32(8 + (row * this.#columns + column) * 4)
  }
}

/** The rows of a box; null = there is no such box. */
export function rowsOf(tables: FieldBytes, type: string, columns: number): Rows | null {
  const box = boxIn(tables, type)
  return box === null ? null : new Rows(box, columns)
}

/** Follows a table of runs (how many samples, what each of them has) forward. */
export class RunCursor {
  readonly #rows: Rows
  readonly #signed: boolean
  #row = 0
  /** First sample of the row, and the sum over all samples before it. */
  #first = 0
  #sum = 0

  constructor(rows: Rows, signed = false) {
    this.#rows = rows
    this.#signed = signed
  }

  /** What the sample has; 0 beyond the table. Samples must not fall from call to call. */
  valueAt(sample: number): number {
    this.#advance(sample)
    return this.#row < this.#rows.length ? this.#value() : 0
  }

  /** The sum over all samples before this one: of stts its time. */
  sumBefore(sample: number): number {
    this.#advance(sample)
    const rest = this.#row < this.#rows.length ? (sample - this.#first) * this.#value() : 0
    return this.#sum + rest
  }

  #value(): number {
    return this.#signed ? this.#rows.signed(this.#row, 1) : this.#rows.at(this.#row, 1)
  }

  #advance(sample: number): void {
    while (this.#row < this.#rows.length) {
      const count = this.#rows.at(this.#row)
      if (sample < this.#first + count) return
      this.#sum += count * this.#value()
      this.#first += count
      this.#row += 1
    }
  }
}

/** Sizes of samples: one for all, or one each (stsz), or one each in few bits (stz2). */
export class SampleSizes {
  readonly #bytes: FieldBytes
  readonly #bits: number
  readonly #all: number
  readonly count: number

  /** Throws DecodeError when there are none. */
  constructor(tables: FieldBytes) {
    const [plain, compact] = [boxIn(tables, 'stsz'), boxIn(tables, 'stz2')]
    const box = plain ?? compact
    if (box === null) throw new DecodeError('a track has no sizes')
    this.#bytes = box
    this.#all = plain === null ? 0 : box.u32(4)
    this.#bits = plain === null ? box.u8(7) : 32
    if (![4, 8, 16, 32].includes(this.#bits)) throw new DecodeError('a track has odd sizes')
    this.count = box.u32(8)
    if (this.#all === 0) box.need(12, Math.ceil((this.count * this.#bits) / 8))
  }

  /** Bytes of the samples from `first` up to `end`, which is not in it. */
  sum(first: number, end: number): number {
    if (this.#all > 0) return (end - first) * this.#all
    let bytes = 0
    for (let sample = first; sample < Math.min(end, this.count); sample += 1) bytes += this.#size(sample)
    return bytes
  }

  #size(sample: number): number {
    if (this.#bits === 32) return this.#bytes.u32(12 + sample * 4)
    if (this.#bits === 16) return this.#bytes.u16(12 + sample * 2)
    if (this.#bits === 8) return this.#bytes.u8(12 + sample)
    const pair = this.#bytes.u8(12 + (sample >> 1))
    return sample % 2 === 0 ? pair >> 4 : pair & 15
  }
}

/** Places of chunks in the file. */
export class ChunkPlaces {
  readonly #bytes: FieldBytes
  readonly #long: boolean
  readonly count: number

  /** Throws DecodeError when there are none. */
  constructor(tables: FieldBytes) {
    const [short, long] = [boxIn(tables, 'stco'), boxIn(tables, 'co64')]
    const box = short ?? long
    if (box === null) throw new DecodeError('a track has no chunks')
    this.#bytes = box
    this.#long = short === null
    this.count = box.u32(4)
    box.need(8, this.count * (this.#long ? 8 : 4))
  }

  at(chunk: number): number {
    return this.#long ? this.#bytes.u64(8 + chunk * 8) : this.#bytes.u32(8 + chunk * 4)
  }
}

/** Follows which samples lie in which chunk (stsc) forward. */
export class ChunkCursor {
  readonly #rows: Rows
  readonly #count: number
  #row = 0
  #chunk = 0
  #first = 0

  /** `count`: how many chunks there are. */
  constructor(rows: Rows, count: number) {
    this.#rows = rows
    this.#count = count
  }

  /** The chunk now, its first sample, and how many it has. */
  get chunk(): number {
    return this.#chunk
  }

  get firstSample(): number {
    return this.#first
  }

  get samples(): number {
    return this.#row < this.#rows.length ? this.#rows.at(this.#row, 1) : 0
  }

  /** Goes to the next chunk; false = there is none. */
  next(): boolean {
    if (this.#chunk + 1 >= this.#count) return false
    this.#first += this.samples
    this.#chunk += 1
    while (this.#row + 1 < this.#rows.length && this.#rows.at(this.#row + 1) - 1 <= this.#chunk) this.#row += 1
    return true
  }

  /** Goes to the chunk that holds the sample; false = there is none. Samples must not fall from call to call. */
  seek(sample: number): boolean {
    while (sample >= this.#first + this.samples) if (!this.next()) return false
    return true
  }
}
