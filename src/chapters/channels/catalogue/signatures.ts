// Checks the signatures of what comes in: by libsodium where it is there, which takes half the time of node:crypto.

import { verifierOfKeys } from '../../../io/ed25519.ts'
import { sodiumPrimitives } from '../../overlay/io/overlay-crypto-sodium.ts'
import { KEY_BYTES, SIGNATURE_BYTES } from '../wire/ids.ts'
import type { Verify } from '../wire/record-signature.ts'

/** The quickest verifier of this machine; false for anything malformed. */
export function quickVerifier(): Verify {
  const sodium = sodiumPrimitives()
  if (sodium === null) return verifierOfKeys()
  return (publicKey, signed, signature) =>
    publicKey.length === KEY_BYTES &&
    signature.length === SIGNATURE_BYTES &&
    sodium.verify(signature, signed, publicKey)
}
