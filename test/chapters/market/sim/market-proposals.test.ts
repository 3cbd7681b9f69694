// Proposals by strangers: every reason to decline, and what hostile ones come to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import { PROPOSALS_OF_TRADER } from '../../../../src/chapters/market/core/conduct.ts'
import { BTC, LTC } from '../kit/market-orders.ts'
import { MarketStranger } from '../kit/market-stranger.ts'
import { COIN, ETH, type FloorTrader, TradingFloor } from '../kit/trading-floor.ts'

/** Ann has an ask of 10 LTC at 0.01 BTC; somebody comes a second later. */
async function scene(): Promise<{
  floor: TradingFloor
  ann: FloorTrader
  eve: MarketStranger
  order: { trader: string; number: number }
}> {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  await ann.place()
  await floor.pass(1_000)
  return { floor, ann, eve: new MarketStranger('eve', floor), order: { trader: ann.id, number: 1 } }
}

test('a proposal that fits is accepted, and accepted again when it comes again: one swap', async () => {
  const { floor, ann, eve, order } = await scene()
  const proposal = eve.proposal(order)
  const first = await eve.ask(ann.id, proposal)
  assert.equal(first?.kind, 'accept')
  assert.equal(ann.swapEngine.list().length, 1)
  assert.deepEqual(await eve.ask(ann.id, proposal), first)
  assert.equal(ann.swapEngine.list().length, 1)
  assert.equal(ann.trader.trades().length, 1)
  // The same by somebody else, whose statement it is not; and the id again with other terms.
  const mallory = new MarketStranger('mallory', floor)
  assert.equal(await mallory.reason(ann.id, proposal), 'other')
  // After a restart the answer follows from the swap.
  ann.kill()
  await ann.restart()
  ann.unlock()
  assert.deepEqual(await eve.ask(ann.id, proposal), first)
  assert.equal(ann.swapEngine.list().length, 1)
  await floor.stop()
})

test('each reason to decline', async () => {
  const { floor, ann, eve, order } = await scene()
  const reason = (change: object = {}, request: object = {}): Promise<string> =>
    eve.reason(ann.id, eve.proposal(order, change, request))
  const nowMs = floor.clock.wallMs()
  assert.equal(await reason({ order: { trader: ann.id, number: 9 } }), 'unknown order')
  assert.equal(await reason({ order: { trader: eve.trader.id, number: 1 } }), 'unknown order')
  assert.equal(await reason({ price: 999_999n }), 'price')
  assert.equal(await reason({ price: 1_000_001n }), 'price')
  assert.equal(await reason({}, { price: 999_999n }), 'price')
  assert.equal(await reason({ quantity: 0n }), 'quantity')
  assert.equal(await reason({ quantity: 5n }), 'quantity')
  assert.equal(await reason({ quantity: 11n * COIN }), 'quantity')
  assert.equal(await reason({}, { remaining: 9n * COIN }), 'quantity')
  assert.equal(await reason({}, { side: 'ask' }), 'other')
  assert.equal(await reason({}, { priceAsset: ETH }), 'other')
  assert.equal(await reason({}, { quantityAsset: { coin: 'LTC', chain: '00000000' } }), 'other')
  assert.equal(await reason({}, { timeMs: nowMs - 2_000 }), 'other', 'theirs is the older one')
  assert.equal(await reason({}, { status: 'suspended' }), 'other')
  assert.equal(await reason({}, { status: 'closed', remaining: 0n }), 'other')
  const foreign = new MarketStranger('foreign', floor).statement()
  assert.equal(await reason({ statement: foreign }), 'other')
  assert.equal(await reason({ timeMs: floor.clock.wallMs() - 60_000 }), 'expired')
  await floor.pass(60_000)
  assert.equal(await reason({ timeMs: floor.clock.wallMs() + 60_000 }), 'expired')
  assert.equal(await reason({}, { timeMs: floor.clock.wallMs() + 60_000 }), 'expired')
  assert.equal(await reason({}, { timeMs: nowMs, timeoutS: 1 }), 'expired')
  assert.equal(await reason({ secondLockS: Math.floor(floor.clock.wallMs() / 1000) + 15_000 }), 'locks')
  assert.equal(await reason({ claimKey: 'nothing' }), 'keys')
  await floor.pass(60_000)
  ann.swapEngine.prepareFails = new AppError('InvalidParameter')
  assert.equal(await reason(), 'quantity')
  ann.swapEngine.prepareFails = new AppError('WalletServerFailed')
  assert.equal(await reason(), 'other')
  assert.equal(ann.swapEngine.list().length, 0)
  assert.equal(ann.order(1).reserved, 0n)
  assert.equal(ann.swapEngine.prepared.size, 0)
  assert.deepEqual([...ann.funds.reserved.keys()], ['order-1'])
  await floor.stop()
})

