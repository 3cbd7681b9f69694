// Bits one after the other, the highest first, into bytes that grow. Pure.

/** Writes bits. */
export class BitWriter {
  #bytes: Uint8Array
  #length = 0
  #bits = 0
  #pending = 0

  /** `capacity`: bytes it begins with. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  /** The lowest `count` bits of `value`; `count` at most 24. */
  put(value: number, count: number): void {
    this.#bits = (this.#bits << count) | (value & ((1 << count) - 1))
    this.#pending += count
    while (this.#pending >= 8) {
      this.#pending -= 8
      this.#byte((this.#bits >>> this.#pending) & 0xff)
    }
    this.#bits &= (1 << this.#pending) - 1
  }

  /** So many zeros, and a one. */
  unary(zeros: number): void {
    let left = zeros
    for (; left > 23; left -= 23) this.put(0, 23)
    this.put(1, left + 1)
  }

  /** Zeros to the next whole byte. */
  align(): void {
    if (this.#pending > 0) this.put(0, 8 - this.#pending)
  }

  /** What was written; whole bytes alone. Valid until the next bit. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length] = value
    this.#length += 1
  }
}
