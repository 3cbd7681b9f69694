// Reads the primitive types of the overlay protocol (IPv8, section 1) one after the other; everything is big endian.
// Invariant: never reads beyond its end; what is too short is a DecodeError. Byte strings are views of what is read:
// copy one to keep it.

import { DecodeError } from '../../../base/errors.ts'

/** A place in bytes that moves on with each value read. */
export class OverlayReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number

  /** Reads `bytes` from `at` up to `end`. */
  constructor(bytes: Uint8Array, at = 0, end: number = bytes.length) {
    if (at > end || end > bytes.length) throw new DecodeError('ends before it begins')
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#end - this.#at
  }

  u8(): number {
    return this.#bytes[this.#skip(1)] as number
  }

  u16(): number {
    const at = this.#skip(2)
    return ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number)
  }

  u32(): number {
    return this.u16() * 0x10000 + this.u16()
  }

  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32())
  }

  /** The next `count` bytes, a view. */
  take(count: number): Uint8Array {
    const at = this.#skip(count)
    return this.#bytes.subarray(at, at + count)
  }

  /** A u16 length and that many bytes, at most `most`. */
  v16(most = 0xffff): Uint8Array {
    const length = this.u16()
    if (length > most) throw new DecodeError(`${length} bytes where ${most} are the most`)
    return this.take(length)
  }

  /** Everything that is left. */
  rest(): Uint8Array {
    return this.take(this.left)
  }

  /** A reader of the next `count` bytes, which this one passes over. */
  part(count: number): OverlayReader {
    const at = this.#skip(count)
    return new OverlayReader(this.#bytes, at, at + count)
  }

  /** Throws DecodeError when anything is left. */
  finish(): void {
    if (this.left > 0) throw new DecodeError(`${this.left} bytes too many`)
  }

  #skip(count: number): number {
    const at = this.#at
    if (count > this.#end - at) throw new DecodeError('ends too early')
    this.#at = at + count
    return at
  }
}
