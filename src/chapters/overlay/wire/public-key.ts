// Public keys of the overlay protocol (IPv8, section 2) in their form for the wire: the pair of X25519 and Ed25519 keys
// that every node has, and the elliptic curves over binary fields that bootstrap servers still have. mid names a peer.
// Pure.

import { createHash } from 'node:crypto'
import { DecodeError } from '../../../base/errors.ts'

/** Bytes of a public or private form of a curve25519 pair. */
export const KEY_FORM_BYTES = 74
/** Bytes of each half of a pair, public or secret. */
export const KEY_HALF_BYTES = 32
/** Bytes of a signature of a curve25519 pair. */
export const SIGNATURE_BYTES = 64
/** What public forms begin with. */
export const PUBLIC_FORM_START = Buffer.from('LibNaCLPK:', 'latin1')
/** What private forms begin with. */
export const PRIVATE_FORM_START = Buffer.from('LibNaCLSK:', 'latin1')

/** A curve of old keys. */
export type LegacyCurve = 'sect163k1' | 'sect233k1' | 'sect409k1' | 'sect571r1'

/**
 * Old keys: SubjectPublicKeyInfo up to the point, and bytes of a field element. Only uncompressed points are in use.
 */
const legacyForms: readonly { readonly curve: LegacyCurve; readonly start: Buffer; readonly fieldBytes: number }[] = [
  { curve: 'sect163k1', start: frame('3040301006072a8648ce3d020106052b81040001032c0004'), fieldBytes: 21 },
  { curve: 'sect233k1', start: frame('3052301006072a8648ce3d020106052b8104001a033e0004'), fieldBytes: 30 },
  { curve: 'sect409k1', start: frame('307e301006072a8648ce3d020106052b81040024036a0004'), fieldBytes: 52 },
  { curve: 'sect571r1', start: frame('3081a7301006072a8648ce3d020106052b810400270381920004'), fieldBytes: 72 },
]

/** A public key as it came; byte strings are views. */
export interface PublicKey {
  /** `curve25519`, or the curve of an old key, which can be no hop of a circuit. */
  readonly curve: 'curve25519' | LegacyCurve
  /** The form: 74 bytes, or DER. */
  readonly form: Uint8Array
  readonly signatureBytes: number
}

/** Reads a public form. What follows the 74 bytes of a curve25519 pair is passed over. Throws DecodeError. */
export function parsePublicKey(bytes: Uint8Array): PublicKey {
  if (bytes.length >= KEY_FORM_BYTES && begins(bytes, PUBLIC_FORM_START))
    return { curve: 'curve25519', form: bytes.subarray(0, KEY_FORM_BYTES), signatureBytes: SIGNATURE_BYTES }
  for (const { curve, start, fieldBytes } of legacyForms)
    if (bytes.length === start.length + 2 * fieldBytes && begins(bytes, start))
      return { curve, form: bytes, signatureBytes: 2 * fieldBytes }
  throw new DecodeError('not a public key')
}

/** True when these bytes are the public form of a key that can be a hop: exactly 74 bytes. */
export function isCircuitKey(bytes: Uint8Array): boolean {
  return bytes.length === KEY_FORM_BYTES && begins(bytes, PUBLIC_FORM_START)
}

/** The form for the wire of both halves (32 bytes each). */
export function publicForm(agreement: Uint8Array, signing: Uint8Array): Uint8Array {
  return pair(PUBLIC_FORM_START, agreement, signing)
}

/** The form for a key file of both secrets (32 bytes each). */
export function privateForm(agreement: Uint8Array, seed: Uint8Array): Uint8Array {
  return pair(PRIVATE_FORM_START, agreement, seed)
}

/** The X25519 half of a public or private form of a curve25519 pair, a view. */
export function agreementHalf(form: Uint8Array): Uint8Array {
  return form.subarray(10, 42)
}

/** The Ed25519 half, likewise. */
export function signingHalf(form: Uint8Array): Uint8Array {
  return form.subarray(42, KEY_FORM_BYTES)
}

/** Both halves without what the form begins with, as the DHT stores them (64 bytes, a view). */
export function bareKey(form: Uint8Array): Uint8Array {
  return form.subarray(10, KEY_FORM_BYTES)
}

/** The public form of both halves behind one another (64 bytes). Throws DecodeError for another length. */
export function formOfBareKey(bare: Uint8Array): Uint8Array {
  if (bare.length !== 2 * KEY_HALF_BYTES) throw new DecodeError('not two halves of a key')
  return publicForm(bare.subarray(0, KEY_HALF_BYTES), bare.subarray(KEY_HALF_BYTES))
}

/** What names the peer with this public form: SHA-1 of it, 20 bytes. */
export function midOf(form: Uint8Array): Uint8Array {
  return createHash('sha1').update(form).digest()
}

function begins(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (bytes[at] !== start[at]) return false
  return true
}

function frame(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}

function pair(start: Uint8Array, first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length !== KEY_HALF_BYTES || second.length !== KEY_HALF_BYTES) throw new RangeError('a half has 32 bytes')
  const form = new Uint8Array(KEY_FORM_BYTES)
  form.set(start)
  form.set(first, start.length)
  form.set(second, start.length + KEY_HALF_BYTES)
  return form
}
