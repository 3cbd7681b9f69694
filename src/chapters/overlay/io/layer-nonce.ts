// Nonces of a layer (IPv8, section 7.4): salt of 4 bytes, counter of 8. The counter is two numbers of 32 bits, since a
// BigInt is an object each time. Keys lie in the same memory of its own, so that one fill zeroes all of it.

import { LAYER_BYTES, LAYER_HEAD_BYTES, LAYER_TAG_BYTES } from '../ports/overlay-crypto.ts'

const SALT_BYTES = 4
const NONCE_BYTES = 12
const KEY_BYTES = 32
/** Bytes of a key that is handed over: key, salt, counter. */
export const HANDED_KEY_BYTES = KEY_BYTES + SALT_BYTES + LAYER_HEAD_BYTES

/** Key, and the nonces of both uses. */
export class LayerNonce {
  readonly key: Uint8Array
  /** Nonce of the next seal, after next(). */
  readonly own: Uint8Array
  /** Nonce of the text to open, after of(). */
  readonly theirs: Uint8Array
  #high = 0
  #low = 0
  #wiped = false

  constructor(key: Uint8Array, salt: Uint8Array, counter: number) {
    if (key.length !== KEY_BYTES || salt.length !== SALT_BYTES) throw new RangeError('a key has 32 bytes, a salt 4')
    const memory = Buffer.allocUnsafeSlow(KEY_BYTES + 2 * NONCE_BYTES)
    this.key = memory.subarray(0, KEY_BYTES)
    this.own = memory.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES)
    this.theirs = memory.subarray(KEY_BYTES + NONCE_BYTES)
    this.key.set(key)
    this.own.set(salt)
    this.theirs.set(salt)
    this.#setCounter(counter)
  }

  get wiped(): boolean {
    return this.#wiped
  }

  /** Makes `own` the next nonce, and writes its counter to bytes[at..at + 8). */
  next(bytes: Uint8Array, at: number): void {
    this.#low = (this.#low + 1) >>> 0
    if (this.#low === 0) this.#high = (this.#high + 1) >>> 0
    putCounter(this.own, SALT_BYTES, this.#high, this.#low)
    putCounter(bytes, at, this.#high, this.#low)
  }

  /**
   * Writes key, salt and counter to into[at..at + 44), for `uses` seals that a worker makes with them: this one goes on
   * behind. False after wipe(), and nothing is written.
   */
  handOver(into: Uint8Array, at: number, uses: number): boolean {
    if (this.#wiped) return false
    const counter = this.#high * 0x1_0000_0000 + this.#low
    into.set(this.key, at)
    into.set(this.own.subarray(0, SALT_BYTES), at + KEY_BYTES)
    putCounter(into, at + KEY_BYTES + SALT_BYTES, this.#high, this.#low)
    this.#setCounter(counter + uses)
    return true
  }

  #setCounter(counter: number): void {
    this.#high = Math.floor(counter / 0x1_0000_0000)
    this.#low = counter >>> 0
  }

  /** Makes `theirs` the nonce of the text at `at`. */
  of(bytes: Uint8Array, at: number): void {
    for (let i = 0; i < LAYER_HEAD_BYTES; i++) this.theirs[SALT_BYTES + i] = bytes[at + i] as number
  }

  wipe(): void {
    this.#wiped = true
    this.key.fill(0)
    this.own.fill(0)
    this.theirs.fill(0)
  }
}

/** Throws RangeError when a layer around bytes[start..end) would reach beyond `bytes`. */
export function checkRoom(bytes: Uint8Array, start: number, end: number): void {
  if (start < LAYER_HEAD_BYTES || end < start || end + LAYER_TAG_BYTES > bytes.length)
    throw new RangeError('no room for a layer')
}

/** What a wiped key does with a text to seal: it must not be sent as it is. */
export function refuse(bytes: Uint8Array, start: number, end: number): false {
  bytes.fill(0, start, end)
  return false
}

/** True when a layer can lie in bytes[start..end). */
export function canOpen(bytes: Uint8Array, start: number, end: number): boolean {
  return start >= 0 && end <= bytes.length && end - start >= LAYER_BYTES
}

/** Key, salt and counter of a key that was handed over, at bytes[at..at + 44); views. */
export function handedKey(bytes: Uint8Array, at: number): { key: Uint8Array; salt: Uint8Array; counter: number } {
  const salted = at + KEY_BYTES
  const counterAt = salted + SALT_BYTES
  let counter = 0
  for (let i = 0; i < LAYER_HEAD_BYTES; i++) counter = counter * 256 + (bytes[counterAt + i] as number)
  return { key: bytes.subarray(at, salted), salt: bytes.subarray(salted, counterAt), counter }
}

function putCounter(bytes: Uint8Array, at: number, high: number, low: number): void {
  bytes[at] = high >>> 24
  bytes[at + 1] = high >>> 16
  bytes[at + 2] = high >>> 8
  bytes[at + 3] = high
  bytes[at + 4] = low >>> 24
  bytes[at + 5] = low >>> 16
  bytes[at + 6] = low >>> 8
  bytes[at + 7] = low
}
