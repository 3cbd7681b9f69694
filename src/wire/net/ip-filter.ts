// Lists of addresses to keep away from, read in chunks: PeerGuardian text (`name:1.2.3.0-1.2.3.255`), eMule DAT
// (`001.002.003.000 - 001.002.003.255 , 000 , name`), CIDR blocks, ranges and single addresses, mixed at will. Lines
// that are none of these are counted and passed over. Knows no file and no order: the ranges come as they were written.

import { DecodeError } from '../../base/errors.ts'
import { formatIp } from './compact-address.ts'
import { FilterLine } from './ip-filter-line.ts'
import type { Steps } from '../steps.ts'

/** Longest line that is looked at, bytes; the longest names in lists of the field are a third of it. */
export const MAX_FILTER_LINE_BYTES = 1024
/** Most ranges of one filter: the largest public lists have under half a million. */
export const MAX_FILTER_RANGES = 2_000_000
/** Ranges in one block of the result: no block is copied when a list grows. */
const BLOCK_RANGES = 16_384
/** Work done between two yields: one for a line, more for one that is read as text. Some milliseconds at the worst. */
const STEP_WORK = 2_048
/** A line with IPv6 in it may be tried in many ways. */
const SLOW_LINE_WORK = 16
const LF = 0x0a

/** Words of 32 bits in one range: the first and the last address, most significant word first. */
export const RANGE_WORDS = { 4: 2, 6: 8 } as const

/** What a list says. Ranges are unsorted, may overlap, and are inclusive at both ends. */
export interface FilterRanges {
  /** Blocks of whole ranges, RANGE_WORDS[4] words each. */
  readonly v4: readonly Uint32Array[]
  /** Blocks of whole ranges, RANGE_WORDS[6] words each. */
  readonly v6: readonly Uint32Array[]
  /** Ranges of both families. */
  readonly count: number
  /** Lines seen, empty ones and comments too. */
  readonly lines: number
  /** Lines that could not be read. */
  readonly broken: number
  /** Number of the first of them, from 1; null when there is none. */
  readonly firstBroken: number | null
}

/** Grows by whole blocks. */
class RangeBlocks {
  readonly #words: number
  readonly #full: Uint32Array[] = []
  #last: Uint32Array | null = null
  #used = 0
  count = 0

  constructor(words: number) {
    this.#words = words
  }

  push(range: Uint32Array): void {
    if (this.#last === null || this.#used === this.#last.length) {
      if (this.#last !== null) this.#full.push(this.#last)
      this.#last = new Uint32Array(BLOCK_RANGES * this.#words)
      this.#used = 0
    }
    for (let word = 0; word < this.#words; word++) this.#last[this.#used + word] = range[word] ?? 0
    this.#used += this.#words
    this.count += 1
  }

  blocks(): Uint32Array[] {
    return this.#last === null ? [] : [...this.#full, this.#last.subarray(0, this.#used)]
  }
}

/** Reads one list or several, one after the other. Any bytes are fine; only too many ranges are an error. */
export class FilterListReader {
  readonly #line = new FilterLine()
  readonly #v4 = new RangeBlocks(RANGE_WORDS[4])
  readonly #v6 = new RangeBlocks(RANGE_WORDS[6])
  /** The beginning of a line whose end has not come yet. */
  readonly #carry = new Uint8Array(MAX_FILTER_LINE_BYTES)
  #carried = 0
  #tooLong = false
  #work = 0
  #lines = 0
  #broken = 0
  #firstBroken: number | null = null

  /** The list is over, also without a line end; another one may follow. */
  endList(): void {
    if (this.#carried > 0 || this.#tooLong) this.#endCarried()
  }

  /** Takes the next bytes; they must not change until the last step is done. Throws DecodeError at too many ranges. */
  *feed(chunk: Uint8Array): Steps<void> {
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(LF, start)
      if (newline < 0) return this.#keep(chunk.subarray(start))
      if (this.#carried === 0 && !this.#tooLong && newline - start <= MAX_FILTER_LINE_BYTES) {
        this.#read(chunk, start, newline)
      } else {
        this.#keep(chunk.subarray(start, newline))
        this.#endCarried()
      }
      start = newline + 1
      if (this.#work < STEP_WORK) continue
      this.#work = 0
      yield
    }
  }

  /** What was read so far. */
  ranges(): FilterRanges {
    return {
      v4: this.#v4.blocks(),
      v6: this.#v6.blocks(),
      count: this.#v4.count + this.#v6.count,
      lines: this.#lines,
      broken: this.#broken,
      firstBroken: this.#firstBroken,
    }
  }

  #keep(part: Uint8Array): void {
    if (this.#carried + part.length > MAX_FILTER_LINE_BYTES) this.#tooLong = true
    if (this.#tooLong) return
    this.#carry.set(part, this.#carried)
    this.#carried += part.length
  }

  #endCarried(): void {
    const length = this.#carried
    const tooLong = this.#tooLong
    this.#carried = 0
    this.#tooLong = false
    if (tooLong) {
      this.#lines += 1
      this.#countBroken()
    } else this.#read(this.#carry, 0, length)
  }

  #read(bytes: Uint8Array, start: number, end: number): void {
    this.#lines += 1
    const line = this.#line
    const kind = line.read(bytes, start, end)
    this.#work += line.slow ? SLOW_LINE_WORK : 1
    if (kind === 'broken') this.#countBroken()
    else if (kind !== 'nothing') this.#add(kind === 'v4' ? this.#v4 : this.#v6)
  }

  #add(blocks: RangeBlocks): void {
    if (this.#v4.count + this.#v6.count >= MAX_FILTER_RANGES) {
      throw new DecodeError(`more than ${MAX_FILTER_RANGES} ranges of addresses`)
    }
    blocks.push(this.#line.words)
  }

  #countBroken(): void {
    this.#broken += 1
    this.#firstBroken ??= this.#lines
  }
}

function addressText(range: Uint32Array, from: number, words: number): string {
  const bytes = new Uint8Array(words * 4)
  const view = new DataView(bytes.buffer)
  for (let word = 0; word < words; word++) view.setUint32(word * 4, range[from + word] ?? 0)
  return formatIp(bytes)
}

/**
 * The ranges as a list, one `first-last` a line: read again it gives the same ranges in the same order of each family.
 */
export function encodeFilterList(ranges: Pick<FilterRanges, 'v4' | 'v6'>): string {
  const lines: string[] = []
  for (const family of [4, 6] as const) {
    const words = RANGE_WORDS[family]
    for (const block of family === 4 ? ranges.v4 : ranges.v6) {
      for (let at = 0; at < block.length; at += words) {
        const half = words / 2
        lines.push(`${addressText(block, at, half)}-${addressText(block, at + half, half)}\n`)
      }
    }
  }
  return lines.join('')
}
