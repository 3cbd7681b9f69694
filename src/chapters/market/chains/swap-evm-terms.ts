// Which terms a chain of Ethereum's kind can hold.

import { AppError } from '../../../base/errors.ts'
import { LOCK_ADDRESS } from './evm-contract.ts'
import { type Asset, sameAsset } from '../../wallets/core/assets.ts'
import type { LegTerms } from '../wire/types.ts'
import { MAX_WEI } from '../../wallets/service/wallet-evm-chain.ts'

const HASH = /^[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-f]{40}$/
/** The zero address, precompiled contracts and what may become one. */
const RESERVED = 0xffffn
/** Unix time of the year 2106, as chains of Bitcoin's kind have it. */
const MAX_LOCK = 0xffffffff

/** Throws AppError InvalidParameter. */
export function checkEvmTerms(terms: LegTerms, asset: Asset): void {
  const { hash, amount, lockS, claimKey, refundKey } = terms
  if (!sameAsset(terms.asset, asset)) throw invalid('asset: it is of another chain')
  if (!HASH.test(hash)) throw invalid('hash: 64 hexadecimal digits are expected')
  if (amount <= 0n || amount > MAX_WEI) throw invalid('amount: it cannot be held')
  if (!Number.isSafeInteger(lockS) || lockS < 1 || lockS > MAX_LOCK) throw invalid('lock: it is no time')
  for (const key of [claimKey, refundKey]) {
    if (!ADDRESS.test(key) || key === LOCK_ADDRESS || BigInt(key) <= RESERVED) {
      throw invalid('key: an address in small letters is expected, which money can be paid to')
    }
  }
}

function invalid(text: string): AppError {
  return new AppError('InvalidParameter', `The terms of the swap are not valid: ${text}.`)
}