test('orders that cannot be traded with say why', async () => {
  const { floor, ann, eve, order } = await scene()
  const reason = (change: object = {}): Promise<string> => eve.reason(ann.id, eve.proposal(order, change))
  ann.lock()
  await floor.pass(100)
  assert.equal(await reason(), 'suspended')
  ann.unlock()
  await floor.pass(100)
  // All but 4 are spoken for: 4 are offered, and of what is left too little is declined.
  assert.equal(await reason({ quantity: 6n * COIN }), 'accept')
  const counter = await eve.ask(ann.id, eve.proposal(order, { quantity: 5n * COIN }))
  assert.deepEqual(counter, { kind: 'counter', id: counter?.kind === 'counter' ? counter.id : '', quantity: 4n * COIN })
  assert.equal(await reason({ quantity: 4n * COIN }), 'accept')
  assert.equal(await reason({ quantity: COIN }), 'reserved')
  const [one] = ann.swapEngine.list()
  assert.equal(await reason({ hash: one?.agreement.first.hash, quantity: COIN }), 'keys')
  for (const { agreement } of ann.swapEngine.list()) {
    await ann.swapEngine.fund(agreement.id)
    await ann.swapEngine.complete(agreement.id)
  }
  assert.equal(await reason(), 'completed')

  await ann.place()
  await floor.pass(1_000)
  await ann.trader.cancel(2)
  assert.equal(await reason({ order: { trader: ann.id, number: 2 } }), 'cancelled')
  await ann.place({ timeoutS: 1 })
  await floor.pass(3_000)
  assert.equal(await reason({ order: { trader: ann.id, number: 3 } }), 'expired')
  await floor.stop()
})

test('fees that are not there: declined for its funds', async () => {
  const { floor, ann, eve, order } = await scene()
  // What is set aside for the fees of trades is there; then fees rise above all that ann has.
  const wallet = ann.funds.wallets.get('LTC')
  assert.ok(wallet !== undefined)
  Object.assign(wallet, { fee: 1_000n * COIN })
  assert.equal(await eve.reason(ann.id, eve.proposal(order)), 'funds')
  Object.assign(wallet, { fee: 10n })
  assert.equal(await eve.reason(ann.id, eve.proposal(order)), 'accept')
  await floor.stop()
})

test('what one trader may pin: a few swaps, and after a swap that failed by its fault nothing for a growing time', async () => {
  const { floor, ann, eve, order } = await scene()
  const reason = (): Promise<string> => eve.reason(ann.id, eve.proposal(order, { quantity: COIN }))
  for (let count = 0; count < 8; count++) assert.equal(await reason(), 'accept')
  assert.equal(await reason(), 'busy')
  const [first, ...rest] = ann.swapEngine.list().map(view => view.agreement.id)
  assert.ok(first !== undefined)
  for (const id of rest) {
    await ann.swapEngine.fund(id)
    await ann.swapEngine.complete(id)
  }
  await floor.pass(60_000)
  // A swap that never was funded: ann is the participant, so it is the fault of the other.
  await ann.swapEngine.abandon(first)
  assert.equal(ann.order(1).reserved, 0n)
  assert.equal(ann.order(1).traded, 7n * COIN)
  assert.equal(await reason(), 'busy')
  await floor.pass(601_000)
  assert.equal(await reason(), 'accept')
  // Once more: twice as long, also after a restart.
  await ann.swapEngine.abandon(ann.swapEngine.list().at(-1)?.agreement.id ?? '')
  await floor.pass(601_000)
  assert.equal(await reason(), 'busy')
  ann.kill()
  await ann.restart()
  ann.unlock()
  await floor.pass(10_000)
  assert.equal(await reason(), 'busy')
  const bob = new MarketStranger('bob', floor)
  assert.equal(await bob.reason(ann.id, bob.proposal(order, { quantity: COIN })), 'accept')
  await floor.stop()
})

