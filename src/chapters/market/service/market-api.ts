// What the interface asks of the market (spec 2.6 to 2.8, 4.7; decisions part 4). Amounts are numbers as the
// specification has them, and beside them exact decimal text. All of it rejects with NotReady while the node starts.

import type { MarketStanding } from '../ports/market-network.ts'

/** An order of the book, own or of others: spec 2.6. */
export interface TickRecord {
  readonly trader_id: string
  readonly order_number: number
  /** `<trader_id>.<order_number>`. */
  readonly message_id: string
  readonly price: number
  readonly price_type: string
  /** What is left of it. */
  readonly quantity: number
  readonly quantity_type: string
  /** Seconds. */
  readonly timeout: number
  /** Unix time, seconds. */
  readonly timestamp: number
  readonly price_exact: string
  readonly quantity_exact: string
  /** `open`; `suspended`: its owner cannot trade now. */
  readonly status: string
}

/**
 * Ticks of one pair of coins. Asks begin with the lowest price, bids with the highest; of one price the oldest first.
 */
export interface TickGroup {
  readonly price_type: string
  readonly quantity_type: string
  readonly ticks: TickRecord[]
}

/** An own order: spec 2.7. */
export interface OrderRecord {
  readonly trader_id: string
  readonly order_number: number
  readonly timestamp: number
  readonly price: number
  readonly quantity: number
  readonly price_type: string
  readonly quantity_type: string
  readonly reserved_quantity: number
  readonly traded_quantity: number
  readonly is_ask: boolean
  readonly timeout: number
  readonly completed_timestamp: number | null
  /** `open`, `suspended`, `completed`, `expired`, `cancelled`, `withdrawn`. */
  readonly status: string
  readonly cancelled: boolean
  readonly price_exact: string
  readonly quantity_exact: string
  readonly reserved_quantity_exact: string
  readonly traded_quantity_exact: string
}

/** A trade of ours: spec 2.8. */
export interface MarketTransactionRecord {
  readonly trader_id: string
  readonly order_number: number
  readonly partner_trader_id: string
  readonly transaction_number: number
  readonly price: number
  readonly price_type: string
  readonly transferred_price: number
  readonly quantity: number
  readonly quantity_type: string
  readonly transferred_quantity: number
  readonly timestamp: number
  readonly payment_complete: boolean
  readonly partner_order_number: number
  /** `pending`, `completed`, `refunded`, `abandoned`. */
  readonly status: string
  /** The step of the swap, and what it waits for. */
  readonly step: string
  readonly waits_for: string
  readonly price_exact: string
  readonly quantity_exact: string
  readonly transferred_price_exact: string
  readonly transferred_quantity_exact: string
}

/** A transaction on a chain that belongs to a trade. */
export interface MarketPaymentRecord {
  readonly trader_id: string
  readonly transaction_number: number
  /** `purse` (into the deposit of the swap), `fund`, `claim`, `refund`, `sweep`. */
  readonly kind: string
  readonly payment_id: string
  readonly currency: string
  readonly amount: number
  readonly amount_exact: string
  readonly fee_exact: string
  readonly timestamp: number
  /** The other side made it. */
  readonly theirs: boolean
  readonly success: boolean
}

/** What is asked for or bidden. */
export interface NewOrder {
  readonly price: number | string
  readonly quantity: number | string
  readonly price_type: string
  readonly quantity_type: string
  /** Seconds, 1 to 86,400. */
  readonly timeout?: number
  readonly idempotency_key?: string
  readonly spend_key?: string
}

/** Fees of one trade, at the present rates, in each coin. */
export interface MarketFeesRecord {
  readonly quantity_type: string
  readonly price_type: string
  /** For who gives the quantity coin (asks), as decimal text: in the quantity coin, and in the price coin. */
  readonly ask_quantity_fee_exact: string
  readonly ask_price_fee_exact: string
  /** For who gives the price coin (bids). */
  readonly bid_quantity_fee_exact: string
  readonly bid_price_fee_exact: string
  /** The least quantity that can be traded. */
  readonly least_quantity_exact: string
}

/** Why an order is in its state. */
export interface OrderExplanation {
  readonly order_number: number
  readonly status: string
  /** Sentences for people, the most important first. */
  readonly reasons: string[]
  /** Set aside for it, in its own coin. */
  readonly reserved_funds_exact: string
  readonly currency: string
  /** Orders in the book that it could be matched with now. */
  readonly matching_orders: number
  /** Peers of the market. */
  readonly peers: number
}

/** The market. */
export interface MarketService {
  /** How it stands in the overlay of the market: why there may be no orders of others. */
  standing(): Promise<MarketStanding>
  asks(): Promise<TickGroup[]>
  bids(): Promise<TickGroup[]>
  /**
   * AppErrors InvalidParameter, UnknownWallet, WalletNotCreated, WalletLocked, InsufficientFunds, SpendKeyMissing,
   * StateConflict (idempotency key of another order), TooManyRequests (too many open orders), WalletServerFailed.
   */
  placeAsk(order: NewOrder): Promise<{ created: true; order_number: number }>
  placeBid(order: NewOrder): Promise<{ created: true; order_number: number }>
  orders(): Promise<OrderRecord[]>
  transactions(): Promise<MarketTransactionRecord[]>
  /** AppErrors OrderNotFound (404), OrderNotOpen (400). */
  cancel(orderNumber: number): Promise<{ cancelled: true }>
  /** AppError OrderNotFound. */
  explain(orderNumber: number): Promise<OrderExplanation>
  /** AppError TransactionNotFound (404). */
  payments(trader: string, transactionNumber: number): Promise<MarketPaymentRecord[]>
  /** AppErrors UnknownWallet, WalletNotCreated, WalletServerFailed, InvalidParameter. */
  fees(asked: {
    readonly quantity_type: string
    readonly price_type: string
    readonly quantity?: number | string
    readonly price?: number | string
  }): Promise<MarketFeesRecord>
}

/** What routes of the market use. */
export interface MarketRouteServices {
  readonly market: MarketService
}
