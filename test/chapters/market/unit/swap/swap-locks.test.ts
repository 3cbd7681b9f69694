// Locks of swaps: enough time for each side on chains of any pace, and no more than that.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '../../../../../src/base/errors.ts'
import {
  awayS,
  checkSwapLocks,
  claimUrgency,
  lockGapS,
  locksFor,
  MAX_URGENCY,
  momentsOf,
  refundUrgency,
  spanS,
  type SwapPaces,
} from '../../../../../src/chapters/market/swap/swap-locks.ts'
import type { ChainPace } from '../../../../../src/chapters/market/ports/swap-chain.ts'
import { sampleAgreement } from '../../kit/sample-swap.ts'

const BTC: ChainPace = { blockS: 600, confirmations: 3, clockLagS: 7_200 }
const LTC: ChainPace = { blockS: 150, confirmations: 6, clockLagS: 1_800 }
const ETH: ChainPace = { blockS: 12, confirmations: 12, clockLagS: 60 }
const FAST: ChainPace = { blockS: 1, confirmations: 1, clockLagS: 6 }
const NOW = 1_700_000_000
const PAIRS: SwapPaces[] = [BTC, LTC, ETH, FAST].flatMap(first =>
  [BTC, LTC, ETH, FAST].map(second => ({ first, second })),
)

const refusal =
  (text: RegExp) =>
  (error: AppError): boolean =>
    error.code === 'InvalidParameter' && text.test(error.message)

test('the locks of bitcoin and litecoin are those of the decision', () => {
  const { firstLockS, secondLockS } = locksFor({ first: BTC, second: LTC }, NOW)
  assert.deepEqual([secondLockS - NOW, firstLockS - NOW], [21_300, 40_200])
})

test('chains for tests have locks of some tens of seconds', () => {
  const { firstLockS, secondLockS } = locksFor({ first: FAST, second: FAST }, NOW)
  assert.deepEqual([secondLockS - NOW, firstLockS - NOW], [58, 110])
})

test('each step has its time: funded, counted, claimed, and the claim learned of late, on all chains', () => {
  for (const paces of PAIRS) {
    const { first, second } = paces
    const locks = locksFor(paces, NOW)
    const moments = momentsOf(paces, sampleAgreement({ ...locks }))
    assert.ok(moments.fundFirstS >= NOW + awayS(paces), 'away before the first leg')
    assert.ok(moments.fundFirstS + spanS(first, first.confirmations) <= moments.fundSecondS)
    assert.ok(moments.fundSecondS + spanS(second, second.confirmations) <= moments.revealS)
    assert.ok(moments.revealS + spanS(second, second.confirmations) <= locks.secondLockS)
    const learned = locks.secondLockS + second.clockLagS + spanS(second, second.confirmations)
    assert.ok(learned + spanS(first, first.confirmations) + awayS(paces) <= locks.firstLockS)
  }
})

test('what is proposed is taken at once and half a minute later, on slow chains; not when half its time is over', () => {
  for (const paces of PAIRS) {
    const locks = locksFor(paces, NOW)
    checkSwapLocks(paces, locks, NOW)
    checkSwapLocks(paces, locks, NOW + 30)
    checkSwapLocks(paces, locks, NOW - 10)
    assert.throws(() => checkSwapLocks(paces, locks, NOW + awayS(paces) + 1), refusal(/early/))
  }
})

test('locks too near each other, too far, or no times are refused', () => {
  for (const paces of PAIRS) {
    const { firstLockS, secondLockS } = locksFor(paces, NOW)
    const gap = lockGapS(paces)
    const refused: [number, number, RegExp][] = [
      [firstLockS - 1, secondLockS, /too soon/],
      [secondLockS, firstLockS, /too late|too soon/],
      [secondLockS + 2 * gap + 1, secondLockS, /too long/],
      [firstLockS + awayS(paces) + 1, secondLockS + awayS(paces) + 1, /too late/],
      [firstLockS, Number.NaN, /no time/],
      [firstLockS + 0.5, secondLockS, /no time/],
      [2 ** 31, 2 ** 31 - gap, /no time/],
      [499_999_999 + gap, 499_999_999, /no time/],
    ]
    for (const [first, second, text] of refused) {
      const locks = { firstLockS: first, secondLockS: second }
      assert.throws(() => checkSwapLocks(paces, locks, NOW), refusal(text), `${first} ${second}`)
    }
  }
})

test('the fee of a claim rises while it waits, and in time before the lock', () => {
  const lockS = NOW + 100_000
  assert.equal(claimUrgency(LTC, lockS, NOW, NOW), 0)
  assert.equal(claimUrgency(LTC, lockS, NOW, NOW + spanS(LTC, 1) - 1), 0)
  assert.equal(claimUrgency(LTC, lockS, NOW, NOW + spanS(LTC, 1)), 1)
  const late = lockS - spanS(LTC, LTC.confirmations)
  assert.equal(claimUrgency(LTC, lockS, late - 1, late - 1), 0)
  assert.equal(claimUrgency(LTC, lockS, late, late), 1)
  assert.equal(claimUrgency(LTC, lockS, late, late + 3 * LTC.blockS), 4)
  assert.equal(claimUrgency(LTC, lockS, late, lockS), MAX_URGENCY)
})

test('the fee of a refund rises from the moment on in which a block can have it', () => {
  assert.equal(refundUrgency(LTC, NOW, NOW - 50_000), 0)
  assert.equal(refundUrgency(LTC, NOW, NOW), 0)
  assert.equal(refundUrgency(LTC, NOW, NOW + 4 * LTC.blockS), 1)
  assert.equal(refundUrgency(LTC, NOW, NOW + 1_000_000), MAX_URGENCY)
})