test('two proposals for the same part at the same instant: one is accepted', async () => {
  const { floor, ann, eve, order } = await scene()
  const bob = new MarketStranger('bob', floor)
  const [first, second] = [eve.proposal(order), bob.proposal(order)]
  await Promise.all([eve.member.send(ann.id, first), bob.member.send(ann.id, second)])
  await floor.pass(1_000)
  const kinds = [...eve.heard, ...bob.heard].map(({ kind }) => kind).sort()
  assert.deepEqual(kinds, ['accept', 'decline'])
  assert.equal(ann.swapEngine.list().length, 1)
  assert.equal(ann.order(1).reserved, 10n * COIN)
  await floor.stop()
})

test('a flood: few answers, nothing reserved for it, and others trade on', async () => {
  const { floor, ann, eve, order } = await scene()
  for (let count = 0; count < 1_000; count++) {
    void eve.member.send(ann.id, eve.proposal(order, { price: 5n, quantity: COIN }))
    void eve.member.send(ann.id, eve.proposal(order, { price: 5n, quantity: COIN }))
    await floor.clock.advance(1)
  }
  await floor.pass(1_000)
  assert.ok(eve.heard.length <= PROPOSALS_OF_TRADER.burst + 1, `${eve.heard.length} answers`)
  assert.equal(ann.order(1).reserved, 0n)
  const bob = new MarketStranger('bob', floor)
  assert.equal(await bob.reason(ann.id, bob.proposal(order)), 'accept')
  await floor.stop()
})

test('answers that nobody asked for change nothing', async () => {
  const { floor, ann, eve } = await scene()
  const id = '0'.repeat(32)
  for (const message of [
    { kind: 'accept', id, claimKey: 'claim-x', refundKey: 'refund-x' },
    { kind: 'counter', id, quantity: COIN },
    { kind: 'decline', id, reason: 'busy' },
    { kind: 'funded', id, txid: 'ff' },
    { kind: 'match', order: { trader: ann.id, number: 77 }, statement: eve.statement() },
  ] as const) {
    await eve.member.send(ann.id, message)
  }
  await floor.pass(1_000)
  assert.equal(ann.swapEngine.list().length, 0)
  assert.deepEqual(ann.swapEngine.hints, [])
  await floor.stop()
})

test('a partner that asks for less and less, or accepts with keys that are none, or never answers', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  const eve = new MarketStranger('eve', floor)
  const theirs = eve.statement({ side: 'ask', quantityAsset: LTC, priceAsset: BTC })
  eve.member.book.put(theirs)
  floor.market.tell(theirs)
  let left = 10n * COIN
  const proposals = (): number => floor.market.sent.filter(({ message }) => message.kind === 'propose').length
  const end = eve.member.onMessage((from, message) => {
    if (message.kind === 'propose') void eve.member.send(from, { kind: 'counter', id: message.id, quantity: --left })
  })
  await floor.pass(1_000)
  await ann.place({ side: 'bid' })
  await floor.pass(5_000)
  assert.equal(proposals(), 4)
  assert.equal(ann.order(1).reserved, 0n)
  end()

  // Asked again after a rest; this time the keys are wrong: left alone until the order of eve changes.
  const wrong = eve.member.onMessage((from, message) => {
    if (message.kind !== 'propose') return
    void eve.member.send(from, { kind: 'accept', id: message.id, claimKey: 'no', refundKey: 'no' })
  })
  await floor.pass(60_000)
  assert.equal(proposals(), 5)
  assert.equal(ann.swapEngine.list().length, 0)
  assert.equal(ann.order(1).reserved, 0n)
  wrong()
  await floor.pass(600_000)
  assert.equal(proposals(), 5)
  floor.market.tell(eve.trader.later(theirs, { remaining: 9n * COIN }))
  // Silence: asked again and again for the time of a proposal, then it rests.
  await floor.pass(31_000)
  assert.equal(ann.order(1).reserved, 0n)
  assert.ok(proposals() >= 10 && proposals() <= 12, `${proposals()}`)
  assert.deepEqual([...ann.funds.reserved.keys()], ['order-1'])
  await floor.stop()
})
