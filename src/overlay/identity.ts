// Who this node is in the overlays, and what packets are signed and checked with. The keys themselves stay with who makes these.

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

/** Checks of what others signed. Synchronous: about 0.1 ms each, so overlays give themselves a budget. */
export interface SignatureCheck {
  /** Length of signatures by this key, which may be of an old kind; null: no key that we know. */
  signatureBytes(publicKey: Uint8Array): number | null
  /** False for anything malformed, too. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}
