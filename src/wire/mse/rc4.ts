// The RC4 stream cipher as message stream encryption uses it. It hides what is sent from machines that look at traffic;
// it does not protect from a person who wants to read it. Invariant: one object is one direction of one connection, and
// every byte goes through it exactly once, in order.

/** Keystream bytes that are thrown away before the first use: the beginning of an RC4 stream tells of its key (MSE). */
export const RC4_DISCARD_BYTES = 1024

const STATE_BYTES = 256

/** One keystream. */
export class Rc4 {
  readonly #state = new Uint8Array(STATE_BYTES)
  #i = 0
  #j = 0

  /** `key`: 1 to 256 bytes. `discardBytes` of the keystream are thrown away. */
  constructor(key: Uint8Array, discardBytes: number = RC4_DISCARD_BYTES) {
    if (key.length < 1 || key.length > STATE_BYTES) throw new RangeError(`an RC4 key of ${key.length} bytes`)
    const state = this.#state
    for (let i = 0; i < STATE_BYTES; i += 1) state[i] = i
    let j = 0
    for (let i = 0; i < STATE_BYTES; i += 1) {
      const a = state[i] as number
      j = (j + a + (key[i % key.length] as number)) & 255
      state[i] = state[j] as number
      state[j] = a
    }
    if (discardBytes > 0) {
      const waste = new Uint8Array(discardBytes)
      this.apply(waste, waste)
    }
  }

  /**
   * Writes `source`, encrypted or decrypted (it is the same), to the start of `target`: either the same memory or
   * memory that does not overlap. Throws RangeError when `target` is shorter.
   */
  apply(source: Uint8Array, target: Uint8Array): void {
    const length = source.length
    if (target.length < length) throw new RangeError(`no room for ${length} bytes`)
    // All in local variables, and indexes cut to a byte, so that the compiled loop touches no object but the three
    // arrays; and these always of one kind, so that the loop is compiled for that kind alone.
    const from = asPlain(source)
    const to = source === target ? from : asPlain(target)
    const state = this.#state
    let i = this.#i
    let j = this.#j
    for (let at = 0; at < length; at += 1) {
      i = (i + 1) & 255
      const a = state[i] as number
      j = (j + a) & 255
      const b = state[j] as number
      state[i] = b
      state[j] = a
      to[at] = (from[at] as number) ^ (state[(a + b) & 255] as number)
    }
    this.#i = i
    this.#j = j
  }
}

/** The same memory as a Uint8Array and no subclass: a Buffer is another kind of object to the compiler. */
function asPlain(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}
