// What the two sides of the handshake of message stream encryption share: limits, methods, the shape of a side, and the
// bounded memory for what the other side sent. The steps themselves are in mse-steps.ts, mse-initiator.ts and
// mse-responder.ts.
//
//   1  initiator -> responder   public key, PadA
//   2  responder -> initiator   public key, PadB
//   3  initiator -> responder   HASH('req1', S), HASH('req2', SKEY) ^ HASH('req3', S), RC4(VC, offer, PadC, IA)
//   4  responder -> initiator   RC4(VC, choice, PadD), from here on the chosen method

import { DecodeError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import { PUBLIC_KEY_BYTES } from './mse-keys.ts'
import { MSE_HASH_BYTES } from './mse-hashes.ts'
import type { Rc4 } from './rc4.ts'

/** How a connection goes on after the handshake: under RC4, or as it is. */
export type MseMethod = 'rc4' | 'plaintext'

/** Longest of each of the four paddings, bytes (MSE). */
export const MAX_PADDING_BYTES = 512

/** The verification constant: eight zero bytes. */
export const VC_BYTES = 8

/** Most that a side sends before it has heard the other one: key and padding. */
export const MAX_FIRST_BYTES = PUBLIC_KEY_BYTES + MAX_PADDING_BYTES

/** Longest first payload within step 3. MSE allows 65535; libtorrent takes no more than a BitTorrent handshake. */
export const MAX_INITIAL_BYTES = 68

/** Longest that a side can be asked to keep: everything up to the length of IA, with the longest paddings. */
const MAX_KEPT_BYTES = MAX_FIRST_BYTES + 2 * MSE_HASH_BYTES + VC_BYTES + 4 + 2 + MAX_PADDING_BYTES + 2

const METHOD_BITS: Record<MseMethod, number> = { plaintext: 1, rc4: 2 }

/** The crypto_provide or crypto_select field that says these methods. */
export function methodBits(methods: readonly MseMethod[]): number {
  let bits = 0
  for (const method of methods) bits |= METHOD_BITS[method]
  return bits
}

/** The first of `wanted` that is among the methods of a crypto_provide field. Throws DecodeError when there is none. */
export function chooseMethod(wanted: readonly MseMethod[], offered: number): MseMethod {
  for (const method of wanted) if ((offered & METHOD_BITS[method]) !== 0) return method
  throw new DecodeError('no common method of encryption')
}

/** The method that a crypto_select field names. Throws DecodeError unless it is exactly one of `offered`. */
export function chosenMethod(offered: readonly MseMethod[], choice: number): MseMethod {
  for (const method of offered) if (choice === METHOD_BITS[method]) return method
  throw new DecodeError('a method of encryption that was not offered')
}

/** What a handshake came to. */
export interface MseResult {
  readonly infoHash: InfoHash
  readonly method: MseMethod
  /** For everything that is sent from here on; null = it is sent as it is. */
  readonly encrypt: Rc4 | null
  /** For the next `encryptedBytes` bytes that come; what follows them comes as it is. */
  readonly decrypt: Rc4
  /** Infinity under RC4; else what is left of the first payload of step 3, which is always under RC4. */
  readonly encryptedBytes: number
}

/**
 * One side of a handshake, without any stream: who carries its bytes calls push() with what came, compute() when
 * `wanted` says so, and sends what takeOutput() gives. It ends with `result`, or by push() or compute() throwing
 * DecodeError.
 */
export interface MseSide {
  /** Modular exponentiations that compute() would make now; 0 = none. */
  readonly wanted: number
  /** Set when the handshake is done. */
  readonly result: MseResult | null
  /** Takes bytes of the other side; answers how many of them, all as long as there is no result. */
  push(chunk: Uint8Array): number
  /** Makes the keys that are needed to go on. */
  compute(): void
  /** Bytes to send now, in fresh memory; null = none. */
  takeOutput(): Uint8Array | null
  /** Bytes that were pushed and lie behind the handshake: the beginning of what follows it. */
  rest(): Uint8Array
}

/** Bytes of the other side that were not understood yet: bounded, read from the front. */
export class MseInput {
  readonly #bytes = Buffer.alloc(MAX_KEPT_BYTES)
  #filled = 0
  #at = 0
  /** No match of the pattern that is sought begins before this. */
  #sought = 0

  /** Bytes that came in all. */
  get filled(): number {
    return this.#filled
  }

  /** Copies what there is room for; answers how many bytes that was. */
  push(chunk: Uint8Array): number {
    const count = Math.min(chunk.length, MAX_KEPT_BYTES - this.#filled)
    this.#bytes.set(chunk.subarray(0, count), this.#filled)
    this.#filled += count
    return count
  }

  /** The next `count` bytes, a view that may be written to; null while they have not come. */
  take(count: number): Uint8Array | null {
    if (this.#filled - this.#at < count) return null
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  /** Passes over padding and `pattern` behind it; false while it may still come. Throws DecodeError when it cannot. */
  passOver(pattern: Uint8Array): boolean {
    const limit = this.#at + MAX_PADDING_BYTES + pattern.length
    const end = Math.min(this.#filled, limit)
    const found = this.#bytes.subarray(0, end).indexOf(pattern, Math.max(this.#at, this.#sought))
    if (found >= 0) {
      this.#at = found + pattern.length
      return true
    }
    if (end === limit) throw new DecodeError('no end of the padding')
    this.#sought = end - pattern.length + 1
    return false
  }

  /** Everything that was not read. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#filled)
  }
}

/** Throws DecodeError when a side sent more than it can have to say before `side` has its keys, or in all. */
export function checkPushed(side: MseSide, input: MseInput, all: boolean): void {
  const early = side.wanted > 0 && input.filled > MAX_FIRST_BYTES
  if (early || (!all && side.result === null)) throw new DecodeError('more bytes than an encrypted handshake has')
}

/** The length of a padding as it was sent. Throws DecodeError beyond MAX_PADDING_BYTES. */
export function paddingBytes(high: number, low: number): number {
  const count = (high << 8) | low
  if (count > MAX_PADDING_BYTES) throw new DecodeError('too long a padding')
  return count
}
