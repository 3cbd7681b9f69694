// Sums of payload, as doubles from the first byte on. In a plain field V8 keeps a small integer until it passes 2^31;
// then the field changes its kind, every object with such fields with it, and all machine code that was made for them
// is thrown away in the middle of a transfer (decision 0534).

const DOWN = 0
const UP = 1

/** Bytes of payload that came and went. */
export class ByteSums {
  readonly #sums = new Float64Array(2)

  /** Bytes received. */
  get down(): number {
    return this.#sums[DOWN] ?? 0
  }

  set down(bytes: number) {
    this.#sums[DOWN] = bytes
  }

  /** Bytes sent. */
  get up(): number {
    return this.#sums[UP] ?? 0
  }

  set up(bytes: number) {
    this.#sums[UP] = bytes
  }
}
