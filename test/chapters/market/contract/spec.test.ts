// The market of a built node without a chain: what each row of 4.7 answers while there is nothing, and what it refuses,
// in the order in which it can be mended.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { MARKET_ROUTES } from '../kit/spec-routes.ts'
import { type Answer, askRoute, assertRefused, send } from '../../../contract/spec/rig.ts'
import { assertValue } from '../../../contract/spec/shapes.ts'

const NOBODY = 'http://127.0.0.1:9'
const PASSWORD = 'right'
const ORDER = { price: 0.005, quantity: 2, price_type: 'TBTC', quantity_type: 'TLTC' } as const
const TRADER = 'ab'.repeat(20)

let node: NodeProcess
before(async () => {
  const servers = Object.fromEntries(['tbtc', 'tltc', 'teth'].map(id => [`wallets.${id}_server`, NOBODY]))
  node = await startNode({ settings: { ...servers, 'ipv8.enabled': false } })
})
after(() => node.stop())

function put(side: 'asks' | 'bids', order: object): Promise<Answer> {
  return send(node, 'PUT', `/market/${side}`, JSON.stringify(order))
}

async function codes(order: object, status: number): Promise<string> {
  const [ask, bid] = [await put('asks', order), await put('bids', order)]
  const code = assertRefused(ask, status, JSON.stringify(order))
  assert.equal(assertRefused(bid, status, JSON.stringify(order)), code)
  return code
}

test('rows that read answer with their shapes, and with empty lists', async () => {
  for (const route of MARKET_ROUTES.filter(({ method }) => method === 'GET')) {
    const answer = await askRoute(node, route, route.path)
    assert.equal(answer.status, 200, route.path)
    if ('json' in route.answer) assertValue(answer.json(), route.answer.json, route.path)
    const { network, ...lists } = answer.json() as Record<string, unknown>
    assert.deepEqual(Object.values(lists), [[]], route.path)
    const off = { state: 'off', peers: 0, setting: 'ipv8.enabled', problem: '' }
    assert.deepEqual(network, route.path === '/market/asks' ? off : undefined, route.path)
  }
})

test('no row is opened without a key, from another page or by a rebound name', async () => {
  for (const { method, path } of MARKET_ROUTES) {
    const ask = (headers: Record<string, string>) =>
      send(node, method, path, method === 'GET' ? null : '{}', { headers })
    assert.equal(assertRefused(await ask({ 'x-api-key': '' }), 401, path), 'Unauthorized')
    assert.equal(assertRefused(await ask({ host: 'rebound.example' }), 403, path), 'ForeignHost')
    if (method === 'GET') continue
    const forms = { origin: `http://127.0.0.1:${node.port + 1}`, 'content-type': 'text/plain' }
    assert.equal(assertRefused(await ask(forms), 403, path), 'ForeignOrigin')
  }
})

test('an order says what is missing, unknown, the same twice or no amount', async () => {
  for (const name of Object.keys(ORDER)) {
    const { [name as 'price']: _left, ...rest } = ORDER
    assert.equal(await codes(rest, 400), 'MissingParameter', name)
  }
  assert.equal(await codes({ ...ORDER, price_type: 'DOGE' }, 404), 'UnknownWallet')
  assert.equal(await codes({ ...ORDER, quantity_type: 'MB' }, 404), 'UnknownWallet')
  assert.equal(await codes({ ...ORDER, quantity_type: 'tbtc' }, 400), 'InvalidParameter')
  for (const name of ['price', 'quantity']) {
    for (const amount of [0, -1, 'NaN', 'Infinity', '1e400', true, [1], 1e-300]) {
      assert.equal(await codes({ ...ORDER, [name]: amount }, 400), 'InvalidParameter', `${name} ${String(amount)}`)
    }
    for (const amount of ['0', '-1', 'NaN', '0x10', '1e3', '1,5', '0.000000001', '1.2.3', '9'.repeat(31)]) {
      assert.equal(await codes({ ...ORDER, [`${name}_exact`]: amount }, 400), 'InvalidParameter', `${name} ${amount}`)
    }
  }
  // More digits than a number holds exactly.
  assert.equal(await codes({ ...ORDER, quantity: 0.1234567890123456 }, 400), 'InvalidParameter')
  for (const timeout of [0, -1, 86_401, 1.5, 'soon']) {
    assert.equal(await codes({ ...ORDER, timeout }, 400), 'InvalidParameter', `timeout ${timeout}`)
  }
  assert.equal(await codes({ ...ORDER, idempotency_key: 'k'.repeat(129) }, 400), 'InvalidParameter')
})

