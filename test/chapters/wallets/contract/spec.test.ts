// Wallets of a built node without a chain: listed as not created with the reason, created where a server is set, and
// what each row of 4.8 refuses.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { askRoute, assertRefused, send } from '../../../contract/spec/rig.ts'
import { assertValue, type Json } from '../../../contract/spec/shapes.ts'
import { WALLET_ROUTES } from '../kit/spec-routes.ts'

let node: NodeProcess
before(async () => {
  // Nobody answers there.
  node = await startNode({ settings: { 'wallets.tbtc_server': 'http://user:hidden@127.0.0.1:9' } })
})
after(() => node.stop())

test('every wallet is listed as not created, and says why', async () => {
  const { wallets } = await node.get<{ wallets: Json[] }>('/wallets')
  assert.deepEqual(
    wallets.map(({ identifier, created, address }) => [identifier, created, address]),
    ['BTC', 'TBTC', 'LTC', 'TLTC', 'ETH', 'TETH'].map(id => [id, false, '']),
  )
  assert.match(String(wallets[0]?.['problem']), /wallets\.btc_server/)
  assert.match(String(wallets[1]?.['problem']), /PUT \/wallets\/TBTC/)
})

test('rows that read answer with their shapes, also of wallets that are not created; unknown ones are 404', async () => {
  for (const route of WALLET_ROUTES.filter(({ method }) => method === 'GET')) {
    const answer = await askRoute(node, route, route.path.replace('{identifier}', 'ltc'))
    assert.equal(answer.status, 200, route.path)
    if ('json' in route.answer) assertValue(answer.json(), route.answer.json, route.path)
    if (!route.path.includes('{')) continue
    const unknown = await askRoute(node, route, route.path.replace('{identifier}', 'DOGE'))
    assert.equal(assertRefused(unknown, 404, route.path), 'UnknownWallet')
  }
})

test('no row is opened without a key, from another page or by a rebound name', async () => {
  for (const { method, path } of WALLET_ROUTES) {
    const target = path.replace('{identifier}', 'TBTC')
    const ask = (headers: Record<string, string>) =>
      send(node, method, target, method === 'GET' ? null : '{}', { headers })
    assert.equal(assertRefused(await ask({ 'x-api-key': '' }), 401, path), 'Unauthorized')
    assert.equal(assertRefused(await ask({ host: 'rebound.example' }), 403, path), 'ForeignHost')
    if (method === 'GET') continue
    const forms = { origin: `http://127.0.0.1:${node.port + 1}`, 'content-type': 'text/plain' }
    assert.equal(assertRefused(await ask(forms), 403, path), 'ForeignOrigin')
  }
})

test('creating and transferring refuse what is wrong, in the order in which it can be mended', async () => {
  const put = (id: string, body: object) => send(node, 'PUT', `/wallets/${id}`, JSON.stringify(body))
  const pay = (id: string, body: object) => send(node, 'POST', `/wallets/${id}/transfer`, JSON.stringify(body))
  const order = { amount: 1, destination: 'x' }
  assert.equal(assertRefused(await pay('TBTC', order), 400, 'transfer'), 'WalletNotCreated')
  assert.equal(assertRefused(await put('TBTC', {}), 400, 'no password'), 'MissingParameter')
  assert.equal(assertRefused(await put('LTC', { password: 'right' }), 409, 'no server'), 'NoWalletServer')
  const made = await put('tbtc', { password: 'right' })
  assert.equal(made.status, 200, made.body.toString())
  assert.equal(String(made.json()['seed_words']).split(' ').length, 24)
  assert.equal(assertRefused(await put('TBTC', { password: 'right' }), 409, 'again'), 'WalletExists')
  await node.request('POST', '/settings', { wallets: { eth_server: 'http://127.0.0.1:9' } })
  assert.equal(assertRefused(await put('ETH', { password: 'wrong' }), 403, 'another password'), 'WrongPassword')
  const second = await put('ETH', { password: 'right' })
  assert.deepEqual([second.status, second.json()], [200, { created: true }])
  for (const amount of [0, -1, 'NaN', true, [1], '1e400']) {
    const code = assertRefused(await pay('TBTC', { ...order, amount }), 400, JSON.stringify(amount))
    assert.equal(code, 'InvalidParameter', JSON.stringify(amount))
  }
  assert.equal(assertRefused(await pay('TBTC', { destination: 'x' }), 400, 'no amount'), 'MissingParameter')
  assert.equal(assertRefused(await pay('TBTC', order), 400, 'no address'), 'InvalidAddress')
  const fine = { amount: 1, destination: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }
  assert.equal(assertRefused(await pay('TBTC', fine), 502, 'no answer'), 'WalletServerFailed')
})

test('the address of a server with its password is shown nowhere', async () => {
  const { stdout, stderr } = node.logs()
  const answers = [await send(node, 'GET', '/settings', null), await send(node, 'GET', '/wallets', null)]
  for (const text of [stdout, stderr, ...answers.map(({ body }) => body.toString())])
    assert.doesNotMatch(text, /hidden/)
  const { wallets } = await node.get<{ wallets: Json[] }>('/wallets')
  assert.match(String(wallets[1]?.['problem']), /127\.0\.0\.1:9 cannot be asked/)
})
