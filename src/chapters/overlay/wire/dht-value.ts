// Values in the overlay's DHT (IPv8, section 6): unsigned bytes, or bytes that a key owns in a version; and the value
// that names an introduction point of a hidden swarm.

import { createHash } from 'node:crypto'
import { DecodeError } from '../../../base/errors.ts'
import type { OverlayAddress } from './address.ts'
import { ip, key, readShape, u32, v16, v16Of } from './fields.ts'
import { decodePayload, encodePayload } from './message.ts'
import { bareKey, formOfBareKey, type PublicKey, parsePublicKey } from './public-key.ts'
import { OverlayReader } from './reader.ts'

/** Largest value that is stored, packed. */
export const MOST_VALUE_BYTES = 170
const UNSIGNED = 0
const SIGNED = 1

/** A value anybody may have stored. */
export interface UnsignedValue {
  readonly kind: 'unsigned'
  readonly data: Uint8Array
}

/** A value of the owner of a key, if `signature` is his over `signedPart`: that is for the caller to find out. */
export interface SignedValue {
  readonly kind: 'signed'
  readonly data: Uint8Array
  readonly version: number
  readonly key: PublicKey
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

/** An introduction point of a hidden swarm. */
export interface IntroductionPoint {
  readonly address: OverlayAddress
  /** Seconds since 1970. */
  readonly lastSeenS: number
  /** Public forms (74 bytes) of the introduction point and the seeder. */
  readonly publicKey: Uint8Array
  readonly seederKey: Uint8Array
}

const signedFields = { data: v16, version: u32, publicKey: key }
const bare = v16Of(64)
const introductionFields = { fields: { address: ip, lastSeenS: u32, publicKey: bare, seederKey: bare } }

/** Reads a stored value. Throws DecodeError, also for one that is too large. Byte strings are views. */
export function decodeValue(bytes: Uint8Array): UnsignedValue | SignedValue {
  if (bytes.length > MOST_VALUE_BYTES) throw new DecodeError('too large a value')
  const from = new OverlayReader(bytes)
  const kind = from.u8()
  if (kind === UNSIGNED) return { kind: 'unsigned', data: from.rest() }
  if (kind !== SIGNED) throw new DecodeError(`no value is of kind ${kind}`)
  const { data, version, publicKey } = readShape(signedFields, from)
  const signedPart = bytes.subarray(0, from.at)
  const key = parsePublicKey(publicKey)
  if (from.left !== key.signatureBytes) throw new DecodeError('not a signature')
  return { kind: 'signed', data, version, key, signedPart, signature: from.rest() }
}

/** The unsigned value with these bytes. */
export function encodeUnsignedValue(data: Uint8Array): Uint8Array {
  const value = new Uint8Array(data.length + 1)
  value.set(data, 1)
  return value
}

/** The value of `signer` with these bytes in this version. */
export function encodeSignedValue(
  data: Uint8Array,
  version: number,
  signer: { readonly publicKey: Uint8Array; sign(bytes: Uint8Array): Uint8Array },
): Uint8Array {
  const fields = encodePayload({ fields: signedFields }, { data, version, publicKey: signer.publicKey })
  const signedPart = Uint8Array.of(SIGNED, ...fields)
  return Uint8Array.from(Buffer.concat([signedPart, signer.sign(signedPart)]))
}

/** What tells values of one target apart, as map key: the owner's key, or SHA-1 of an unsigned value. */
export function valueKey(value: UnsignedValue | SignedValue): string {
  if (value.kind === 'signed') return Buffer.from(value.key.form).toString('hex')
  return createHash('sha1').update(encodeUnsignedValue(value.data)).digest('hex')
}

/** The stored value that names an introduction point. */
export function encodeIntroductionPoint(point: IntroductionPoint): Uint8Array {
  const publicKey = bareKey(point.publicKey)
  const seederKey = bareKey(point.seederKey)
  return encodeUnsignedValue(encodePayload(introductionFields, { ...point, publicKey, seederKey }))
}

/** Reads the data of an unsigned value as introduction point. Throws DecodeError. */
export function decodeIntroductionPoint(data: Uint8Array): IntroductionPoint {
  const values = decodePayload(introductionFields, data)
  return {
    ...values,
    publicKey: formOfBareKey(values.publicKey),
    seederKey: formOfBareKey(values.seederKey),
  }
}
