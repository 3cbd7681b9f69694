// Orders for benchmarks of the market: signed by real keys of many traders, prices spread around a middle that none
// crosses.

import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import { type Asset, chainTag } from '../../../../src/chapters/wallets/core/assets.ts'
import { makeStatement, traderOf } from '../../../../src/chapters/market/wire/order-codec.ts'
import type { OrderState, OrderStatement, OrderTerms, Side } from '../../../../src/chapters/market/wire/types.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'

const LTC: Asset = { coin: 'LTC', chain: chainTag('LTC', 'main') }
const BTC: Asset = { coin: 'BTC', chain: chainTag('BTC', 'main') }
const MIDDLE = 1_000_000n
const ONE = 100_000_000n

interface Trader {
  readonly keys: OverlayKeyPair
  readonly id: string
  number: number
}

/**
 * Orders for benchmarks of the market: signed by real keys of many traders, prices spread around a middle that none
 * crosses.
 */
export class MarketOrders {
  readonly crypto: OverlayCrypto = makeOverlayCrypto(new SystemRandom())
  readonly nowMs: number
  readonly random = new SeededRandom(1)
  readonly #traders: readonly Trader[]
  readonly #byId: ReadonlyMap<string, Trader>

  constructor(traders: number, nowMs: number) {
    this.nowMs = nowMs
    this.#traders = Array.from({ length: traders }, () => {
      const keys = this.crypto.generate()
      return { keys, id: traderOf(keys.publicKey), number: 0 }
    })
    this.#byId = new Map(this.#traders.map(trader => [trader.id, trader]))
  }

  /** An order away from the middle. */
  standing(): OrderStatement {
    const side: Side = this.random.below(2) === 0 ? 'ask' : 'bid'
    const away = BigInt(1 + this.random.below(500_000))
    return this.#order(side, side === 'ask' ? MIDDLE + away : MIDDLE - away, ONE)
  }

  /** An order that crosses the best of the other side, for one to three of them. */
  crossing(): OrderStatement {
    const side: Side = this.random.below(2) === 0 ? 'ask' : 'bid'
    const quantity = (ONE * BigInt(10 + this.random.below(20))) / 10n
    return this.#order(side, side === 'ask' ? 400_000n : 1_600_000n, quantity)
  }

  /** The next statement of an order. */
  later(of: OrderStatement, state: Partial<OrderState>): OrderStatement {
    const trader = this.#byId.get(of.terms.trader) as Trader
    return this.#sign(trader, of.terms, { ...of.state, sequence: of.state.sequence + 1, ...state })
  }

  #order(side: Side, price: bigint, quantity: bigint): OrderStatement {
    const trader = this.#traders[this.random.below(this.#traders.length)] as Trader
    trader.number++
    const what = { side, quantityAsset: LTC, priceAsset: BTC, quantity, price }
    const timeMs = this.nowMs - this.random.below(3_000_000)
    const terms = { trader: trader.id, number: trader.number, ...what, timeMs, timeoutS: 86_400 }
    return this.#sign(trader, terms, { sequence: 0, status: 'open', remaining: quantity })
  }

  #sign(trader: Trader, terms: OrderTerms, state: OrderState): OrderStatement {
    return makeStatement(terms, state, trader.keys.publicKey, message => trader.keys.sign(message))
  }
}
