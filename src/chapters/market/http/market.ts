// Routes of the market: those of the specification (4.7; decisions part 4), and extra ones. They translate names and
// nothing else.

import { AppError } from '../../../base/errors.ts'
import type { NewOrder } from '../service/market-api.ts'
import { routeWith } from '../../../http/route.ts'
import type { MarketRouteServices } from '../service/market-api.ts'
import {
  AsksReply,
  BidsReply,
  CancelReply,
  ExplainOrderReply,
  MarketFeesParameters,
  MarketFeesReply,
  MarketTransactionsReply,
  NewOrderParameters,
  NewOrderReply,
  OrdersReply,
  PaymentsReply,
} from './market-schemas.ts'

const route = routeWith<MarketRouteServices>()

const common = { kind: 'json', tag: 'market', scope: 'spend' } as const
const EXTRA = 'The whole route is extra.'
const SAMPLE_ORDER = { price: 0.005, quantity: 2, price_type: 'TBTC', quantity_type: 'TLTC' } as const
const SAMPLE_TRADER = 'ab'.repeat(20)
const READ_ERRORS = ['MarketOff', 'NotReady', 'StateUnreadable'] as const
const ORDER_CHOICES = [
  'The price is for one whole of the quantity coin, in the price coin. Both wallets are created (400 `WalletNotCreated`) and the coins differ. Too many ' +
    'decimal places, nothing, less than a chain carries: 400 `InvalidParameter`.',
  'What it gives is set aside at once, with fees: 400 `InsufficientFunds` where it is not there; the wallet is unlocked: else 403 `WalletLocked`.',
  'Extra: `timeout` (1 to 86400 seconds, 3600 by default), `price_exact`, `quantity_exact`, `idempotency_key`, `spend_key`; `order_number` in the answer.',
]
const ORDER_ERRORS = [
  ...(['MissingParameter', 'InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'WalletLocked'] as const),
  ...(['SpendKeyMissing', 'InsufficientFunds', 'StateConflict', 'TooManyRequests', 'WalletServerFailed'] as const),
  ...(['NoWalletServer', 'DiskFull', 'DiskError'] as const),
  ...READ_ERRORS,
] as const

/** What amounts and prices may come as. */
interface Amounts {
  readonly price?: number
  readonly price_exact?: string
  readonly quantity?: number
  readonly quantity_exact?: string
}

/** Of each the exact text, else the number. AppError MissingParameter: neither. */
export function orderOf<T extends Amounts>({
  price,
  price_exact,
  quantity,
  quantity_exact,
  ...rest
}: T): Omit<T, keyof Amounts> & Pick<NewOrder, 'price' | 'quantity'> {
  const found = { price: price_exact ?? price, quantity: quantity_exact ?? quantity }
  if (found.price === undefined) throw new AppError('MissingParameter', 'The parameter price is missing.')
  if (found.quantity === undefined) throw new AppError('MissingParameter', 'The parameter quantity is missing.')
  return { ...rest, price: found.price, quantity: found.quantity }
}

/** The number of a path; -1 = it is none, which nothing has. */
function numberOf(path: Readonly<Record<string, string>>): number {
  const text = path['number'] ?? ''
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : -1
}

const asks = route({
  ...common,
  id: 'market.asks',
  method: 'GET',
  path: '/market/asks',
  summary: 'Orders that sell',
  choices: [
    'The whole order book as this node knows it, own orders too. Groups without ticks are left out; ticks begin with the lowest price, of one price ' +
      'with the oldest.',
    'Extra: `status`, `price_exact`, `quantity_exact`; `network`, why there may be no orders of others.',
  ],
  parameters: null,
  reply: AsksReply,
  errors: READ_ERRORS,
  sample: { path: '/market/asks', status: 200 },
  run: async ({ services }) => ({
    asks: await services.market.asks(),
    network: await services.market.standing(),
  }),
})

const bids = route({
  ...common,
  id: 'market.bids',
  method: 'GET',
  path: '/market/bids',
  summary: 'Orders that buy',
  choices: [
    'As the asks; ticks begin with the highest price, of one price with the oldest.',
    'Extra: `status`, `price_exact`, `quantity_exact`.',
  ],
  parameters: null,
  reply: BidsReply,
  errors: READ_ERRORS,
  sample: { path: '/market/bids', status: 200 },
  run: async ({ services }) => ({ bids: await services.market.bids() }),
})

const ask = route({
  ...common,
  id: 'market.ask',
  method: 'PUT',
  path: '/market/asks',
  summary: 'Sells',
  choices: ORDER_CHOICES,
  parameters: NewOrderParameters,
  reply: NewOrderReply,
  errors: ORDER_ERRORS,
  sample: { path: '/market/asks', body: SAMPLE_ORDER, status: 200 },
  run: ({ services }, { parameters }) => services.market.placeAsk(orderOf(parameters)),
})

const bid = route({
  ...common,
  id: 'market.bid',
  method: 'PUT',
  path: '/market/bids',
  summary: 'Buys',
  choices: ORDER_CHOICES,
  parameters: NewOrderParameters,
  reply: NewOrderReply,
  errors: ORDER_ERRORS,
  sample: { path: '/market/bids', body: SAMPLE_ORDER, status: 200 },
  run: ({ services }, { parameters }) => services.market.placeBid(orderOf(parameters)),
})

const orders = route({
  ...common,
  id: 'market.orders',
  method: 'GET',
  path: '/market/orders',
  summary: 'Own orders',
  choices: [
    'Also those that are over. `completed_timestamp` is null until all of an order is traded.',
    'Extra: `status`, `cancelled`, and of each amount the exact text (`*_exact`).',
  ],
  parameters: null,
  reply: OrdersReply,
  errors: READ_ERRORS,
  sample: { path: '/market/orders', status: 200 },
  run: async ({ services }) => ({ orders: await services.market.orders() }),
})

const transactions = route({
  ...common,
  id: 'market.transactions',
  method: 'GET',
  path: '/market/transactions',
  summary: 'Own trades',
  choices: [
    'From the moment on in which both traders agreed. `transferred_price` and `transferred_quantity` are what has reached its new owner.',
    'Extra: `partner_order_number`, `status`, `step`, `waits_for`, and of each amount the exact text (`*_exact`).',
  ],
  parameters: null,
  reply: MarketTransactionsReply,
  errors: READ_ERRORS,
  sample: { path: '/market/transactions', status: 200 },
  run: async ({ services }) => ({ transactions: await services.market.transactions() }),
})

const cancel = route({
  ...common,
  id: 'market.cancel',
  method: 'POST',
  path: '/market/orders/{number}/cancel',
  summary: 'Cancels an own order',
  choices: [EXTRA, 'Trades of it that are agreed go on to their end.'],
  parameters: null,
  reply: CancelReply,
  errors: [...READ_ERRORS, 'OrderNotFound', 'OrderNotOpen', 'DiskFull', 'DiskError'],
  sample: { path: '/market/orders/1/cancel', status: 200 },
  run: ({ services }, { path }) => services.market.cancel(numberOf(path)),
})

const explain = route({
  ...common,
  id: 'market.explain',
  method: 'GET',
  path: '/market/orders/{number}/explain',
  summary: 'Why an own order stands as it does',
  choices: [EXTRA],
  parameters: null,
  reply: ExplainOrderReply,
  errors: [...READ_ERRORS, 'OrderNotFound'],
  sample: { path: '/market/orders/1/explain', status: 200 },
  run: ({ services }, { path }) => services.market.explain(numberOf(path)),
})

const payments = route({
  ...common,
  id: 'market.payments',
  method: 'GET',
  path: '/market/transactions/{trader}/{number}/payments',
  summary: 'What a trade paid on the chains',
  choices: [EXTRA, 'The trader is this node: `trader_id` of the transaction.'],
  parameters: null,
  reply: PaymentsReply,
  errors: [...READ_ERRORS, 'TransactionNotFound'],
  sample: { path: `/market/transactions/${SAMPLE_TRADER}/1/payments`, status: 200 },
  run: async ({ services }, { path }) => ({
    payments: await services.market.payments(path['trader'] ?? '', numberOf(path)),
  }),
})

const fees = route({
  ...common,
  id: 'market.fees',
  method: 'GET',
  path: '/market/fees',
  summary: 'What a trade costs now',
  choices: [
    EXTRA,
    'At the present rates, and the most that a trade costs which goes its usual way: what is not used comes back to the wallet.',
  ],
  parameters: MarketFeesParameters,
  reply: MarketFeesReply,
  errors: [
    ...READ_ERRORS,
    ...(['MissingParameter', 'InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'WalletServerFailed'] as const),
    'NoWalletServer',
  ],
  sample: { path: '/market/fees', query: 'quantity_type=TLTC&price_type=TBTC&quantity=2', status: 200 },
  run: ({ services }, { parameters: { price, price_exact, quantity, quantity_exact, ...coins } }) => {
    const asked = { price: price_exact ?? price, quantity: quantity_exact ?? quantity }
    return services.market.fees({
      ...coins,
      ...(asked.price === undefined ? {} : { price: asked.price }),
      ...(asked.quantity === undefined ? {} : { quantity: asked.quantity }),
    })
  },
})

/** Every route of this file. */
export const marketRoutes = [
  ...[asks, ask, bids, bid, orders, transactions],
  ...[cancel, explain, payments, fees],
] as const
