// Bits of a header, from the highest of the first byte on, with the numbers of H.264 and HEVC (Exp-Golomb codes).

import { DecodeError } from '../../../base/errors.ts'

/** Reads bits. All methods throw DecodeError beyond the end. */
export class BitReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** An unsigned number of `count` bits, 0 to 32. */
  read(count: number): number {
    let value = 0
    for (let left = count; left > 0; left -= 1) value = value * 2 + this.#bit()
    return value
  }

  /** One bit as a flag. */
  flag(): boolean {
    return this.#bit() === 1
  }

  /** Passes over bits. */
  skip(count: number): void {
    this.#at += count
    if (this.#at > this.#bytes.length * 8) throw new DecodeError('a header ends too early')
  }

  /** ue(v), ISO 14496-10, 9.1. */
  unsigned(): number {
    let zeros = 0
    while (this.#bit() === 0) {
      zeros += 1
      if (zeros > 32) throw new DecodeError('a number of a header is too large')
    }
    return 2 ** zeros - 1 + this.read(zeros)
  }

  /** se(v). */
  signed(): number {
    const code = this.unsigned()
    return code % 2 === 0 ? -code / 2 : (code + 1) / 2
  }

  #bit(): number {
    const byte = this.#bytes[this.#at >> 3]
    if (byte === undefined) throw new DecodeError('a header ends too early')
    const bit = (byte >> (7 - (this.#at & 7))) & 1
    this.#at += 1
    return bit
  }
}

/** The payload of a NAL unit: without the bytes that keep start codes out of it (ISO 14496-10, 7.4.1). */
export function withoutEmulation(unit: Uint8Array): Uint8Array {
  const out = new Uint8Array(unit.length)
  let [length, zeros] = [0, 0]
  for (const byte of unit) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0
      continue
    }
    out[length] = byte
    length += 1
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return out.subarray(0, length)
}
