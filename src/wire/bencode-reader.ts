// Reads bencode (BEP 3) from hostile bytes, by value or by skipping. Strict where two readings could differ: no leading
// zeroes, no -0, no negative or cut-off lengths, no key twice. Keys in a wrong order are accepted: real torrents have
// them. Invariant: the cursor never goes back, depth never passes MAX_DEPTH, values never pass the budget.

import { DecodeError } from '../base/errors.ts'
import { asBuffer, type BencodeDict, type BencodeValue } from './bencode-value.ts'
import type { Steps } from './steps.ts'

/** Deepest nesting of lists and dictionaries. Real formats need 5; file trees of BEP 52 somewhat more. */
export const MAX_DEPTH = 64

/** Most values one decode builds: bounds memory (about 150 bytes each) and time (some 20 ms), whatever the input. */
export const MAX_VALUES = 50_000

/** Values passed over in one step: a millisecond or two. */
const SKIPS_A_STEP = 5000

/** Longest integer, digits: conversion cost grows with the square. 64-bit integers have 20. */
const MAX_INT_DIGITS = 64

/** Longest length prefix, digits. */
const MAX_LENGTH_DIGITS = 10

const CODE_0 = 0x30
const CODE_9 = 0x39
const CODE_COLON = 0x3a
const CODE_DICT = 0x64
const CODE_END = 0x65
const CODE_INT = 0x69
const CODE_LIST = 0x6c
const CODE_MINUS = 0x2d

/** A cursor over bencoded bytes. Every method throws DecodeError when the bytes are not what they should be. */
export class BencodeReader {
  readonly #bytes: Uint8Array
  readonly #buffer: Buffer
  #position: number
  #budget = MAX_VALUES

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes
    this.#buffer = asBuffer(bytes)
    this.#position = start
  }

  /** Offset of the next byte to read. */
  get position(): number {
    return this.#position
  }

  /** True when every byte has been read. */
  get atEnd(): boolean {
    return this.#position === this.#bytes.length
  }

  /** What the next value is, if it is one. */
  get kind(): 'int' | 'list' | 'dict' | 'string' {
    const code = this.#bytes[this.#position]
    return code === CODE_INT ? 'int' : code === CODE_LIST ? 'list' : code === CODE_DICT ? 'dict' : 'string'
  }

  /** Reads one value of any kind. */
  value(depth = 0): BencodeValue {
    if (--this.#budget < 0) throw new DecodeError('bencode: too many values')
    const code = this.#bytes[this.#position]
    if (code === CODE_INT) return this.int()
    if (code === CODE_LIST) return this.#list(depth)
    if (code === CODE_DICT) return this.#dict(depth)
    return this.string()
  }

  /** Reads one value inside an opened list, with a budget of its own: for lists whose items are not kept. */
  item(): BencodeValue {
    this.#budget = MAX_VALUES
    return this.value(1)
  }

  /** Reads an integer. */
  int(): number | bigint {
    const text = this.#intText()
    const number = Number(text)
    return Number.isSafeInteger(number) ? number : BigInt(text)
  }

  /** Reads a byte string as a view. */
  string(): Uint8Array {
    const start = this.#stringStart()
    return this.#bytes.subarray(start, this.#position)
  }

  /** Reads a byte string as a dictionary key (latin1). */
  key(): string {
    const start = this.#stringStart()
    return this.#buffer.toString('latin1', start, this.#position)
  }

  /** Enters a list. */
  openList(): void {
    this.#expect(CODE_LIST, 'a list')
  }

  /** Enters a dictionary. */
  openDict(): void {
    this.#expect(CODE_DICT, 'a dictionary')
  }

  /** Leaves the list or dictionary when it ends here; answers whether it did. */
  closed(): boolean {
    if (this.#bytes[this.#position] !== CODE_END) return false
    this.#position++
    return true
  }

  /** Passes over one value of any kind without building it; checks its structure, not whether keys repeat. */
  *skip(): Steps<void> {
    let steps = 0
    // One entry an open container: true while a dictionary waits for a key.
    const open: ('list' | 'key' | 'value')[] = []
    do {
      if (++steps % SKIPS_A_STEP === 0) yield
      const top = open.length - 1
      if (top >= 0 && open[top] !== 'value' && this.closed()) open.pop()
      else if (open[top] === 'key') {
        this.#stringStart()
        open[top] = 'value'
        continue
      } else this.#skipOne(open)
      const parent = open.length - 1
      if (open[parent] === 'value') open[parent] = 'key'
    } while (open.length > 0)
  }

  #skipOne(open: ('list' | 'key' | 'value')[]): void {
    const code = this.#bytes[this.#position]
    if (code === CODE_INT) this.#intText()
    else if (code === CODE_LIST || code === CODE_DICT) {
      if (open.length >= MAX_DEPTH) throw new DecodeError('bencode: nested too deep')
      this.#position++
      open.push(code === CODE_LIST ? 'list' : 'key')
    } else this.#stringStart()
  }

  #list(depth: number): BencodeValue[] {
    if (depth >= MAX_DEPTH) throw new DecodeError('bencode: nested too deep')
    this.#position++
    const list: BencodeValue[] = []
    while (!this.closed()) list.push(this.value(depth + 1))
    return list
  }

  #dict(depth: number): BencodeDict {
    if (depth >= MAX_DEPTH) throw new DecodeError('bencode: nested too deep')
    this.#position++
    const dict: BencodeDict = new Map()
    while (!this.closed()) {
      const key = this.key()
      if (dict.has(key)) throw new DecodeError('bencode: a key stands twice')
      dict.set(key, this.value(depth + 1))
    }
    return dict
  }

  /** Reads `i...e`; the digits with their sign. */
  #intText(): string {
    const start = ++this.#position
    const negative = this.#bytes[start] === CODE_MINUS
    if (negative) this.#position++
    const digits = this.#digits(MAX_INT_DIGITS)
    if (negative && this.#bytes[start + 1] === CODE_0) throw new DecodeError('bencode: -0')
    if (digits === 0) throw new DecodeError('bencode: integer without digits')
    if (this.#bytes[this.#position] !== CODE_END) throw new DecodeError('bencode: integer without end')
    return this.#buffer.toString('latin1', start, this.#position++)
  }

  /** Reads a string's prefix and moves past the string; the offset of its first byte. */
  #stringStart(): number {
    const from = this.#position
    const digits = this.#digits(MAX_LENGTH_DIGITS)
    if (digits === 0) throw new DecodeError(`bencode: no value at byte ${from}`)
    let length = 0
    for (let at = from; at < this.#position; at++) length = length * 10 + (this.#bytes[at] as number) - CODE_0
    if (this.#bytes[this.#position] !== CODE_COLON) throw new DecodeError('bencode: string length without colon')
    const start = this.#position + 1
    if (length > this.#bytes.length - start) throw new DecodeError('bencode: string is cut off')
    this.#position = start + length
    return start
  }

  /** Moves past decimal digits without a leading zero; how many. */
  #digits(max: number): number {
    const start = this.#position
    const bytes = this.#bytes
    let at = start
    for (let code = bytes[at]; code !== undefined && code >= CODE_0 && code <= CODE_9; code = bytes[at]) {
      if (++at - start > max) throw new DecodeError('bencode: number is too long')
    }
    if (at - start > 1 && bytes[start] === CODE_0) throw new DecodeError('bencode: leading zero')
    this.#position = at
    return at - start
  }

  #expect(code: number, what: string): void {
    if (this.#bytes[this.#position] !== code) throw new DecodeError(`bencode: expected ${what}`)
    this.#position++
  }
}
