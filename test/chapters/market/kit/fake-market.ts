// A trader of the market that negotiates nothing: it keeps the orders it was given and the trades that a test gives it.

import { AppError } from '../../../../src/base/errors.ts'
import type {
  MarketTrader,
  OwnOrder,
  OwnTrade,
  TraderEvent,
  WantedOrder,
} from '../../../../src/chapters/market/ports/market-trader.ts'
import type { SwapView } from '../../../../src/chapters/market/ports/swap-engine.ts'
import { chainTag } from '../../../../src/chapters/wallets/core/assets.ts'
import type { LegTerms, OrderTerms } from '../../../../src/chapters/market/wire/types.ts'

/** Who the fake is. */
export const OUR_ID = 'aa'.repeat(20)
/** Somebody else. */
export const THEIR_ID = 'bb'.repeat(20)
/** Coins of tests. */
export const TBTC = { coin: 'TBTC', chain: chainTag('TBTC', 'regtest') } as const
/** See TBTC. */
export const TLTC = { coin: 'TLTC', chain: chainTag('TLTC', 'regtest') } as const
/** See TBTC. */
export const TETH = { coin: 'TETH', chain: chainTag('TETH', '31337') } as const

/** An order of ours as it was placed: 2 TLTC for 0.005 TBTC each. */
export function ownOrder(changes: Partial<OwnOrder> = {}, terms: Partial<OrderTerms> = {}): OwnOrder {
  const usual: OrderTerms = {
    trader: OUR_ID,
    number: 1,
    side: 'ask',
    quantityAsset: TLTC,
    priceAsset: TBTC,
    quantity: 200_000_000n,
    price: 500_000n,
    timeMs: 1_700_000_000_500,
    timeoutS: 3_600,
  }
  return {
    terms: { ...usual, ...terms },
    status: 'open',
    reserved: 0n,
    traded: 0n,
    completedMs: null,
    reason: '',
    key: '',
    ...changes,
  }
}

/** A trade of an order with somebody; half of it. */
export function ownTrade(order: OwnOrder, swap: Partial<SwapView> | null, number = 1): OwnTrade {
  const { terms } = order
  const partner = { trader: THEIR_ID, number: 4 }
  const leg: LegTerms = {
    asset: terms.quantityAsset,
    hash: 'cd'.repeat(32),
    amount: terms.quantity / 2n,
    lockS: 1_700_050_000,
    claimKey: `02${'11'.repeat(32)}`,
    refundKey: `02${'22'.repeat(32)}`,
  }
  const [ask, bid] = terms.side === 'ask' ? [terms, partner] : [partner, terms]
  const agreement = {
    id: 'ef'.repeat(16),
    ask: { trader: ask.trader, number: ask.number },
    bid: { trader: bid.trader, number: bid.number },
    quantity: terms.quantity / 2n,
    price: terms.price,
    timeMs: 1_700_000_001_500,
    first: leg,
    second: { ...leg, asset: terms.priceAsset },
  }
  const usual: SwapView = {
    agreement,
    role: 'initiator',
    step: 'funding',
    waitsFor: 'a block',
    outcome: null,
    given: 0n,
    taken: 0n,
    payments: [],
  }
  return { number, agreement, order: terms, partner, swap: swap === null ? null : { ...usual, ...swap } }
}

/**
 * A trader of the market that negotiates nothing: it keeps the orders it was given and the trades that a test gives it.
 */
export class FakeTrader implements MarketTrader {
  readonly id = OUR_ID
  readonly placed: WantedOrder[] = []
  readonly kept: OwnOrder[] = []
  readonly trading: OwnTrade[] = []
  readonly cancelled: number[] = []
  /** Of the next place(). */
  failure: AppError | null = null
  readonly #watches = new Set<(event: TraderEvent) => void>()

  async place(wanted: WantedOrder): Promise<OwnOrder> {
    const { failure } = this
    this.failure = null
    // As one that writes to a disk.
    await new Promise(resolve => setImmediate(resolve))
    if (failure !== null) throw failure
    this.placed.push(wanted)
    const order = ownOrder({ key: wanted.key }, { ...wanted, number: this.kept.length + 1 })
    this.kept.push(order)
    return order
  }

  cancel(orderNumber: number): Promise<void> {
    this.cancelled.push(orderNumber)
    return Promise.resolve()
  }

  orders(): readonly OwnOrder[] {
    return this.kept
  }

  trades(): readonly OwnTrade[] {
    return this.trading
  }

  fundsOf(orderNumber: number): bigint {
    return BigInt(orderNumber) * 1_000n
  }

  watch(happened: (event: TraderEvent) => void): () => void {
    this.#watches.add(happened)
    return () => this.#watches.delete(happened)
  }

  /** Tells who watches. */
  happen(event: TraderEvent): void {
    for (const happened of this.#watches) happened(event)
  }
}
