// Commands about the market against a built node without a chain: each reaches its route, amounts go as they were
// typed, and the spend key comes from a file. Open orders are tested in
// test/chapters/market/interop/market-swaps.test.ts.

import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'

const TRADER = 'ab'.repeat(20)

describe('commands about the market', { concurrency: 1 }, () => {
  let node: NodeProcess

  const run = async (code: number, ...args: string[]): Promise<string> => {
    const ended = await runCli(args, { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(ended.code, code, `${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`)
    return code === 0 ? ended.stdout : ended.stderr
  }
  const marketFiles = (): Promise<string[]> => readdir(path.join(node.stateDir, 'market')).catch(() => [])

  before(async () => {
    const servers = { 'wallets.tbtc_server': 'http://127.0.0.1:9', 'wallets.tltc_server': 'http://127.0.0.1:9' }
    node = await startNode({ settings: { ...servers, 'ipv8.enabled': false } })
  })
  after(() => node.stop())

  test('a node that nobody asks for the market has no files of it; looking makes no orders', async () => {
    await node.get('/statistics/tribler')
    assert.deepEqual(await marketFiles(), [])
    assert.match(await run(0, 'market', 'asks'), /^QUANTITY +PRICE +ENDS +STATE +ORDER/)
    assert.match(await run(0, 'market', 'bids'), /^QUANTITY/)
    assert.match(await run(0, 'market', 'orders'), /^ORDER +SIDE +QUANTITY/)
    assert.match(await run(0, 'market', 'transactions'), /^TRADE +ORDER/)
    assert.deepEqual(JSON.parse(await run(0, 'market', 'orders', '--json')), { orders: [] })
    assert.deepEqual(await marketFiles(), ['node.key'])
  })

  test('orders are sent as they were typed, and refusals are shown', async () => {
    const ask = ['market', 'ask', '2', 'TLTC', '0.0125', 'TBTC']
    assert.match(await run(1, ...ask), /The wallet of TLTC is not created: PUT \/wallets\/TLTC/)
    assert.match(await run(1, 'market', 'bid', '2', 'DOGE', '1', 'TBTC'), /There is no wallet of this name/)
    assert.match(await run(1, 'market', 'bid', '2', 'TBTC', '1', 'tbtc'), /cannot be traded for itself/)
    // As a number its last digits would be lost.
    assert.match(await run(1, 'market', 'ask', '0.123456789', 'TLTC', '1', 'TBTC'), /quantity .* 8 decimal places/)
    assert.match(await run(1, ...ask, '--timeout', '90000'), /timeout/)
    assert.match(await run(1, ...ask, '--timeout', 'soon'), /whole number/)
    const secret = path.join(node.stateDir, 'password')
    await writeFile(secret, 'right\n')
    for (const id of ['TLTC', 'TBTC']) await run(0, 'wallets', 'create', id, '--password-file', secret)
    const key = path.join(node.stateDir, 'key')
    await writeFile(key, 'battery staple\n')
    await run(0, 'wallets', 'set-spend-key', '--password-file', secret, '--new-key-file', key)
    assert.match(await run(1, ...ask), /spend key/)
    assert.match(await run(1, ...ask, '--spend-key-file', key), /Insufficient funds|cannot be asked/)
  })

  test('what is not there', async () => {
    assert.match(await run(1, 'market', 'cancel', '7'), /no order of this number/)
    assert.match(await run(1, 'market', 'explain', '7'), /no order of this number/)
    assert.match(await run(1, 'market', 'payments', TRADER, '7'), /no such transaction/)
    assert.match(await run(1, 'market', 'fees', 'TLTC', 'TBTC', '--quantity', '0'), /quantity is not valid/)
    assert.match(await run(1, 'market', 'fees', 'TLTC', 'TBTC'), /cannot be asked|does not answer/)
  })
})
