// Commands about the market: one request each. Amounts and prices are sent as the text they were typed in, so that no
// digit is lost.

import type { Command } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import { count, SPEND_KEY_FLAGS, SPEND_KEY_TEXT, spendKey } from '../../../cli/secret-input.ts'
import { tableText } from '../../../cli/show.ts'
import type { ParametersOf } from '../../../client/routes.ts'
import type { MarketRoutes, Order, OrderGroup, Trade } from '../client/routes.ts'

interface OrderFlags extends NodeFlags {
  readonly timeout?: number
  readonly idempotencyKey?: string
  readonly spendKeyFile?: string
}

function table(heads: readonly string[], lines: readonly string[][]): string {
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  return tableText(
    heads.map(head => ({ head })),
    lines,
    width,
  )
}

/** When something ends, as people write times. */
function endOf({ timestamp, timeout }: { readonly timestamp: number; readonly timeout: number }): string {
  return new Date((timestamp + timeout) * 1000).toISOString().slice(0, 19)
}

function ticksText(groups: readonly OrderGroup[]): string {
  const lines = groups.flatMap(({ price_type, quantity_type, ticks }) =>
    ticks.map(tick => [
      ...[`${tick.quantity_exact} ${quantity_type}`, `${tick.price_exact} ${price_type}`],
      ...[endOf(tick), tick.status, tick.message_id],
    ]),
  )
  return table(['QUANTITY', 'PRICE', 'ENDS', 'STATE', 'ORDER'], lines)
}

function ordersText(orders: readonly Order[]): string {
  const lines = orders.map(order => [
    ...[String(order.order_number), order.is_ask ? 'ask' : 'bid', `${order.quantity_exact} ${order.quantity_type}`],
    ...[`${order.price_exact} ${order.price_type}`, order.traded_quantity_exact, order.reserved_quantity_exact],
    ...[order.status, endOf(order)],
  ])
  return table(['ORDER', 'SIDE', 'QUANTITY', 'PRICE', 'TRADED', 'RESERVED', 'STATE', 'ENDS'], lines)
}

function tradesText(trades: readonly Trade[]): string {
  const lines = trades.map(trade => [
    ...[String(trade.transaction_number), String(trade.order_number), `${trade.quantity_exact} ${trade.quantity_type}`],
    ...[`${trade.price_exact} ${trade.price_type}`, trade.status, trade.step, trade.waits_for],
  ])
  return table(['TRADE', 'ORDER', 'QUANTITY', 'PRICE', 'STATE', 'STEP', 'WAITS FOR'], lines)
}

/** Commands that are one request and need no secret. */
const MARKET_COMMANDS: readonly PlainCommandOf<MarketRoutes>[] = [
  {
    words: 'market asks',
    route: 'GET /market/asks',
    text: 'Orders that sell, of all traders.',
    human: ({ asks }) => ticksText(asks),
  },
  {
    words: 'market bids',
    route: 'GET /market/bids',
    text: 'Orders that buy, of all traders.',
    human: ({ bids }) => ticksText(bids),
  },
  {
    words: 'market orders',
    route: 'GET /market/orders',
    text: 'Own orders.',
    human: ({ orders }) => ordersText(orders),
  },
  {
    words: 'market transactions',
    route: 'GET /market/transactions',
    text: 'Own trades.',
    human: ({ transactions }) => tradesText(transactions),
  },
  { words: 'market cancel', route: 'POST /market/orders/{number}/cancel', text: 'Cancel an own order.' },
  {
    words: 'market explain',
    route: 'GET /market/orders/{number}/explain',
    text: 'Why an own order stands as it does.',
  },
  {
    words: 'market payments',
    route: 'GET /market/transactions/{trader}/{number}/payments',
    text: 'What an own trade paid on the chains; the trader is this node.',
  },
  {
    words: 'market fees',
    route: 'GET /market/fees',
    parameters: { quantity_type: 'text', price_type: 'text' },
    text: 'What a trade of these coins costs now.',
    options: [
      { flags: '--quantity <coins>', parameter: 'quantity_exact', read: String, text: 'of this quantity' },
      { flags: '--price <coins>', parameter: 'price_exact', read: String, text: 'at this price' },
    ],
  },
]

function addMarketCommands(market: Command): void {
  addPlacing(market, 'ask', 'Sell: so much of a coin, at a price for one whole of it in another coin.')
  addPlacing(market, 'bid', 'Buy: so much of a coin, at a price for one whole of it in another coin.')
}

function addPlacing(market: Command, side: 'ask' | 'bid', text: string): void {
  forNode(market.command(`${side} <quantity> <quantity_type> <price> <price_type>`).description(text))
    .option('--timeout <s>', 'seconds that it stands, 3600 by default', count)
    .option('--idempotency-key <text>', 'with the same text an order is placed once')
    .option(SPEND_KEY_FLAGS, SPEND_KEY_TEXT)
    .action((quantity: string, quantityType: string, price: string, priceType: string, flags: OrderFlags) =>
      runForNode<MarketRoutes>(flags, async ({ node, show }) => {
        const { timeout, idempotencyKey } = flags
        const parameters: ParametersOf<MarketRoutes, 'PUT /market/asks'> = {
          quantity_exact: quantity,
          quantity_type: quantityType,
          price_exact: price,
          price_type: priceType,
          ...(timeout === undefined ? {} : { timeout }),
          ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
          ...(await spendKey(flags)),
        }
        show(await node.call(side === 'ask' ? 'PUT /market/asks' : 'PUT /market/bids', { parameters }))
      }),
    )
}

/** All commands about the market. */
export const marketCommands: ChapterCommands = {
  plain: MARKET_COMMANDS,
  groups: { market: 'The market: orders, trades and their swaps.' },
  add: (_program, group) => addMarketCommands(group('market')),
}
