// JSON schemas of the market (spec 2.6 to 2.8, 4.7; decisions part 4).

import { Type } from '@sinclair/typebox'

const MAX_TIMEOUT_S = 86_400
const DEFAULT_TIMEOUT_S = 3_600

const Exact = (description: string) => Type.String({ description: `extra: ${description}, as exact decimal text` })
const Coins = (description: string) => Type.Number({ description })
const Coin = (description: string) => Type.String({ maxLength: 16, description })
const Seconds = Type.Number({ description: 'Unix time, seconds' })
const Trader = (description: string) => Type.String({ description: `${description}, 40 hexadecimal digits` })
const PRICE = 'for one whole of the quantity coin, in the price coin'

const Tick = Type.Object({
  trader_id: Trader('the trader'),
  timeout: Type.Integer({ description: 'seconds from its timestamp on' }),
  quantity_type: Coin('the coin that is sold (ask) or bought (bid)'),
  price_type: Coin('the coin that is paid'),
  timestamp: Seconds,
  price: Coins(PRICE),
  order_number: Type.Integer({ description: 'of that trader' }),
  message_id: Type.String({ description: '`<trader_id>.<order_number>`' }),
  quantity: Coins('what is left of it'),
  price_exact: Exact('price'),
  quantity_exact: Exact('quantity'),
  status: Type.String({ description: 'extra: open, or suspended: its owner cannot trade now' }),
})

const Group = Type.Object({
  price_type: Coin('the coin that is paid'),
  quantity_type: Coin('the coin that is traded'),
  ticks: Type.Array(Tick),
})

const Standing = Type.Object({
  state: Type.Union(
    (['off', 'starting', 'failed', 'alone', 'connected'] as const).map(state => Type.Literal(state)),
    {
      description:
        'extra: of the overlay of the market: off (by a setting), starting, failed (it is tried again), alone (nobody met yet), connected',
    },
  ),
  peers: Type.Integer({ description: 'nodes it is connected to there' }),
  setting: Type.String({ description: 'why it is off; else empty' }),
  problem: Type.String({ description: 'why its start failed; else empty' }),
})

/** GET /market/asks. */
export const AsksReply = Type.Object({ asks: Type.Array(Group), network: Standing })
/** GET /market/bids. */
export const BidsReply = Type.Object({ bids: Type.Array(Group) })

const ExactIn = (name: string) =>
  Type.Optional(
    Type.String({ maxLength: 80, description: `extra: in the place of ${name}: the same as exact decimal text` }),
  )
const Amount = (description: string) => Type.Optional(Type.Number({ exclusiveMinimum: 0, description }))

/** Body of PUT /market/asks and PUT /market/bids. */
export const NewOrderParameters = Type.Object({
  price: Amount(`a number above 0: ${PRICE}`),
  quantity: Amount('a number above 0: how much of the quantity coin'),
  price_type: Coin('identifier of the coin that is paid'),
  quantity_type: Coin('identifier of the coin that is sold (ask) or bought (bid)'),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TIMEOUT_S,
      description: `extra: seconds that it stands, ${DEFAULT_TIMEOUT_S} by default`,
    }),
  ),
  price_exact: ExactIn('price'),
  quantity_exact: ExactIn('quantity'),
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'extra: a text of your own; with the same one an order is placed once',
    }),
  ),
  spend_key: Type.Optional(
    Type.String({ maxLength: 1024, description: 'extra: the spend key, where one is demanded' }),
  ),
})

/** PUT /market/asks and PUT /market/bids. */
export const NewOrderReply = Type.Object({
  created: Type.Boolean(),
  order_number: Type.Integer({ description: 'extra: its number' }),
})

const Order = Type.Object({
  trader_id: Trader('this node'),
  timestamp: Seconds,
  price: Coins(PRICE),
  quantity: Coins('in all'),
  price_type: Coin('the coin that is paid'),
  quantity_type: Coin('the coin that is traded'),
  reserved_quantity: Coins('in negotiations and swaps that run'),
  traded_quantity: Coins('swapped'),
  is_ask: Type.Boolean(),
  timeout: Type.Number({ description: 'seconds from its timestamp on' }),
  order_number: Type.Integer(),
  completed_timestamp: Type.Union([Seconds, Type.Null()], { description: 'when all of it was traded' }),
  status: Type.String({ description: 'extra: open, suspended, completed, expired, cancelled or withdrawn' }),
  cancelled: Type.Boolean({ description: 'extra: by its owner' }),
  price_exact: Exact('price'),
  quantity_exact: Exact('quantity'),
  reserved_quantity_exact: Exact('reserved_quantity'),
  traded_quantity_exact: Exact('traded_quantity'),
})

