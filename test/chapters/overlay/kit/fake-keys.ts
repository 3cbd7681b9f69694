// Keys whose signatures cost a hash: for networks of many nodes in one process. Anybody could forge them; a test that
// forges makes a signature that is not the hash.

import { createHash } from 'node:crypto'
import type { Identity, SignatureCheck } from '../../../../src/chapters/overlay/core/index.ts'
import { midOf, publicForm } from '../../../../src/chapters/overlay/wire/public-key.ts'

function digest(publicKey: Uint8Array, message: Uint8Array): Uint8Array {
  return createHash('sha512').update(publicKey).update(message).digest()
}

/** A key pair that `name` gives. */
export function fakeIdentity(name: string): Identity {
  const half = (what: string): Uint8Array => createHash('sha256').update(`${what} ${name}`).digest()
  const publicKey = publicForm(half('agreement'), half('signing'))
  const mid = midOf(publicKey)
  return {
    publicKey,
    mid,
    member: Buffer.from(mid).toString('hex'),
    sign: message => digest(publicKey, message),
  }
}

/** Checks signatures of fakeIdentity. */
export const fakeCheck: SignatureCheck = {
  verify: (key, message, signature) => Buffer.from(digest(key.form, message)).equals(signature),
}
