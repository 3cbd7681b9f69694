// The overlay of the market in a node: orders are in our book before it runs, a start that failed is tried again,
// settings switch it off.

import type { OverlaysWithDht } from '../../../../../src/chapters/overlay/wiring/overlay-parts.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import { MarketOverlay, type RunningMesh } from '../../../../../src/chapters/market/wiring/market-overlay.ts'
import type { MarketSettings } from '../../../../../src/chapters/market/wiring/settings-market.ts'
import type { MarketNetwork } from '../../../../../src/chapters/market/ports/market-network.ts'
import type { Random } from '../../../../../src/ports/random.ts'
import type { NegotiationMessage } from '../../../../../src/chapters/market/wire/negotiation.ts'
import type { OrderTerms } from '../../../../../src/chapters/market/wire/types.ts'
import { fakeIdentity } from '../../../overlay/kit/fake-keys.ts'
import { BTC, LTC, TestTrader } from '../../kit/market-orders.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const HELLO = { kind: 'funded', id: 'ab'.repeat(16), txid: 'cd'.repeat(32) } as NegotiationMessage

function rig(changes: Partial<Record<'ipv8' | 'market_community', { enabled: boolean }>> = {}, failures = 0) {
  const clock = new VirtualClock()
  const [book, identity] = [new OrderBook(clock), fakeIdentity('us')]
  const calls: string[] = []
  const warned: unknown[] = []
  let opened: unknown
  let hear: Parameters<MarketNetwork['onMessage']>[0] = () => undefined
  const mesh: RunningMesh & { peers: number } = {
    trader: identity.member,
    peers: 3,
    state: terms => {
      calls.push(`state ${terms.number}`)
      return new TestTrader('us').order(terms)
    },
    send: to => {
      calls.push(`send ${to}`)
      return Promise.resolve(true)
    },
    onMessage: heard => {
      hear = heard
      return () => undefined
    },
    close: () => void calls.push('close'),
  }
  const communities = {
    open: (options: unknown) => {
      opened = options
      return {}
    },
  } as unknown as OverlaysWithDht['communities']
  let asked = 0
  const on = { enabled: true }
  const overlay = new MarketOverlay({
    identity,
    book,
    clock,
    random: {} as Random,
    log: { ...silentLog, warn: (...said: unknown[]) => void warned.push(said.at(-1)) },
    peers: { target: 30, most: 80 },
    settings: () => ({ ipv8: on, dispersy: on, market_community: on, ...changes }) as unknown as MarketSettings,
    overlay: {
      withDht: () => {
        if (++asked <= failures) return Promise.reject(new AppError('PortTaken'))
        return Promise.resolve({ communities } as OverlaysWithDht)
      },
    },
    mesh: () => mesh,
  })
  const order = (number: number): OrderTerms => ({
    trader: identity.member,
    number,
    side: 'ask',
    quantityAsset: LTC,
    priceAsset: BTC,
    quantity: 100_000_000n,
    price: 1_000_000n,
    timeMs: clock.wallMs(),
    timeoutS: 60,
  })
  return {
    clock,
    book,
    overlay,
    mesh,
    calls,
    warned,
    order,
    asked: () => asked,
    opened: () => opened,
    hear: () => hear,
  }
}

const STATE = { sequence: 0, status: 'open', remaining: 100_000_000n } as const

test('orders are signed and stand in the book before the overlay runs; nobody can be reached', async () => {
  const { overlay, book, order, clock, calls } = rig()
  assert.equal(overlay.state(order(1), STATE).terms.number, 1)
  assert.equal(book.size, 1)
  assert.deepEqual([overlay.peers, await overlay.send('ab'.repeat(20), HELLO)], [0, false])
  assert.deepEqual(calls, [])
  // Also without an overlay the time of orders goes by.
  await clock.advance(90_000)
  assert.equal(book.size, 0)
  await overlay.stop()
})

test('a start that failed is tried again; then the mesh has everything', async () => {
  const { overlay, clock, calls, asked, opened, hear, order } = rig({}, 2)
  const heard: string[] = []
  const end = overlay.onMessage(from => heard.push(from))
  await overlay.start()
  await clock.advance(10_000)
  assert.equal(asked(), 3)
  assert.deepEqual(
    { ...(opened() as object), communityId: null },
    { communityId: null, name: 'MarketCommunity', targetPeers: 30, maxPeers: 80 },
  )
  assert.deepEqual([overlay.peers, await overlay.send('ab'.repeat(20), HELLO)], [3, true])
  overlay.state(order(7), STATE)
  assert.deepEqual(calls, [`send ${'ab'.repeat(20)}`, 'state 7'])
  hear()('cd'.repeat(20), HELLO)
  assert.deepEqual(heard, ['cd'.repeat(20)])
  end()
  hear()('cd'.repeat(20), HELLO)
  assert.equal(heard.length, 1)
  await overlay.stop()
  assert.equal(calls.at(-1), 'close')
  assert.equal(overlay.peers, 0)
})

test('how it stands: before it runs, after a start that failed, alone, and with others', async () => {
  const none = { peers: 0, setting: '', problem: '' }
  const others = rig({}, 1)
  assert.deepEqual(others.overlay.standing, { ...none, state: 'starting' })
  await others.overlay.start()
  const { state, problem } = others.overlay.standing
  assert.deepEqual([state, problem], ['failed', new AppError('PortTaken').message])
  await others.clock.advance(2_000)
  assert.deepEqual(others.overlay.standing, { ...none, state: 'connected', peers: 3 })
  others.mesh.peers = 0
  assert.deepEqual(others.overlay.standing, { ...none, state: 'alone' })
  await others.overlay.stop()
})

test('between starts that fail it waits twice as long each time, and never over a minute', async () => {
  const { overlay, clock, asked } = rig({}, 99)
  await overlay.start()
  let starts = 1
  for (const waitMs of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    await clock.advance(waitMs - 1)
    assert.equal(asked(), starts, `the next start comes before ${waitMs} ms`)
    await clock.advance(1)
    assert.equal(asked(), ++starts, `no start after ${waitMs} ms`)
  }
  await overlay.stop()
})

test('settings switch it off, and nothing is asked for after the end', async () => {
  const none = { peers: 0, setting: '', problem: '' }
  for (const section of ['ipv8', 'market_community'] as const) {
    const { overlay, asked } = rig({ [section]: { enabled: false } })
    assert.deepEqual(overlay.standing, { ...none, state: 'off', setting: `${section}.enabled` })
    await overlay.start()
    assert.equal(asked(), 0)
    await overlay.stop()
  }
  const { overlay, clock, asked } = rig({}, 9)
  await overlay.start()
  await overlay.stop()
  assert.equal(clock.pending, 0)
  await clock.advance(600_000)
  assert.equal(asked(), 1)
  assert.equal(clock.pending, 0)
})

test('a start that fails for the same reason is logged once (B20)', async () => {
  const { clock, overlay, warned, asked } = rig({}, 1000)
  await overlay.start()
  await clock.advance(600_000)
  assert.ok(asked() > 8)
  assert.equal(warned.length, 1)
  await overlay.stop()
})
