// The wallets as the market has them, over a chain in memory: what is set aside, payments that are made once, and what
// stays with the owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '../../../../../src/chapters/wallets/service/wallets-api.ts'
import { Wallets } from '../../../../../src/chapters/wallets/service/wallets.ts'
import { chainTag } from '../../../../../src/chapters/wallets/core/assets.ts'
import { MemoryEvmServer } from '../../kit/memory-evm-server.ts'
import { MemoryWalletFiles } from '../../kit/memory-wallet-files.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const COIN = 'TETH'
const ETHER = 10n ** 18n
/** Of one transfer at the price of the server. */
const FEE = 21_000n * 2_000_000_000n
const Deposit = '0x52908400098527886E0F7030069857D2E4169EE7'
const OTHER = '0xde709f2102306220921060314715629080e2fb77'
const COST = { N: 2, r: 1, p: 1 }

/** Wallets with ten ether of this chain. */
async function rich() {
  const clock = new VirtualClock()
  const files = new MemoryWalletFiles()
  const server = new MemoryEvmServer()
  const limits = { transferLimits: [] as string[], dayLimits: [] as string[] }
  const open = async (): Promise<Wallets> => {
    const settings = { server: () => 'http://127.0.0.1:1', network: () => 'regtest', chainId: () => 31337, ...limits }
    const wallets = new Wallets(
      {
        clock,
        random: new SeededRandom(7),
        log: silentLog,
        files,
        makeRpc: () => server,
        settings: () => ({ ...settings, ...limits }),
      },
      COST,
    )
    await wallets.start()
    return wallets
  }
  const wallets = await open()
  await wallets.create(COIN, 'password', null)
  server.give(wallets.market.receiveAddress(COIN), 10n * ETHER)
  await wallets.market.refresh()
  return { clock, files, server, wallets, market: wallets.market, limits, open }
}

const free = ({ market }: { market: Wallets['market'] }) => market.of(COIN)?.free
const actions = async (wallets: Wallets) =>
  (await wallets.audit(100)).map(({ action, outcome }: AuditRecord) => `${action} ${outcome}`)
const pay = (amount: bigint, key: string, reservation: string | null = null) => {
  return { coin: COIN, destination: Deposit, amount, key, reservation } as const
}

test('what is set aside is free no more; a transfer that would eat of it says so and is not made', async () => {
  const all = await rich()
  const { market, wallets, server } = all
  assert.deepEqual([market.of('TBTC'), market.of(COIN)?.unlocked, free(all)], [null, true, 10n * ETHER])
  assert.deepEqual(market.of(COIN)?.asset, { coin: COIN, chain: chainTag(COIN, '31337') })
  market.reserve('order-1', COIN, 6n * ETHER)
  market.reserve('order-2', COIN, ETHER)
  assert.deepEqual([free(all), market.of(COIN)?.available], [3n * ETHER, 10n * ETHER])
  const balance = await wallets.balance(COIN)
  assert.deepEqual([balance.available_exact, balance.reserved_exact, balance.reserved], ['10', '7', 7])
  assert.equal((await wallets.list()).find(({ identifier }) => identifier === COIN)?.balance.reserved_exact, '7')
  await assert.rejects(wallets.transfer(COIN, { amount: 3, destination: OTHER }), {
    code: 'InsufficientFunds',
    message: /3\.000042 TETH are needed with the fee, 3 of 10 are free: 7 are set aside for orders on the market/,
  })
  assert.deepEqual(server.sent, [])
  await wallets.transfer(COIN, { amount: '2.9', destination: OTHER })
  market.release('order-2')
  await wallets.transfer(COIN, { amount: 1, destination: OTHER })
  assert.equal(server.sent.length, 2)
  await wallets.stop()
})