test('wallets that are not created are named; then dust is refused, then an empty or locked wallet', async () => {
  assert.equal(await codes(ORDER, 400), 'WalletNotCreated')
  for (const id of ['TBTC', 'TLTC', 'TETH']) {
    const made = await send(node, 'PUT', `/wallets/${id}`, JSON.stringify({ password: PASSWORD }))
    assert.equal(made.status, 200, made.body.toString())
  }
  // 2 TLTC at 0.000001 are 200 satoshi: no output of the chain carries that.
  assert.equal(await codes({ ...ORDER, price: 0.000001 }, 400), 'InvalidParameter')
  assert.equal(await codes({ ...ORDER, quantity: 0.00000001, price: 1e6 }, 400), 'InvalidParameter')
  const locked = await send(node, 'POST', '/wallets/TLTC/lock', null)
  assert.equal(locked.status, 200)
  assert.equal(assertRefused(await put('asks', ORDER), 403, 'locked'), 'WalletLocked')
  const unlocked = await send(node, 'POST', '/wallets/TLTC/unlock', JSON.stringify({ password: PASSWORD }))
  assert.equal(unlocked.status, 200)
  // The server of the chain cannot be asked, and nothing was ever seen there.
  for (const side of ['asks', 'bids'] as const) {
    const answer = await put(side, ORDER)
    const code = assertRefused(answer, answer.status, side)
    assert.ok(['InsufficientFunds', 'WalletServerFailed'].includes(code), code)
  }
  const { orders } = await node.get<{ orders: unknown[] }>('/market/orders')
  assert.deepEqual(orders, [])
})

test('an order with the spend key missing is refused', async () => {
  const key = { password: PASSWORD, new_key: 'battery staple' }
  assert.equal((await send(node, 'PUT', '/wallets/seed/spendkey', JSON.stringify(key))).status, 200)
  assert.equal(await codes(ORDER, 403), 'SpendKeyMissing')
  assert.equal(await codes({ ...ORDER, spend_key: 'another one' }, 403), 'SpendKeyMissing')
  const answer = await put('asks', { ...ORDER, spend_key: key.new_key })
  assert.notEqual(assertRefused(answer, answer.status, 'with the key'), 'SpendKeyMissing')
})

test('orders and transactions that are not there', async () => {
  for (const number of ['7', '0', '-1', 'x', '1.5', '99999999999']) {
    const cancelled = await send(node, 'POST', `/market/orders/${number}/cancel`, null)
    assert.equal(assertRefused(cancelled, 404, number), 'OrderNotFound')
    const explained = await send(node, 'GET', `/market/orders/${number}/explain`, null)
    assert.equal(assertRefused(explained, 404, number), 'OrderNotFound')
    const paid = await send(node, 'GET', `/market/transactions/${TRADER}/${number}/payments`, null)
    assert.equal(assertRefused(paid, 404, number), 'TransactionNotFound')
  }
})

test('a form is read as JSON is, as older clients send it', async () => {
  const body = 'price=0.000001&price_type=TBTC&quantity=2.000000&quantity_type=TLTC'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await send(node, 'PUT', '/market/asks', body, { headers })
  assert.equal(assertRefused(answer, 400, 'form'), 'InvalidParameter')
  assert.match(answer.body.toString(), /0\.000002 TBTC/)
})

test('a market that is off reads, and takes no orders', async () => {
  const off = await startNode({ settings: { 'market_community.enabled': false } })
  try {
    assert.deepEqual(await off.get('/market/orders'), { orders: [] })
    const answer = await send(off, 'PUT', '/market/asks', JSON.stringify(ORDER))
    assert.equal(assertRefused(answer, 409, 'off'), 'MarketOff')
  } finally {
    await off.stop()
  }
})
