// Wallets, a book, orders and trades as a node of some weeks has them, for pages of the dashboard that are looked at
// without chains.

import type { Page } from 'playwright-core'
import type {
  MarketPaymentRecord,
  MarketTransactionRecord,
  OrderExplanation,
  OrderRecord,
  TickGroup,
  TickRecord,
} from '../../../../src/chapters/market/service/market-api.ts'
import type {
  WalletBalance,
  WalletRecord,
  WalletTransactionRecord,
} from '../../../../src/chapters/wallets/service/wallets-api.ts'

/** Who the node is in the market. */
export const SAMPLE_TRADER = 'c0ffee'.padEnd(40, '7')
const OTHER = 'ab'.repeat(20)
const TXID = '5e'.repeat(32)

function balanceOf(currency: string, available: string, pending: string): WalletBalance {
  const numbers = { available: Number(available), pending: Number(pending), reserved: 0.5 }
  return { ...numbers, currency, available_exact: available, pending_exact: pending, reserved_exact: '0.5' }
}

function wallet(identifier: string, name: string, more: Partial<WalletRecord> = {}): WalletRecord {
  return {
    created: false,
    name,
    address: '',
    identifier,
    unlocked: false,
    network: '',
    height: -1,
    behind: 0,
    has_server: true,
    balance: balanceOf(identifier, '0', '0'),
    problem: `Not created yet: PUT /wallets/${identifier} with a password.`,
    ...more,
  }
}

/** All wallets: one unlocked, one locked with a problem, the others not created. */
export const sampleWallets: readonly WalletRecord[] = [
  wallet('BTC', 'Bitcoin', {
    created: true,
    unlocked: true,
    network: 'main',
    height: 1_000_123,
    problem: '',
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    balance: balanceOf('BTC', '1.25000001', '0.5'),
  }),
  wallet('TBTC', 'Testnet Bitcoin'),
  wallet('LTC', 'Litecoin', {
    created: true,
    network: 'main',
    height: 2_900_000,
    problem: 'The server does not answer.',
    address: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
    balance: balanceOf('LTC', '12', '0'),
  }),
  wallet('TLTC', 'Testnet Litecoin'),
  wallet('ETH', 'Ether'),
  wallet('TETH', 'Testnet Ether'),
]

/** A history: one that waits, one that came in. */
export const sampleHistory: readonly WalletTransactionRecord[] = [
  {
    currency: 'BTC',
    to: 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    from: '',
    outgoing: true,
    description: 'Confirmations: 0',
    timestamp: '1795000000',
    fee_amount: 0.0001,
    amount: 0.3,
    id: TXID,
    amount_exact: '0.3',
    fee_exact: '0.0001',
    confirmations: 0,
  },
  {
    currency: 'BTC',
    to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    from: '',
    outgoing: false,
    description: 'Confirmations: 812',
    timestamp: '1794000000',
    fee_amount: 0,
    amount: 1.55000001,
    id: '7a'.repeat(32),
    amount_exact: '1.55000001',
    fee_exact: '0',
    confirmations: 812,
  },
]

function tick(number: number, price: string, quantity: string, trader = OTHER): TickRecord {
  return {
    trader_id: trader,
    order_number: number,
    message_id: `${trader}.${number}`,
    price: Number(price),
    price_type: 'BTC',
    quantity: Number(quantity),
    quantity_type: 'LTC',
    timeout: 3600,
    timestamp: 1_795_000_000,
    price_exact: price,
    quantity_exact: quantity,
    status: 'open',
  }
}

function group(ticks: readonly TickRecord[]): TickGroup {
  return { price_type: 'BTC', quantity_type: 'LTC', ticks: [...ticks] }
}

/** Both sides of a book; an own order stands in it. */
export const sampleAsks: readonly TickGroup[] = [
  group([
    tick(1, '0.00211', '15'),
    tick(3, '0.0022', '2.5', SAMPLE_TRADER),
    ...Array.from({ length: 240 }, (_, at) => tick(10 + at, `0.00${230 + at}`, String(at + 1))),
  ]),
]
/** See sampleAsks. */
export const sampleBids: readonly TickGroup[] = [group([tick(2, '0.00209', '4')])]

