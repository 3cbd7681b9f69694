// Bytes that hold fields: every read is checked against their end, so that a length in a hostile file reaches nothing
// beyond. Big-endian, as MP4, Matroska and MPEG-TS are, unless their names say otherwise.

import { DecodeError } from '../../../base/errors.ts'

/** Longest text that is taken of a film: names of tracks and chapters are shown in tables. */
const MAX_TEXT_CHARS = 200

const utf8 = new TextDecoder('utf-8')
const latin1 = new TextDecoder('latin1')
/** What would move a terminal's cursor or write from right to left. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu

/** Bytes with checked reads. All of them throw DecodeError beyond the end. */
export class FieldBytes {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.bytes.length
  }

  /** Throws unless `count` bytes are there from `at` on. */
  need(at: number, count: number): void {
    if (at < 0 || count < 0 || at + count > this.bytes.length) throw new DecodeError('a field lies beyond its end')
  }

  u8(at: number): number {
    this.need(at, 1)
    return this.#view.getUint8(at)
  }

  u16(at: number): number {
    this.need(at, 2)
    return this.#view.getUint16(at)
  }

  u24(at: number): number {
    return this.u8(at) * 0x1_00_00 + this.u16(at + 1)
  }

  u32(at: number): number {
    this.need(at, 4)
    return this.#view.getUint32(at)
  }

  /** Little-endian, as RIFF and Ogg are. */
  u16le(at: number): number {
    this.need(at, 2)
    return this.#view.getUint16(at, true)
  }

  u32le(at: number): number {
    this.need(at, 4)
    return this.#view.getUint32(at, true)
  }

  i32(at: number): number {
    this.need(at, 4)
    return this.#view.getInt32(at)
  }

  /** Throws for numbers that would not be exact. */
  u64(at: number): number {
    const value = this.u32(at) * 0x1_00_00_00_00 + this.u32(at + 4)
    if (!Number.isSafeInteger(value)) throw new DecodeError('a number is too large')
    return value
  }

  /** Two's complement; numbers that are not exact are rounded. */
  i64(at: number): number {
    return this.i32(at) * 0x1_00_00_00_00 + this.u32(at + 4)
  }

  f32(at: number): number {
    this.need(at, 4)
    return this.#view.getFloat32(at)
  }

  f64(at: number): number {
    this.need(at, 8)
    return this.#view.getFloat64(at)
  }

  /** Unsigned, of `count` bytes (0 to 8). */
  uint(at: number, count: number): number {
    let value = 0
    for (let next = at; next < at + count; next += 1) value = value * 256 + this.u8(next)
    if (!Number.isSafeInteger(value)) throw new DecodeError('a number is too large')
    return value
  }

  /** One byte a character: types of boxes, names of codecs. */
  latin(at: number, count: number): string {
    this.need(at, count)
    return latin1.decode(this.bytes.subarray(at, at + count))
  }

  /** A text for people, up to its first zero byte: one line, without control characters, cut where it is too long. */
  text(at: number, count: number): string {
    this.need(at, count)
    const bytes = this.bytes.subarray(at, at + Math.min(count, MAX_TEXT_CHARS * 4))
    const zero = bytes.indexOf(0)
    const text = utf8.decode(zero < 0 ? bytes : bytes.subarray(0, zero))
    return [...text.replace(UNPRINTABLE, ' ').trim()].slice(0, MAX_TEXT_CHARS).join('')
  }

  /** The part from `start` to `end`. */
  part(start: number, end: number): FieldBytes {
    this.need(start, end - start)
    return new FieldBytes(this.bytes.subarray(start, end))
  }
}
