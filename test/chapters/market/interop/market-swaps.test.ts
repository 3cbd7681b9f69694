// Two built nodes trade on real chains: ask here, bid there, matched over the overlay, swapped between litecoind, bcoin
// and anvil. Balances before and after are compared to the smallest unit with fees, which the chains themselves say.
// Then a node that dies in the middle, and a counterparty that is gone.

import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import {
  COINS_OF_TESTS,
  feesOf,
  MarketChains,
  MarketNode,
  type OrderRequest,
  type Payment,
  PLACES,
  type Trade,
  type Units,
} from '../kit/market-nodes.ts'
import { runCli } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { unitsOf } from '../../wallets/kit/wallet-client.ts'

const skip = needs('litecoind') || withoutAnvil
const options = { skip, timeout: 300_000 }
const WHOLE = 100_000_000n
const ETHER = 10n ** 18n

let folder: Awaited<ReturnType<typeof makeTestFolder>>
let chains: MarketChains
let alice: MarketNode
let bob: MarketNode

before(async () => {
  if (skip !== false) return
  folder = await makeTestFolder()
  chains = await MarketChains.start()
  alice = await MarketNode.start(chains, 'alice', path.join(folder.path, 'alice'), null)
  bob = await MarketNode.start(chains, 'bob', path.join(folder.path, 'bob'), await alice.overlayAddress())
  await alice.createWallets({ TLTC: 20n * WHOLE, TETH: ETHER })
  await bob.createWallets({ TBTC: 2n * WHOLE, TETH: 5n * ETHER })
  await Promise.all([alice.hasPeers(), bob.hasPeers()])
})
after(async () => {
  await Promise.all([alice?.stop(), bob?.stop()])
  await chains?.stop()
  await folder?.remove()
})

/** What an ask and a bid came to. */
interface Swapped {
  readonly ask: number
  readonly bid: number
  readonly selling: Trade
  readonly buying: Trade
}

/** Alice asks, Bob bids; ends when both their trades are done. */
async function swap(request: OrderRequest, bidden: Partial<OrderRequest> = {}): Promise<Swapped> {
  const ask = await alice.place('ask', request)
  const bid = await bob.place('bid', { ...request, ...bidden })
  const done = ({ status }: Trade): boolean => status !== 'pending'
  const [selling, buying] = await Promise.all([alice.untilTrade(ask, done), bob.untilTrade(bid, done)])
  return { ask, bid, selling, buying }
}

/** What is left in deposits is given back at last: nothing of a swap waits any more. */
async function settle(node: MarketNode, trade: Trade): Promise<Payment[]> {
  await node.untilTrade(trade.order_number, ({ waits_for }) => waits_for === '')
  await chains.mine()
  return node.payments(trade)
}

function shown(units: Units): string {
  return COINS_OF_TESTS.map(coin => `${coin} ${units[coin]}`).join(', ')
}

/**
 * Checks each balance to the smallest unit, and the fees against those of the chains. `moved`: of Alice, without fees.
 */
async function assertExact(
  title: string,
  before: { alice: Units; bob: Units; heights: Record<(typeof COINS_OF_TESTS)[number], number> },
  moved: Partial<Units>,
  paid: { alice: readonly Payment[]; bob: readonly Payment[] },
): Promise<void> {
  const [now, theirs, chain] = [await alice.units(), await bob.units(), await chains.feesSince(before.heights)]
  const [ours, others] = [feesOf(paid.alice), feesOf(paid.bob)]
  process.stdout.write(`# ${title}\n`)
  process.stdout.write(`#   alice before ${shown(before.alice)}; after ${shown(now)}; fees ${shown(ours)}\n`)
  process.stdout.write(`#   bob before ${shown(before.bob)}; after ${shown(theirs)}; fees ${shown(others)}\n`)
  for (const coin of COINS_OF_TESTS) {
    const change = moved[coin] ?? 0n
    assert.equal(ours[coin] + others[coin], chain[coin], `${coin}: fees, as the chain has them`)
    assert.equal(now[coin], before.alice[coin] + change - ours[coin], `${coin} of alice`)
    assert.equal(theirs[coin], before.bob[coin] - change - others[coin], `${coin} of bob`)
  }
}