function order(number: number, status: string, more: Partial<OrderRecord> = {}): OrderRecord {
  return {
    trader_id: SAMPLE_TRADER,
    order_number: number,
    timestamp: 1_795_000_000,
    price: 0.0022,
    quantity: 5,
    price_type: 'BTC',
    quantity_type: 'LTC',
    reserved_quantity: 1,
    traded_quantity: 1.5,
    is_ask: true,
    timeout: 3600,
    completed_timestamp: null,
    status,
    cancelled: status === 'cancelled',
    price_exact: '0.0022',
    quantity_exact: '5',
    reserved_quantity_exact: '1',
    traded_quantity_exact: '1.5',
    ...more,
  }
}

/** Own orders of every state. */
export const sampleOrders: readonly OrderRecord[] = [
  order(1, 'completed', { completed_timestamp: 1_795_000_100 }),
  ...['cancelled', 'expired', 'withdrawn', 'suspended', 'open'].map((status, at) => order(at + 2, status)),
]

/** Why one of them stands. */
export const sampleExplanation: OrderExplanation = {
  order_number: 6,
  status: 'open',
  reserved_funds_exact: '2.50012',
  currency: 'LTC',
  matching_orders: 0,
  peers: 12,
  reasons: ['No order in the book crosses this price.'],
}

function trade(number: number, status: string, waitsFor: string): MarketTransactionRecord {
  return {
    trader_id: SAMPLE_TRADER,
    order_number: 6,
    partner_trader_id: OTHER,
    transaction_number: number,
    price: 0.0022,
    price_type: 'BTC',
    transferred_price: 0,
    quantity: 1,
    quantity_type: 'LTC',
    transferred_quantity: 0,
    timestamp: 1_795_000_000,
    payment_complete: status === 'completed',
    partner_order_number: 2,
    status,
    step: 'funded',
    waits_for: waitsFor,
    price_exact: '0.0022',
    quantity_exact: '1',
    transferred_price_exact: '0',
    transferred_quantity_exact: '0',
  }
}

/** Own trades of every state. */
export const sampleTrades: readonly MarketTransactionRecord[] = [
  trade(1, 'completed', ''),
  trade(2, 'refunded', ''),
  trade(3, 'abandoned', ''),
  trade(4, 'pending', 'Waits until the other side has put its coins under the lock.'),
]

/** Transactions of one of them. */
export const samplePayments: readonly MarketPaymentRecord[] = ['purse', 'fund', 'claim'].map((kind, at) => ({
  trader_id: SAMPLE_TRADER,
  transaction_number: 4,
  kind,
  payment_id: TXID,
  currency: 'LTC',
  amount: 1,
  amount_exact: '1',
  fee_exact: '0.00001',
  timestamp: 1_795_000_000,
  theirs: at === 2,
  success: at === 0,
}))

/** Answers all that the pages of money ask for; what they change is answered with nothing. */
export async function showMoney(page: Page): Promise<void> {
  const answers: Readonly<Record<string, object>> = {
    '/wallets': { wallets: sampleWallets },
    '/wallets/BTC/transactions': { transactions: sampleHistory },
    '/market/asks': { asks: sampleAsks, network: { state: 'connected', peers: 3, setting: '', problem: '' } },
    '/market/bids': { bids: sampleBids },
    '/market/orders': { orders: sampleOrders },
    '/market/transactions': { transactions: sampleTrades },
    '/market/orders/6/explain': sampleExplanation,
    [`/market/transactions/${SAMPLE_TRADER}/4/payments`]: { payments: samplePayments },
  }
  await page.route(/\/(wallets|market)(\/|$)/, route => {
    const { pathname } = new URL(route.request().url())
    return route.fulfill({ json: answers[pathname] ?? {} })
  })
}
