// Orders of made-up traders, signed by keys whose signatures cost a hash (fake-keys.ts).

import type { Identity } from '../../../../src/chapters/overlay/core/index.ts'
import { type Asset, chainTag } from '../../../../src/chapters/wallets/core/assets.ts'
import { makeStatement } from '../../../../src/chapters/market/wire/order-codec.ts'
import type { OrderState, OrderStatement, OrderTerms } from '../../../../src/chapters/market/wire/types.ts'
import { fakeIdentity } from '../../overlay/kit/fake-keys.ts'

/** Bitcoin and Litecoin on chains for tests. */
export const BTC: Asset = { coin: 'BTC', chain: chainTag('BTC', 'regtest') }
export const LTC: Asset = { coin: 'LTC', chain: chainTag('LTC', 'regtest') }

/** What a test says of an order; the rest is an ask of one LTC for 0.01 BTC, placed at time 1,000,000. */
export type OrderRequest = Partial<OrderTerms> & Partial<OrderState>

/** A trader who signs. */
export class TestTrader {
  readonly identity: Identity
  #number = 0

  constructor(name: string) {
    this.identity = fakeIdentity(name)
  }

  get id(): string {
    return this.identity.member
  }

  /** A statement; its number is the next one unless it is given. */
  order(request: OrderRequest = {}): OrderStatement {
    const { sequence = 0, status = 'open', remaining, ...rest } = request
    const terms: OrderTerms = {
      trader: this.id,
      number: rest.number ?? ++this.#number,
      side: 'ask',
      quantityAsset: LTC,
      priceAsset: BTC,
      quantity: 100_000_000n,
      price: 1_000_000n,
      timeMs: 1_000_000,
      timeoutS: 3600,
      ...rest,
    }
    const state: OrderState = { sequence, status, remaining: remaining ?? terms.quantity }
    return makeStatement(terms, state, this.identity.publicKey, this.identity.sign)
  }

  /** A later statement of an order. */
  later(of: OrderStatement, state: Partial<OrderState>): OrderStatement {
    const next = { ...of.state, sequence: of.state.sequence + 1, ...state }
    return makeStatement(of.terms, next, this.identity.publicKey, this.identity.sign)
  }
}