/** GET /market/orders. */
export const OrdersReply = Type.Object({ orders: Type.Array(Order) })

const Transaction = Type.Object({
  trader_id: Trader('this node'),
  order_number: Type.Integer({ description: 'of the own order' }),
  partner_trader_id: Trader('the other trader'),
  transaction_number: Type.Integer(),
  price: Coins(PRICE),
  price_type: Coin('the coin that is paid'),
  transferred_price: Coins('of the price coin, what has reached its new owner'),
  quantity: Coins('that is traded'),
  quantity_type: Coin('the coin that is traded'),
  transferred_quantity: Coins('of the quantity coin, what has reached its new owner'),
  timestamp: Seconds,
  payment_complete: Type.Boolean(),
  partner_order_number: Type.Integer({ description: 'extra: of the other order' }),
  status: Type.String({ description: 'extra: pending, completed, refunded or abandoned' }),
  step: Type.String({ description: 'extra: where the swap stands' }),
  waits_for: Type.String({ description: 'extra: what it waits for; empty = nothing' }),
  price_exact: Exact('price'),
  quantity_exact: Exact('quantity'),
  transferred_price_exact: Exact('transferred_price'),
  transferred_quantity_exact: Exact('transferred_quantity'),
})

/** GET /market/transactions. */
export const MarketTransactionsReply = Type.Object({ transactions: Type.Array(Transaction) })

/** POST /market/orders/{number}/cancel. */
export const CancelReply = Type.Object({ cancelled: Type.Boolean() })

/** GET /market/orders/{number}/explain. */
export const ExplainOrderReply = Type.Object({
  order_number: Type.Integer(),
  status: Type.String(),
  reasons: Type.Array(Type.String(), { description: 'sentences, the most important first' }),
  reserved_funds_exact: Type.String({ description: 'set aside for it' }),
  currency: Type.String({ description: 'of what is set aside' }),
  matching_orders: Type.Integer({ description: 'orders of others that it could be matched with now' }),
  peers: Type.Integer({ description: 'of the market' }),
})

/** GET /market/transactions/{trader}/{number}/payments. */
export const PaymentsReply = Type.Object({
  payments: Type.Array(
    Type.Object({
      trader_id: Type.String(),
      transaction_number: Type.Integer(),
      kind: Type.String({ description: 'purse, fund, claim, refund or sweep' }),
      payment_id: Type.String({ description: 'of the transaction on the chain' }),
      currency: Type.String(),
      amount: Type.Number(),
      amount_exact: Type.String(),
      fee_exact: Type.String(),
      timestamp: Seconds,
      theirs: Type.Boolean({ description: 'the other side made it' }),
      success: Type.Boolean({ description: 'the chain has it' }),
    }),
  ),
})

/** Query of GET /market/fees. */
export const MarketFeesParameters = Type.Object({
  quantity_type: Coin('identifier of the coin that is traded'),
  price_type: Coin('identifier of the coin that is paid'),
  quantity: Amount('of this quantity; default: one whole coin'),
  price: Amount(`at this price: ${PRICE}`),
  quantity_exact: ExactIn('quantity'),
  price_exact: ExactIn('price'),
})

/** GET /market/fees. */
export const MarketFeesReply = Type.Object({
  quantity_type: Type.String(),
  price_type: Type.String(),
  ask_quantity_fee_exact: Type.String({ description: 'who gives the quantity coin pays so much of it, at most' }),
  ask_price_fee_exact: Type.String({ description: 'and so much of the price coin' }),
  bid_quantity_fee_exact: Type.String({ description: 'who gives the price coin pays so much of the quantity coin' }),
  bid_price_fee_exact: Type.String({ description: 'and so much of the price coin' }),
  least_quantity_exact: Type.String({ description: 'the least that can be traded' }),
})
