// An agreement of a swap for tests of what does not look at its keys.

import type { Asset } from '../../../../src/chapters/wallets/core/assets.ts'
import type { SwapAgreement } from '../../../../src/chapters/market/wire/types.ts'

/** Legs of the sample. */
export const SAMPLE_ASSETS: { readonly first: Asset; readonly second: Asset } = {
  first: { coin: 'TBTC', chain: '0000000a' },
  second: { coin: 'TLTC', chain: '0000000b' },
}

/** 5,000 TBTC against 70,000 TLTC. */
export function sampleAgreement(change: { firstLockS?: number; secondLockS?: number } = {}): SwapAgreement {
  const hash = 'ab'.repeat(32)
  const { first, second } = SAMPLE_ASSETS
  const keys = { claimKey: `02${'cc'.repeat(32)}`, refundKey: `03${'dd'.repeat(32)}` }
  return {
    id: '0123456789abcdef0123456789abcdef',
    ask: { trader: 'aa'.repeat(20), number: 1 },
    bid: { trader: 'bb'.repeat(20), number: 7 },
    quantity: 5_000n,
    price: 1_400_000_000n,
    timeMs: 1_700_000_000_000,
    first: { asset: first, hash, amount: 5_000n, lockS: change.firstLockS ?? 1_700_100_000, ...keys },
    second: { asset: second, hash, amount: 70_000n, lockS: change.secondLockS ?? 1_700_050_000, ...keys },
  }
}
