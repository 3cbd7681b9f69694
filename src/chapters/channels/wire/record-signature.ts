// What the signatures of records cover, and checking them. The signed bytes begin with a line of their own, so that no
// signature of a record is one of anything else (a head, a vote, an item of the DHT) made with the same key.

import { SIGNATURE_BYTES } from './ids.ts'
import type { ChannelRecord } from './types.ts'

/** Checks an Ed25519 signature: raw public key of 32 bytes, what is signed, 64 bytes. */
export type Verify = (publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array) => boolean

const DOMAIN = Buffer.from('tributary channel record 1\n', 'latin1')

/** The bytes that the signature of the record with encoding `bytes` covers. */
export function recordSignedPart(bytes: Uint8Array): Uint8Array {
  return signedPart(bytes.subarray(0, bytes.length - SIGNATURE_BYTES))
}

/** As recordSignedPart, of an encoding that has no signature yet. */
export function signedPart(unsigned: Uint8Array): Uint8Array {
  return Buffer.concat([DOMAIN, unsigned])
}

/** Whether the record is signed by its author. */
export function verifyRecord(record: ChannelRecord, verify: Verify): boolean {
  const { author, bytes } = record
  return verify(author, recordSignedPart(bytes), bytes.subarray(bytes.length - SIGNATURE_BYTES))
}