test('no more can be set aside than is free, unless it takes the place of what there was', async () => {
  const all = await rich()
  const { market } = all
  market.reserve('order-1', COIN, 8n * ETHER)
  assert.throws(() => market.reserve('order-2', COIN, 3n * ETHER), {
    code: 'InsufficientFunds',
    message: /3 TETH are needed with fees, 10 are available, of which 8 are set aside/,
  })
  market.reserve('order-1', COIN, 10n * ETHER)
  assert.equal(free(all), 0n)
  market.reserve('order-1', COIN, 2n * ETHER)
  market.reserve('order-2', COIN, 3n * ETHER)
  assert.equal(free(all), 5n * ETHER)
  assert.throws(() => market.reserve('order-3', 'BTC', 1n), { code: 'WalletNotCreated' })
  await all.wallets.stop()
})

test('a payment comes out of what was set aside for it, and of nothing else', async () => {
  const all = await rich()
  const { market, wallets, server } = all
  market.reserve('order-1', COIN, 6n * ETHER)
  market.reserve('order-2', COIN, 3n * ETHER)
  await assert.rejects(market.pay(pay(8n * ETHER, 'swap-0', 'order-1')), { code: 'InsufficientFunds' })
  await assert.rejects(market.pay(pay(2n * ETHER, 'swap-0')), { code: 'InsufficientFunds' })
  // What its order does not cover comes from what is free.
  const { fee } = await market.pay(pay(4n * ETHER, 'swap-1', 'order-1'))
  assert.equal(fee, FEE)
  assert.deepEqual([market.of(COIN)?.available, free(all)], [6n * ETHER - FEE, ETHER])
  const balance = await wallets.balance(COIN)
  assert.equal(balance.reserved_exact, '4.999958')
  await market.pay(pay(2n * ETHER + ETHER / 2n, 'swap-2', 'order-1'))
  assert.deepEqual([(await wallets.balance(COIN)).reserved_exact, server.sent.length], ['3', 2])
  server.mine()
  assert.equal(server.balanceOf(Deposit), 6n * ETHER + ETHER / 2n)
  assert.deepEqual(await actions(wallets), [
    'create done',
    ...['market payment InsufficientFunds', 'market payment InsufficientFunds'],
    ...['market payment signed', 'market payment done', 'market payment signed', 'market payment done'],
  ])
  await wallets.stop()
})

test('nobody ever sees funds missing twice while a payment is made', async () => {
  const all = await rich()
  const { market, wallets } = all
  market.reserve('order-1', COIN, 9n * ETHER)
  const seen: (bigint | undefined)[] = []
  market.watch(() => seen.push(free(all)))
  await market.pay(pay(8n * ETHER, 'swap-1', 'order-1'))
  assert.ok(seen.length > 0)
  assert.deepEqual(new Set(seen), new Set([ETHER]))
  await wallets.stop()
})

test('what the chain refuses is set aside again', async () => {
  const all = await rich()
  const { market, wallets, server } = all
  market.reserve('order-1', COIN, 5n * ETHER)
  server.refuses = 'too busy'
  await assert.rejects(market.pay(pay(4n * ETHER, 'swap-1', 'order-1')), { code: 'TransferRefused' })
  assert.deepEqual([free(all), (await wallets.balance(COIN)).reserved_exact], [5n * ETHER, '5'])
  server.refuses = ''
  await market.pay(pay(4n * ETHER, 'swap-1', 'order-1'))
  assert.equal(free(all), 5n * ETHER)
  await wallets.stop()
})

test('a key is one payment: twice at once, after a restart, while locked; another payment is refused', async () => {
  const all = await rich()
  const { market, wallets, server, open } = all
  const twice = await Promise.all([market.pay(pay(ETHER, 'swap-1')), market.pay(pay(ETHER, 'swap-1'))])
  assert.deepEqual([twice[0], server.sent], [twice[1], [twice[0].txid]])
  await wallets.stop()
  const again = await open()
  assert.equal(again.market.of(COIN)?.unlocked, false)
  assert.deepEqual(await again.market.pay(pay(ETHER, 'swap-1')), twice[0])
  await assert.rejects(again.market.pay(pay(2n * ETHER, 'swap-1')), { code: 'StateConflict' })
  await assert.rejects(again.market.pay({ ...pay(ETHER, 'swap-1'), destination: OTHER }), { code: 'StateConflict' })
  await assert.rejects(again.market.pay(pay(ETHER, 'swap-2')), { code: 'WalletLocked' })
  assert.equal(server.sent.length, 1)
  await again.stop()
})

