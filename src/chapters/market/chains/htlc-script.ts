// The contract of a swap on a chain of Bitcoin's kind: money that one key gets with a secret, and the other key once a
// time is over. A witness script of BIP 141; BIP 65 and 113 (time lock against the median time past), BIP 143 (what is
// signed), BIP 146 (nothing that strangers can change).

import { createHash, ECDH } from 'node:crypto'
import { p2wsh, Script } from '@scure/btc-signer'
import { AppError } from '../../../base/errors.ts'
import type { LegTerms } from '../wire/types.ts'
import { addressOfScript } from '../../wallets/core/addresses.ts'
import type { UtxoNetwork } from '../../wallets/core/coins.ts'

/** Bytes of a secret: no more, so that one which a chain takes is taken by every other chain too. */
export const SECRET_BYTES = 32
/** A lock time below is a height (BIP 65). */
export const LEAST_LOCK = 500_000_000
/** The highest lock time of a transaction, less one: it must be passed one day. */
const MOST_LOCK = 0xfffffffe
const HASH = /^[0-9a-f]{64}$/
const COMPRESSED_KEY = /^0[23][0-9a-f]{64}$/

/** What a witness says of how a contract was ended. `secret`: 64 hexadecimal digits, of a claim. */
export interface HtlcEnd {
  readonly kind: 'claimed' | 'refunded'
  readonly secret: string | null
}

/** What makes a contract: LegTerms without money. */
export type HtlcTerms = Pick<LegTerms, 'hash' | 'lockS' | 'claimKey' | 'refundKey'>

/** Throws AppError InvalidParameter unless hash, keys (compressed points of secp256k1) and lock are whole. */
export function checkHtlcTerms({ hash, lockS, claimKey, refundKey }: HtlcTerms): void {
  if (!HASH.test(hash)) throw invalid('hash', '64 hexadecimal digits')
  if (!isPoint(claimKey)) throw invalid('claimKey', 'a compressed public key')
  if (!isPoint(refundKey)) throw invalid('refundKey', 'a compressed public key')
  if (claimKey === refundKey) throw invalid('refundKey', 'another key than claimKey')
  if (!Number.isSafeInteger(lockS) || lockS < LEAST_LOCK || lockS > MOST_LOCK)
    throw invalid('lockS', `Unix seconds from ${LEAST_LOCK} to ${MOST_LOCK}`)
}

function invalid(name: string, what: string): AppError {
  return new AppError('InvalidParameter', `The parameter ${name} of the swap is not valid: it must be ${what}.`)
}

function isPoint(key: string): boolean {
  if (!COMPRESSED_KEY.test(key)) return false
  try {
    ECDH.convertKey(key, 'secp256k1', 'hex', 'hex', 'compressed')
    return true
  } catch {
    return false
  }
}

/** The witness script. Every push is minimal. AppError InvalidParameter: see checkHtlcTerms. */
export function htlcScript(terms: HtlcTerms): Uint8Array {
  checkHtlcTerms(terms)
  const { hash, lockS, claimKey, refundKey } = terms
  return Script.encode([
    ...(['IF', 'SIZE', scriptNumber(SECRET_BYTES), 'EQUALVERIFY', 'SHA256', bytes(hash), 'EQUALVERIFY'] as const),
    bytes(claimKey),
    ...(['ELSE', scriptNumber(lockS), 'CHECKLOCKTIMEVERIFY', 'DROP', bytes(refundKey), 'ENDIF', 'CHECKSIG'] as const),
  ])
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

/** A number above 16 as scripts have it: little-endian, the highest bit is a sign. */
function scriptNumber(value: number): Uint8Array {
  const digits: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) digits.push(rest % 256)
  if ((digits.at(-1) ?? 0) >= 0x80) digits.push(0)
  return Uint8Array.from(digits)
}

/** The output script that pays the contract (P2WSH). */
export function htlcOutput(terms: HtlcTerms): Uint8Array {
  return p2wsh({ type: 'unknown', script: htlcScript(terms) }).script
}

/** The address of the contract on a network. */
export function htlcAddress(terms: HtlcTerms, network: UtxoNetwork): string {
  return addressOfScript(htlcOutput(terms), network)
}

/**
 * How the witness of an input that spends the contract ended it; null: no block can have it. `lockTime` and `sequence`
 * are those of its transaction, which a refund needs. Blocks may hold any truth (BIP 141 has no MINIMALIF), and any
 * script number of the branch.
 */
export function readHtlcEnd(
  witness: readonly Uint8Array[],
  terms: HtlcTerms,
  { lockTime, sequence }: { readonly lockTime: number; readonly sequence: number },
): HtlcEnd | null {
  const script = witness.at(-1)
  const branch = witness.at(-2)
  if (script === undefined || branch === undefined || !Buffer.from(htlcScript(terms)).equals(script)) return null
  if (!isTrue(branch)) {
    const late = lockTime >= terms.lockS && sequence !== 0xffffffff
    return witness.length === 3 && late ? { kind: 'refunded', secret: null } : null
  }
  const secret = witness[1]
  if (witness.length !== 4 || secret?.length !== SECRET_BYTES) return null
  const hash = createHash('sha256').update(secret).digest('hex')
  return hash === terms.hash ? { kind: 'claimed', secret: Buffer.from(secret).toString('hex') } : null
}

/** As scripts take it: any bit set, but not the sign alone. */
function isTrue(item: Uint8Array): boolean {
  return item.some((byte, at) => byte !== 0 && !(at === item.length - 1 && byte === 0x80))
}