async function state() {
  await chains.mine()
  return { alice: await alice.units(), bob: await bob.units(), heights: await chains.heights() }
}

test('LTC against BTC: ask here, bid there, swapped; balances are exact to the smallest unit', options, async () => {
  const before = await state()
  const request = {
    price_exact: '0.0125',
    quantity_exact: '2.00000001',
    price_type: 'TBTC',
    quantity_type: 'TLTC',
  } as const
  const { ask, bid, selling, buying } = await swap(request)
  assert.deepEqual([selling.status, buying.status], ['completed', 'completed'])
  assert.ok(selling.payment_complete && buying.payment_complete)
  const paid = { alice: await settle(alice, selling), bob: await settle(bob, buying) }
  await assertExact('LTC against BTC', before, { TLTC: -200_000_001n, TBTC: 2_500_000n }, paid)
  assert.equal((await alice.order(ask)).status, 'completed')
  assert.equal((await bob.order(bid)).status, 'completed')
})

test('LTC against ETH', options, async () => {
  const before = await state()
  const request = { price_exact: '0.25', quantity_exact: '1.5', price_type: 'TETH', quantity_type: 'TLTC' } as const
  const { selling, buying } = await swap(request)
  assert.deepEqual([selling.status, buying.status], ['completed', 'completed'])
  const paid = { alice: await settle(alice, selling), bob: await settle(bob, buying) }
  await assertExact('LTC against ETH', before, { TLTC: -150_000_000n, TETH: 375_000_000_000_000_000n }, paid)
})

test('commands show fees, place an order once, explain and cancel it; events tell of it', options, async () => {
  const printed = async (...args: string[]): Promise<string> => {
    const ended = await runCli(args, { TRIBUTARY_STATE_DIR: alice.node.stateDir })
    assert.equal(ended.code, 0, ended.stderr)
    return ended.stdout
  }
  const fees = JSON.parse(await printed('market', 'fees', 'TLTC', 'TETH', '--quantity', '1', '--json')) as Record<
    string,
    string
  >
  for (const [name, text] of Object.entries(fees).filter(([each]) => each.includes('fee'))) {
    assert.ok(Number(text) > 0 && Number(text) < 0.02, `${name} ${text}`)
  }
  const ask = ['market', 'ask', '0.50000001', 'TLTC', '0.9', 'TBTC', '--idempotency-key', 'once', '--json']
  const [one, two] = [JSON.parse(await printed(...ask)), JSON.parse(await printed(...ask))] as {
    order_number: number
  }[]
  assert.deepEqual(one, two)
  const number = String(one?.order_number)
  assert.match(
    await printed('market', 'orders'),
    new RegExp(`^${number} +ask +0\\.50000001 TLTC +0\\.9 TBTC .* open `, 'm'),
  )
  await waitFor('it is in the book of Bob', async () =>
    /0\.50000001/.test((await bob.node.request('GET', '/market/asks')).body.toString()),
  )
  assert.match(await printed('market', 'explain', number), /No order of another trader fits its price now/)
  await printed('market', 'cancel', number)
  const again = await alice.node.request('POST', `/market/orders/${number}/cancel`)
  assert.deepEqual([again.status, again.json<{ error: { code: string } }>().error.code], [400, 'OrderNotOpen'])
  // Two swaps have gone through all their steps by now.
  const told = await printed('events', '--since', '0', '--json', '--count', '18')
  for (const type of [
    'market_order_created',
    'market_order_changed',
    'market_transaction_created',
    'market_transaction_changed',
  ])
    assert.ok(told.includes(`"${type}"`), type)
})

