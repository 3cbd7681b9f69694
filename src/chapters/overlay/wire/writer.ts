// Writes the primitive types of the overlay protocol (IPv8, section 1); everything is big endian. Bounded: a datagram
// has at most 65,535 bytes, and a value that does not fit its field is a RangeError, since it is our own mistake.

const FIRST_BYTES = 256
const MOST_BYTES = 0x10000

/** Bytes that grow with each value written. */
export class OverlayWriter {
  #bytes = new Uint8Array(FIRST_BYTES)
  #length = 0

  /** Bytes written so far. */
  get length(): number {
    return this.#length
  }

  u8(value: number): void {
    fits(value, 0xff)
    const at = this.#grow(1)
    this.#bytes[at] = value
  }

  u16(value: number): void {
    fits(value, 0xffff)
    const at = this.#grow(2)
    this.#bytes[at] = value >>> 8
    this.#bytes[at + 1] = value
  }

  u32(value: number): void {
    fits(value, 0xffffffff)
    this.u16(value >>> 16)
    this.u16(value & 0xffff)
  }

  u64(value: bigint): void {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value} is no u64`)
    this.u32(Number(value >> 32n))
    this.u32(Number(value & 0xffff_ffffn))
  }

  /** The bytes as they are. */
  put(bytes: Uint8Array): void {
    const at = this.#grow(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** A u16 length and the bytes. */
  v16(bytes: Uint8Array): void {
    this.u16(bytes.length)
    this.put(bytes)
  }

  /** What `write` writes, with its length as u16 before it. */
  measured(write: () => void): void {
    const at = this.#grow(2)
    write()
    const length = this.#length - at - 2
    fits(length, 0xffff)
    this.#bytes[at] = length >>> 8
    this.#bytes[at + 1] = length
  }

  /** Everything written, in memory of its own. */
  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #grow(count: number): number {
    const at = this.#length
    const wanted = at + count
    if (wanted > MOST_BYTES) throw new RangeError('larger than a datagram can be')
    if (wanted > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(MOST_BYTES, Math.max(wanted, this.#bytes.length * 2)))
      larger.set(this.#bytes.subarray(0, at))
      this.#bytes = larger
    }
    this.#length = wanted
    return at
  }
}

function fits(value: number, most: number): void {
  if (!Number.isInteger(value) || value < 0 || value > most) throw new RangeError(`${value} is not 0 to ${most}`)
}
