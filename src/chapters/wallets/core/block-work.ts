// Whether a block shows the work that its header claims: what it costs to invent a chain for a wallet that has one
// server only.

import { scrypt } from 'node:crypto'
import type { UtxoNetwork } from './coins.ts'
import { doubleSha256 } from './tx-reader.ts'

/** Litecoin: scrypt of the header with itself as salt. */
const LITECOIN_SCRYPT = { N: 1024, r: 1, p: 1 }
/** From one change of difficulty to the next (Bitcoin Core, CalculateNextWorkRequired). */
const FASTEST_FALL = 4n

/** A compact target as a number; null = it is none. */
export function targetOf(bits: number): bigint | null {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  if ((bits & 0x800000) !== 0 || mantissa === 0n || exponent > 32) return null
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}

/**
 * True for a header whose hash is below its own target, which is not easier than the chain allows: on the main chains
 * neither than its limit nor than four times that of the block before (`previousBits`; null = not known).
 */
export async function showsWork(
  header: Uint8Array,
  bits: number,
  previousBits: number | null,
  { work, easiest }: Pick<UtxoNetwork, 'work' | 'easiest'>,
): Promise<boolean> {
  const target = targetOf(bits)
  if (target === null) return false
  if (easiest !== null) {
    const limit = targetOf(easiest)
    const before = previousBits === null ? null : targetOf(previousBits)
    if (limit !== null && target > limit) return false
    if (before !== null && target > before * FASTEST_FALL) return false
  }
  const hash = work === 'sha256d' ? doubleSha256(header) : await scryptOf(header)
  return BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`) <= target
}

function scryptOf(header: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(header, header, 32, LITECOIN_SCRYPT, (error, hash) => {
      if (error === null) resolve(hash)
      else reject(error)
    })
  })
}
