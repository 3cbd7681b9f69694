// Signed packets that came before: one that comes again from another address is dropped: it was recorded to pass for
// its sender. From the same address it may come: a node that restarts counts from the start. Remembers the newest ones,
// for a while.

import { addressKey, type PeerAddress } from '../../../base/ids.ts'

/** Signed packets that are known when they come again. */
const MAX_SIGNATURES_REMEMBERED = 4_096
/** So long; a sender whose address changes is not shut out for ever. */
const SIGNATURES_REMEMBERED_MS = 120_000

/** Bytes of a signature that tell it from others; the first ones of any kind of signature are as good as chance. */
const NAME_BYTES = 16

interface Seen {
  readonly from: string
  readonly atMs: number
}

/** The memory. */
export class SeenSignatures {
  /** In the order they came. */
  readonly #seen = new Map<string, Seen>()

  /** False when it was there a while ago, from another address. */
  add(signature: Uint8Array, sender: PeerAddress, nowMs: number): boolean {
    const name = Buffer.from(signature.buffer, signature.byteOffset, NAME_BYTES).toString('latin1')
    const from = addressKey(sender)
    const before = this.#seen.get(name)
    if (before !== undefined && before.from !== from && nowMs - before.atMs < SIGNATURES_REMEMBERED_MS) return false
    this.#seen.delete(name)
    this.#seen.set(name, { from, atMs: nowMs })
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MAX_SIGNATURES_REMEMBERED) break
      this.#seen.delete(oldest)
    }
    return true
  }
}