test('a partial fill: the rest of the order stands, at the price of the older order', options, async () => {
  const request = { price_exact: '0.01', quantity_exact: '3', price_type: 'TBTC', quantity_type: 'TLTC' } as const
  const { ask, bid, selling, buying } = await swap(request, { quantity_exact: '1', price_exact: '0.011' })
  assert.deepEqual([selling.status, buying.quantity_exact], ['completed', '1'])
  const { status, traded_quantity_exact } = await alice.order(ask)
  assert.deepEqual([status, traded_quantity_exact], ['open', '1'])
  assert.equal((await bob.order(bid)).status, 'completed')
  await waitFor('the rest stands in the book of the other node', async () => {
    const { asks } = await bob.node.get<{ asks: { ticks: { quantity_exact: string; price_exact: string }[] }[] }>(
      '/market/asks',
    )
    const [tick] = asks[0]?.ticks ?? []
    return tick?.quantity_exact === '2' && tick.price_exact === '0.01'
  })
  const gone = await alice.node.request('POST', `/market/orders/${ask}/cancel`)
  assert.deepEqual([gone.status, gone.json()], [200, { cancelled: true }])
  await waitFor('it is gone from both books', async () => {
    const books = await Promise.all([alice, bob].map(({ node }) => node.get<{ asks: unknown[] }>('/market/asks')))
    return books.every(({ asks }) => asks.length === 0)
  })
})

test('a node that is killed in mid-swap goes on after its start, with its wallets locked', options, async () => {
  const before = await state()
  const request = { price_exact: '0.0125', quantity_exact: '1', price_type: 'TBTC', quantity_type: 'TLTC' } as const
  const ask = await alice.place('ask', request)
  const bid = await bob.place('bid', request)
  // The bid is the newer order: Bob funds first. Alice is killed as soon as her money is on its way.
  await alice.untilTrade(ask, ({ step }) => step === 'funding' || step === 'funded' || step === 'claiming')
  await alice.kill()
  await alice.restart()
  assert.equal((await alice.wallet('TLTC').record()).unlocked, false)
  const done = ({ status }: Trade): boolean => status !== 'pending'
  const [selling, buying] = await Promise.all([alice.untilTrade(ask, done), bob.untilTrade(bid, done)])
  assert.deepEqual([selling.status, buying.status], ['completed', 'completed'])
  const paid = { alice: await settle(alice, selling), bob: await settle(bob, buying) }
  await assertExact('killed in mid-swap', before, { TLTC: -100_000_000n, TBTC: 1_250_000n }, paid)
})

test('a counterparty that is gone for good: what was funded comes back, less fees', options, async () => {
  await alice.unlock()
  await Promise.all([alice.hasPeers(), bob.hasPeers()])
  const before = await state()
  const request = { price_exact: '0.0125', quantity_exact: '1', price_type: 'TBTC', quantity_type: 'TLTC' } as const
  const ask = await alice.place('ask', request)
  const bid = await bob.place('bid', request)
  // Bob funds first.
  await waitFor(
    'Bob has funded',
    async () => {
      const trade = (await bob.trades()).findLast(({ order_number }) => order_number === bid)
      if (trade === undefined) return false
      const funded = (await bob.payments(trade)).some(({ kind, theirs }) => kind === 'fund' && !theirs)
      if (!funded) await chains.mineSometimes()
      return funded
    },
    120_000,
  )
  await alice.kill()
  assert.ok(ask > 0)
  for (let hours = 0; hours < 48; hours++) {
    await chains.pass(3_600)
    const trade = (await bob.trades()).findLast(({ order_number }) => order_number === bid)
    if (trade?.status === 'refunded') break
  }
  const refunded = await bob.untilTrade(bid, ({ status }) => status !== 'pending')
  assert.equal(refunded.status, 'refunded')
  const fees = feesOf(await settle(bob, refunded))
  const now = await bob.units()
  process.stdout.write(`# refunded: bob before ${shown(before.bob)}; after ${shown(now)}; fees ${shown(fees)}\n`)
  for (const coin of COINS_OF_TESTS) assert.equal(now[coin], before.bob[coin] - fees[coin], coin)
  assert.ok(fees.TBTC < unitsOf('0.001', PLACES.TBTC))
})
