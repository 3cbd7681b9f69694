// Keys for tests of the DHT and of channels: real Ed25519 by Node.

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'

const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** A key pair that signs. */
export interface SigningKey {
  readonly publicKey: Uint8Array
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** The key pair of the seed of 32 bytes `fill`. */
export function signingKey(fill: number): SigningKey {
  const seed = Buffer.alloc(32, fill)
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = Uint8Array.from(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32))
  return { publicKey, sign: bytes => Uint8Array.from(sign(null, bytes, key)) }
}

/** Checks a signature. */
export function verifySignature(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' })
  return verify(null, signed, key, signature)
}
