// Who this node is in the overlays, and what signatures are checked with. The private keys stay with the caller that
// makes these.

import type { PublicKey } from '../wire/public-key.ts'

/** Our key pair, behind what may be done with it. */
export interface Identity {
  /** 74 bytes (protocol section 2). */
  readonly publicKey: Uint8Array
  /** SHA-1 of the public key. */
  readonly mid: Uint8Array
  /** The same as 40 lower-case hex digits. */
  readonly member: string
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** Checks what others signed. Synchronous: about 0.1 ms each, so overlays give themselves a budget. */
export interface SignatureCheck {
  /** False for anything malformed, too. */
  verify(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean
  /**
   * The same, but in a flood later, by a thread; a promise that rejects: too many wait for it. Absent = there is no
   * thread.
   */
  verifyOrLater?(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}
