// Signatures of mutable DHT items (BEP 44), as the DHT sees them. Synchronous: some tens of microseconds each.

/** Ed25519 (RFC 8032). Keys have 32 bytes, seeds 32, signatures 64. */
export interface Ed25519 {
  /** True when `signature` is one of `message` by the owner of `publicKey`; false for anything malformed. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /** The signature of `message` by the key pair that `seed` gives. Throws RangeError when the seed has not 32 bytes. */
  sign(message: Uint8Array, seed: Uint8Array): Uint8Array
  /** The public key of the key pair that `seed` gives. Throws RangeError as sign. */
  publicKey(seed: Uint8Array): Uint8Array
}
