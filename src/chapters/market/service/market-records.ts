// Orders, trades and payments of the market as the interface shows them (spec 2.6 to 2.8): whole numbers of the
// smallest unit become numbers of coins, and beside them exact text.

import type { SwapPayment } from '../ports/swap-engine.ts'
import type { OwnOrder, OwnTrade } from '../ports/market-trader.ts'
import { formatAmount } from '../../wallets/core/amounts.ts'
import { COIN_DECIMALS, type CoinId } from '../../wallets/core/assets.ts'
import type { OrderStatement, OrderTerms } from '../wire/types.ts'
import type { MarketPaymentRecord, MarketTransactionRecord, OrderRecord, TickRecord } from './market-api.ts'

/** An amount as exact text. */
export function exact(units: bigint, coin: CoinId): string {
  return formatAmount(units, COIN_DECIMALS[coin])
}

/** An amount as the number that is nearest to it. */
export function coins(units: bigint, coin: CoinId): number {
  return Number(exact(units, coin))
}

/** What all records of an order say. */
function termsRecord({ trader, number, price, timeMs, timeoutS, quantityAsset, priceAsset }: OrderTerms) {
  return {
    trader_id: trader,
    order_number: number,
    price: coins(price, priceAsset.coin),
    price_exact: exact(price, priceAsset.coin),
    price_type: priceAsset.coin,
    quantity_type: quantityAsset.coin,
    timeout: timeoutS,
    timestamp: timeMs / 1000,
  }
}

/** A tick of the book. */
export function tickRecord({ terms, state }: OrderStatement): TickRecord {
  const { coin } = terms.quantityAsset
  return {
    ...termsRecord(terms),
    message_id: `${terms.trader}.${terms.number}`,
    quantity: coins(state.remaining, coin),
    quantity_exact: exact(state.remaining, coin),
    status: state.status,
  }
}

/** An own order. */
export function orderRecord({ terms, status, reserved, traded, completedMs }: OwnOrder): OrderRecord {
  const { coin } = terms.quantityAsset
  return {
    ...termsRecord(terms),
    quantity: coins(terms.quantity, coin),
    reserved_quantity: coins(reserved, coin),
    traded_quantity: coins(traded, coin),
    is_ask: terms.side === 'ask',
    completed_timestamp: completedMs === null ? null : completedMs / 1000,
    status,
    cancelled: status === 'cancelled',
    quantity_exact: exact(terms.quantity, coin),
    reserved_quantity_exact: exact(reserved, coin),
    traded_quantity_exact: exact(traded, coin),
  }
}

/** An own trade. */
export function transactionRecord({ number, agreement, order, partner, swap }: OwnTrade): MarketTransactionRecord {
  const [quantityCoin, priceCoin] = [order.quantityAsset.coin, order.priceAsset.coin]
  const moved = [swap?.given ?? 0n, swap?.taken ?? 0n] as const
  const [movedQuantity, movedPrice] = order.side === 'ask' ? moved : [moved[1], moved[0]]
  const outcome = swap?.outcome ?? null
  return {
    trader_id: order.trader,
    order_number: order.number,
    partner_trader_id: partner.trader,
    transaction_number: number,
    price: coins(agreement.price, priceCoin),
    price_type: priceCoin,
    transferred_price: coins(movedPrice, priceCoin),
    quantity: coins(agreement.quantity, quantityCoin),
    quantity_type: quantityCoin,
    transferred_quantity: coins(movedQuantity, quantityCoin),
    timestamp: agreement.timeMs / 1000,
    payment_complete: outcome === 'completed',
    partner_order_number: partner.number,
    status: outcome ?? 'pending',
    step: swap?.step ?? 'agreed',
    waits_for: swap?.waitsFor ?? '',
    price_exact: exact(agreement.price, priceCoin),
    quantity_exact: exact(agreement.quantity, quantityCoin),
    transferred_price_exact: exact(movedPrice, priceCoin),
    transferred_quantity_exact: exact(movedQuantity, quantityCoin),
  }
}

/** A payment of an own trade. */
export function paymentRecord({ number, order }: OwnTrade, paid: SwapPayment): MarketPaymentRecord {
  return {
    trader_id: order.trader,
    transaction_number: number,
    kind: paid.kind,
    payment_id: paid.txid,
    currency: paid.coin,
    amount: coins(paid.amount, paid.coin),
    amount_exact: exact(paid.amount, paid.coin),
    fee_exact: exact(paid.fee, paid.coin),
    timestamp: paid.timeMs / 1000,
    theirs: paid.theirs,
    success: paid.confirmed,
  }
}
