// What both sides of the handshake of message stream encryption do with bytes and keys: take what comes, read as far as
// it goes, keep what must be sent. What is read in which order, and answered, is each side's own (mse-initiator.ts,
// mse-responder.ts).

import type { InfoHash } from '../../base/ids.ts'
import { checkPushed, MseInput, type MseMethod, type MseResult, type MseSide } from './mse-handshake.ts'
import type { MseCiphers } from './mse-hashes.ts'
import { type KeyAgreement, mseKeys, PUBLIC_KEY_BYTES } from './mse-keys.ts'

/** States that both sides have; in `secret` keys must be computed, in `done` nothing more is read. */
export type CommonState = 'key' | 'secret' | 'done'

/** One side, in one of `State`s of its own and the common ones. */
export abstract class MseSteps<State extends string> implements MseSide {
  abstract readonly wanted: number
  protected readonly keys: KeyAgreement
  protected readonly input = new MseInput()
  protected state: State | CommonState
  /** The public key of the other side, once it was read. */
  protected otherKey: Uint8Array = new Uint8Array(0)
  #out: Uint8Array | null = null
  #result: MseResult | null = null

  /** `keys` default: mseKeys. */
  constructor(first: State | CommonState, keys: KeyAgreement = mseKeys) {
    this.state = first
    this.keys = keys
  }

  get result(): MseResult | null {
    return this.#result
  }

  push(chunk: Uint8Array): number {
    const count = this.input.push(chunk)
    this.#advance()
    checkPushed(this, this.input, count === chunk.length)
    return count
  }

  compute(): void {
    this.makeKeys()
    this.#advance()
  }

  takeOutput(): Uint8Array | null {
    const out = this.#out
    this.#out = null
    return out
  }

  rest(): Uint8Array {
    return this.input.rest()
  }

  /** Computes what the present state wants, if anything. */
  protected abstract makeKeys(): void

  /** Reads the next part; false when it has not come, or is not to be read yet. */
  protected abstract step(): boolean

  protected send(bytes: Uint8Array): void {
    this.#out = this.#out === null ? bytes : Buffer.concat([this.#out, bytes])
  }

  protected readKey(): boolean {
    const key = this.input.take(PUBLIC_KEY_BYTES)
    if (key === null) return false
    this.otherKey = key
    this.state = 'secret'
    return true
  }

  /** Passes over a padding that ends with `pattern`. */
  protected passOver(pattern: Uint8Array, next: State): boolean {
    if (!this.input.passOver(pattern)) return false
    this.state = next
    return true
  }

  /** The end. Under the plaintext method `plainAfter` more bytes of the other side come under RC4. */
  protected finish(infoHash: InfoHash, method: MseMethod, { encrypt, decrypt }: MseCiphers, plainAfter: number): void {
    const rc4 = method === 'rc4'
    const encryptedBytes = rc4 ? Number.POSITIVE_INFINITY : plainAfter
    this.#result = { infoHash, method, encrypt: rc4 ? encrypt : null, decrypt, encryptedBytes }
    this.state = 'done'
  }

  #advance(): void {
    while (this.step()) {
      // Until more bytes or keys are needed.
    }
  }
}