test('keys of owners are not those of the market, and the fee of its payments stays', async () => {
  const { market, wallets, server } = await rich()
  const order = { amount: 1, destination: Deposit }
  await assert.rejects(wallets.transfer(COIN, { ...order, idempotency_key: 'market:swap-1' }), {
    code: 'InvalidParameter',
  })
  await wallets.transfer(COIN, { ...order, idempotency_key: 'swap-1' })
  const { txid } = await market.pay(pay(ETHER, 'swap-1'))
  assert.equal(server.sent.length, 2)
  await assert.rejects(wallets.raiseFee(COIN, txid, {}), { code: 'StateConflict', message: /a swap builds on it/ })
  await wallets.raiseFee(COIN, server.sent[0] ?? '', {})
  assert.equal(server.sent.length, 3)
  await wallets.stop()
})

test('a raised fee does not eat of what is set aside either', async () => {
  const { market, wallets, server } = await rich()
  const { txid } = await wallets.transfer(COIN, { amount: 5, destination: OTHER })
  market.reserve('order-1', COIN, 5n * ETHER - FEE)
  await assert.rejects(wallets.raiseFee(COIN, txid, {}), { code: 'InsufficientFunds', message: /set aside/ })
  market.release('order-1')
  await wallets.raiseFee(COIN, txid, {})
  assert.equal(server.sent.length, 2)
  await wallets.stop()
})

test('limits hold for the market too, and a locked wallet pays nothing', async () => {
  const { market, wallets, limits } = await rich()
  limits.transferLimits = ['TETH=2']
  await assert.rejects(market.pay(pay(2n * ETHER, 'swap-1')), { code: 'SpendLimitReached' })
  limits.dayLimits = ['TETH=3']
  await market.pay(pay(ETHER, 'swap-1'))
  await market.pay(pay(ETHER, 'swap-2'))
  await assert.rejects(market.pay(pay(ETHER, 'swap-3')), { code: 'SpendLimitReached' })
  limits.dayLimits = []
  await wallets.lock(COIN)
  await assert.rejects(market.pay(pay(ETHER, 'swap-3')), { code: 'WalletLocked' })
  await wallets.stop()
})

test('a server that does not answer: the payment is made, and sent when it answers again', async () => {
  const { market, wallets, server, clock } = await rich()
  const down = market.pay(pay(ETHER, 'swap-1'))
  const call = server.call.bind(server)
  server.call = (method, parameters) => {
    if (method === 'eth_sendRawTransaction') server.down = true
    return call(method, parameters)
  }
  const { txid } = await down
  assert.deepEqual(server.sent, [])
  server.call = call
  server.down = false
  await clock.advance(31_000)
  assert.deepEqual(server.sent, [txid])
  await wallets.stop()
})

test('a full disk: a clear error, nothing is sent, what was set aside stays so', async () => {
  for (const name of [/audit/, /teth/]) {
    const all = await rich()
    const { market, wallets, server, files, clock } = all
    market.reserve('order-1', COIN, 5n * ETHER)
    files.full(name)
    await assert.rejects(market.pay(pay(ETHER, 'swap-1', 'order-1')), { code: 'DiskFull' })
    await assert.rejects(wallets.transfer(COIN, { amount: 1, destination: OTHER }), { code: 'DiskFull' })
    assert.deepEqual([free(all), market.of(COIN)?.available], [5n * ETHER, 10n * ETHER])
    files.before = () => undefined
    await clock.advance(31_000)
    assert.deepEqual(server.sent, [])
    await market.pay(pay(ETHER, 'swap-1', 'order-1'))
    assert.equal(server.sent.length, 1)
    await wallets.stop()
  }
})

