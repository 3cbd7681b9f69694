// The market's service before it is loaded: at first use, or with the node where there is something of an earlier run;
// off it still shows.

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { LateMarketDeps, RunningMarket } from '../../../../../src/chapters/market/wiring/market-parts.ts'
import { type EarlyMarketDeps, MarketServices } from '../../../../../src/chapters/market/wiring/market-services.ts'
import { marketDouble } from '../../kit/service-double.ts'
import { makeTestFolder } from '../../../../kit/content/content-on-disk.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

const ORDER = { price: 1, quantity: 1, price_type: 'TBTC', quantity_type: 'TLTC' }

async function rig(t: { after(run: () => Promise<void>): void }, files: readonly string[], enabled = true) {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  if (files.length > 0) await mkdir(path.join(folder.path, 'market'))
  for (const name of files) await writeFile(path.join(folder.path, 'market', name), 'x')
  const calls: unknown[] = []
  const facts = { starts: 0, stops: 0, failures: 0 }
  const running: RunningMarket = {
    service: marketDouble(call => void calls.push(call)),
    stop: () => {
      facts.stops++
      return Promise.resolve()
    },
  }
  const startMarket = (): Promise<RunningMarket> => {
    facts.starts++
    return facts.failures-- > 0 ? Promise.reject(new AppError('DiskError')) : Promise.resolve(running)
  }
  const deps = { stateDir: folder.path, log: silentLog, settings: () => ({ market_community: { enabled } }) }
  const services = new MarketServices(deps as unknown as EarlyMarketDeps, () => Promise.resolve({ startMarket }))
  return { services, facts, calls, late: {} as LateMarketDeps }
}

test('nothing is loaded until somebody asks; before the node has started it is not ready', async t => {
  const { services, facts, calls, late } = await rig(t, [])
  await assert.rejects(services.service.asks(), { code: 'NotReady' })
  await services.start(late)
  assert.equal(facts.starts, 0)
  await Promise.all([services.service.asks(), services.service.orders()])
  assert.deepEqual([facts.starts, calls], [1, ['asks', 'orders']])
  await services.stop(1000)
  assert.equal(facts.stops, 1)
  await assert.rejects(services.service.asks(), { code: 'NotReady' })
})

test('with orders or swaps of an earlier run it starts with the node, also when it is off; with a key alone it does not', async t => {
  for (const [files, starts] of [
    [['orders'], 1],
    [['node.key', `swap-${'ab'.repeat(16)}`], 1],
    [['node.key'], 0],
  ] as const) {
    const { services, facts, late } = await rig(t, files, false)
    await services.start(late)
    assert.equal(facts.starts, starts, files.join())
    await services.stop(1000)
  }
})

test('a start that failed is tried again with the next request', async t => {
  const { services, facts, late } = await rig(t, ['orders'])
  facts.failures = 2
  await services.start(late)
  await assert.rejects(services.service.orders(), { code: 'DiskError' })
  assert.equal((await services.service.orders()).length, 1)
  assert.equal(facts.starts, 3)
})

test('a market that is off places nothing, and still shows and cancels', async t => {
  const { services, calls, late } = await rig(t, [], false)
  await services.start(late)
  await assert.rejects(services.service.placeAsk(ORDER), { code: 'MarketOff' })
  await assert.rejects(services.service.placeBid(ORDER), { code: 'MarketOff' })
  await services.service.cancel(1)
  await services.service.transactions()
  assert.deepEqual(calls, ['cancelOrder', 'marketTransactions'])
})
