// Signed packets that came before: one that comes again, perhaps from another address, is dropped. Remembers the newest ones only.

import { MAX_SIGNATURES_REMEMBERED } from './limits.ts'

/** Bytes of a signature that tell it from others; the first ones of any kind of signature are as good as chance. */
const NAME_BYTES = 16

/** The memory. */
export class SeenSignatures {
  /** In the order they came. */
  readonly #seen = new Set<string>()

  /** True the first time. */
  add(signature: Uint8Array): boolean {
    const name = Buffer.from(signature.buffer, signature.byteOffset, Math.min(NAME_BYTES, signature.length)).toString(
      'latin1',
    )
    if (this.#seen.has(name)) return false
    this.#seen.add(name)
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_SIGNATURES_REMEMBERED) break
      this.#seen.delete(oldest)
    }
    return true
  }
}