test('who follows hears of locks, balances and what is set aside, and of nothing else', async () => {
  const { market, wallets, server, clock } = await rich()
  const heard: string[] = []
  const end = market.watch(coin => {
    const { unlocked, free: left = 0n } = market.of(coin) ?? {}
    heard.push(`${coin} ${unlocked === true ? 'open' : 'locked'} ${left / ETHER}`)
  })
  // Who fails hinders nobody.
  market.watch(() => {
    throw new Error('a broken follower')
  })
  const news = () => heard.splice(0)
  await clock.advance(31_000)
  assert.deepEqual(news(), [])
  await wallets.lock(COIN)
  assert.deepEqual(news(), ['TETH locked 10'])
  await wallets.unlock(COIN, { password: 'password', seconds: 5 })
  await wallets.unlock(COIN, { password: 'password', seconds: 5 })
  assert.deepEqual(news(), ['TETH open 10'])
  await clock.advance(6_000)
  assert.deepEqual(news(), ['TETH locked 10'])
  server.give(market.receiveAddress(COIN), ETHER)
  await clock.advance(31_000)
  assert.deepEqual(news(), ['TETH locked 11'])
  market.reserve('order-1', COIN, 2n * ETHER)
  market.release('order-1')
  market.release('order-1')
  assert.deepEqual(news(), ['TETH locked 9', 'TETH locked 11'])
  server.down = true
  await clock.advance(31_000)
  assert.deepEqual([news(), market.of(COIN)?.problem], [['TETH locked 11'], 'Nobody answers.'])
  server.down = false
  await clock.advance(31_000)
  assert.deepEqual(news(), ['TETH locked 11'])
  end()
  await wallets.unlock(COIN, { password: 'password', seconds: 5 })
  assert.deepEqual(news(), [])
  await wallets.stop()
})

test('funds that vanish show as less than nothing', async () => {
  const all = await rich()
  const { market, wallets, server, clock } = all
  market.reserve('order-1', COIN, 9n * ETHER)
  // Spent with the same seed elsewhere.
  server.give(market.receiveAddress(COIN), -4n * ETHER)
  await clock.advance(31_000)
  assert.equal(free(all), -3n * ETHER)
  await wallets.stop()
})

test('an order wants the spend key where one is demanded, and is noted', async () => {
  const { market, wallets } = await rich()
  await market.admitOrder(COIN, undefined)
  await wallets.setSpendKey({ password: 'password', spend_key: 'a spend key' })
  await assert.rejects(market.admitOrder(COIN, undefined), { code: 'SpendKeyMissing' })
  await assert.rejects(market.admitOrder(COIN, 'another'), { code: 'SpendKeyMissing' })
  await market.admitOrder(COIN, 'a spend key')
  await assert.rejects(wallets.transfer(COIN, { amount: 1, destination: OTHER }), { code: 'SpendKeyMissing' })
  // The order gave it for its payments.
  await market.pay(pay(ETHER, 'swap-1'))
  assert.deepEqual(
    (await actions(wallets)).filter(line => line.startsWith('market order')),
    [...['market order done', 'market order SpendKeyMissing', 'market order SpendKeyMissing', 'market order done']],
  )
  await wallets.stop()
})

test('what a payment costs, the least that can be paid, and an address of ours', async () => {
  const { market, wallets } = await rich()
  assert.deepEqual([await market.paymentFee(COIN), market.least(COIN)], [FEE, 1n])
  assert.match(market.receiveAddress(COIN), /^0x[0-9a-fA-F]{40}$/)
  assert.throws(() => market.least('LTC'), { code: 'WalletNotCreated' })
  await wallets.create('TLTC', 'password', null)
  assert.deepEqual([market.least('TLTC'), market.of('TLTC')?.asset.chain], [5_460n, chainTag('TLTC', 'regtest')])
  await wallets.stop()
})
