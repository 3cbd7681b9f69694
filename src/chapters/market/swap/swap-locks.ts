// When the locks of a swap end, and the last moment for each of its steps (decision 0439). Pure; times are Unix
// seconds.

import { AppError } from '../../../base/errors.ts'
import type { ChainPace } from '../ports/swap-chain.ts'
import type { SwapAgreement } from '../wire/types.ts'

/** The paces of both chains: of the leg that the initiator funds, and of the one that the participant funds. */
export interface SwapPaces {
  readonly first: ChainPace
  readonly second: ChainPace
}

/** When both legs can be taken back. */
export interface SwapLocks {
  readonly firstLockS: number
  readonly secondLockS: number
}

/** Last moments. After one of them its step is not begun any more; what was begun goes on. */
export interface SwapMoments {
  /** The initiator funds until then: later the participant would have no time left. */
  readonly fundFirstS: number
  /** The participant funds until then, and gives up when the first leg does not count by then. */
  readonly fundSecondS: number
  /** The initiator shows its secret until then: later its claim could come after the participant's refund. */
  readonly revealS: number
}

/** A node may be away for so many blocks of the slower chain, and so many seconds at most, without losing anything. */
const AWAY_BLOCKS = 30
const AWAY_MAX_S = 7_200
/** Blocks beyond twice their usual number: see spanS(). */
const SPARE_BLOCKS = 6
/** No fee rises above this step. */
export const MAX_URGENCY = 12
/** Locks are numbers that every chain holds: above block heights (BIP 65), below the end of 31 bits. */
const LEAST_LOCK_S = 500_000_000
const MAX_LOCK_S = 2 ** 31 - 1

/**
 * Seconds within which `blocks` blocks come. Blocks found by work come at random, 1 block needs more than 8 times its
 * usual time, 6 more than 3 times, once in three thousand; twice the number and six more covers both.
 */
export function spanS(pace: ChainPace, blocks: number): number {
  return pace.blockS * (2 * blocks + SPARE_BLOCKS)
}

/** A node may be away for so many seconds within a swap. */
export function awayS(paces: SwapPaces): number {
  return Math.min(AWAY_MAX_S, AWAY_BLOCKS * Math.max(paces.first.blockS, paces.second.blockS))
}

/**
 * From the proposal to the end of the second lock, without what nodes may be away: both legs funded and counted (the
 * deposit needs a block too), and the claim.
 */
function leastSecondS({ first, second }: SwapPaces): number {
  return (
    spanS(first, first.confirmations + 1) +
    spanS(second, second.confirmations + 1) +
    spanS(second, second.confirmations)
  )
}

/**
 * By how much the first lock must end after the second. The second ends late when its chain's clock is behind; then
 * refund and claim race, until one of them counts; a claim there shows the secret in the last moment, and the claim of
 * the first leg must count too; and the node may have been away.
 */
export function lockGapS(paces: SwapPaces): number {
  const { first, second } = paces
  return second.clockLagS + spanS(second, second.confirmations) + spanS(first, first.confirmations) + awayS(paces)
}

/** The locks that a proposal made at `nowS` gets. */
export function locksFor(paces: SwapPaces, nowS: number): SwapLocks {
  const secondLockS = Math.ceil(nowS) + leastSecondS(paces) + awayS(paces)
  return { secondLockS, firstLockS: secondLockS + lockGapS(paces) }
}

/**
 * Whether the locks of a proposal leave each side its time at `nowS`: enough of it, the gap between both in full, and
 * not so much that money lies under a lock for nothing. AppError InvalidParameter.
 */
export function checkSwapLocks(paces: SwapPaces, locks: SwapLocks, nowS: number): void {
  const { firstLockS, secondLockS } = locks
  for (const lockS of [firstLockS, secondLockS]) {
    if (!Number.isInteger(lockS) || lockS < LEAST_LOCK_S || lockS > MAX_LOCK_S) refuse('A lock is no time.')
  }
  const usual = locksFor(paces, nowS)
  if (secondLockS < usual.secondLockS - awayS(paces)) refuse('The second lock ends too early.')
  if (secondLockS > usual.secondLockS + awayS(paces)) refuse('The second lock ends too late.')
  if (firstLockS - secondLockS < lockGapS(paces)) refuse('The first lock ends too soon after the second.')
  if (firstLockS - secondLockS > 2 * lockGapS(paces)) refuse('The first lock ends too long after the second.')
}

function refuse(text: string): never {
  throw new AppError('InvalidParameter', text)
}

/** Last moments of an agreement. */
export function momentsOf(paces: SwapPaces, agreement: SwapAgreement): SwapMoments {
  const { first, second } = paces
  const revealS = agreement.second.lockS - spanS(second, second.confirmations)
  const fundSecondS = revealS - spanS(second, second.confirmations + 1)
  return { revealS, fundSecondS, fundFirstS: fundSecondS - spanS(first, first.confirmations) }
}

/**
 * Which fee a claim needs at `nowS`: 0 = the usual one. It rises a step with every block that could have had it once it
 * waits longer than one block should take at worst, and once its confirmations need all the time to the lock.
 */
export function claimUrgency(pace: ChainPace, lockS: number, sentS: number, nowS: number): number {
  const waited = Math.floor((nowS - sentS - spanS(pace, 1)) / (2 * pace.blockS)) + 1
  const near = Math.floor((nowS - (lockS - spanS(pace, pace.confirmations))) / pace.blockS) + 1
  return Math.min(MAX_URGENCY, Math.max(0, waited, near))
}

/**
 * Which fee a refund needs at `nowS`, when it could be in a block from `fromS` on: a step more with every second block.
 */
export function refundUrgency(pace: ChainPace, fromS: number, nowS: number): number {
  return Math.min(MAX_URGENCY, Math.max(0, Math.floor((nowS - fromS) / (2 * pace.blockS)) - 1))
}
