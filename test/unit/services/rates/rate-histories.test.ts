// The rates of all downloads: what is in memory, what is written when, and what goes with a download.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '../../../../src/base/errors.ts'
import type { InfoHash } from '../../../../src/base/ids.ts'
import type { RateRecords } from '../../../../src/ports/records.ts'
import { IDLE_MS, RateHistories, WRITE_MS } from '../../../../src/services/rates/rate-histories.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const hash = (n: number): InfoHash => n.toString(16).padStart(40, '0') as InfoHash

/** The store in memory, which can fail or answer late. */
class MemoryRates implements RateRecords {
  readonly rows = new Map<InfoHash, Uint8Array>()
  readonly reads: number[] = []
  readonly writes: number[] = []
  failing = false
  held: Promise<void> = Promise.resolve()

  async read(infoHashes: readonly InfoHash[]): Promise<(Uint8Array | null)[]> {
    this.reads.push(infoHashes.length)
    await this.held
    if (this.failing) throw new AppError('DiskError')
    return infoHashes.map(infoHash => this.rows.get(infoHash) ?? null)
  }

  async write(rows: readonly (readonly [InfoHash, Uint8Array])[]): Promise<void> {
    if (this.failing) throw new AppError('DiskError')
    this.writes.push(rows.length)
    for (const [infoHash, sums] of rows) this.rows.set(infoHash, sums)
  }
}

function serviceOf(store = new MemoryRates(), clock = new VirtualClock()) {
  const rates = new RateHistories({
    clock,
    log: SILENT as never,
    downloads: {
      record: infohash => {
        if (infohash === 'gone') throw new AppError('DownloadNotFound')
        return Promise.resolve({ infohash } as never)
      },
    },
  })
  rates.start(store)
  return { rates, store, clock }
}

/** Moves time, and lets what that began go on. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  await clock.advance(ms)
  for (let turns = 0; turns < 200; turns++) await turn()
}

/** The last number of what came in, and the sum of all. */
async function downOf(rates: RateHistories, n: number, range: 'hour' | 'day' | 'month' = 'hour') {
  const { speed_down: down } = await rates.of(hash(n), range)
  return [down.at(-1), down.reduce((all, each) => all + each, 0)]
}

test('rates are there at once, over a restart too, and added to what the store had', async () => {
  const { rates, store, clock } = serviceOf()
  await pass(clock, 5000)
  rates.moved([{ infoHash: hash(1), down: 5000, up: 0 }])
  assert.deepEqual(await downOf(rates, 1), [1000, 1000])
  await rates.stop()
  assert.equal(store.rows.size, 1)
  const again = serviceOf(store, clock)
  assert.deepEqual(await downOf(again.rates, 1), [1000, 1000], 'of the store alone')
  assert.equal(again.rates.size, 0, 'who asks makes no history')
  await pass(clock, 5000)
  again.rates.moved([{ infoHash: hash(1), down: 10_000, up: 0 }])
  assert.deepEqual(await downOf(again.rates, 1), [1500, 1500])
  await pass(clock, 1000)
  assert.deepEqual(await downOf(again.rates, 1), [1500, 1500], 'merged once')
  await assert.rejects(again.rates.of('gone', 'hour'), { code: 'DownloadNotFound' })
})

test('downloads that rest cost nothing: no history in memory, no read, no write', async () => {
  const { rates, store, clock } = serviceOf()
  for (let passes = 0; passes < 1000; passes++) rates.moved([])
  await pass(clock, 3 * WRITE_MS)
  assert.deepEqual([rates.size, store.reads.length, store.writes.length], [0, 0, 0])
  rates.moved([{ infoHash: hash(1), down: 1, up: 1 }])
  await pass(clock, WRITE_MS)
  assert.deepEqual([rates.size, store.writes], [1, [1]])
  await pass(clock, IDLE_MS + WRITE_MS)
  assert.deepEqual([rates.size, store.writes], [0, [1]], 'an hour later it is let go, and not written again')
})

test('thousands are read and written in small groups, each once', async () => {
  const { rates, store, clock } = serviceOf()
  await pass(clock, 5000)
  rates.moved(Array.from({ length: 5000 }, (_, n) => ({ infoHash: hash(n), down: 0, up: 5000 })))
  await pass(clock, WRITE_MS)
  assert.ok(store.reads.length <= 51 && Math.max(...store.reads) <= 100, `${store.reads}`)
  assert.ok(store.writes.length <= 51 && Math.max(...store.writes) <= 100, `${store.writes}`)
  assert.equal(store.rows.size, 5000)
})

test('a removed download takes its history with it, also one that is being written or read', async () => {
  const { rates, store, clock } = serviceOf()
  let release: () => void = () => undefined
  store.held = new Promise(resolve => {
    release = resolve
  })
  store.rows.set(hash(1), Buffer.from('of one that was removed'))
  await pass(clock, 5000)
  rates.moved([{ infoHash: hash(1), down: 5000, up: 0 }])
  await pass(clock, 0)
  rates.forget(hash(1))
  store.rows.clear()
  release()
  await rates.stop()
  assert.deepEqual([rates.size, store.rows.size], [0, 0])
})

test('a store that fails loses nothing: what moved is written later, and never over what could not be read', async () => {
  const { rates, store, clock } = serviceOf()
  await pass(clock, 5000)
  rates.moved([{ infoHash: hash(1), down: 5000, up: 0 }])
  await pass(clock, 1000)
  await rates.stop()
  const again = serviceOf(store, clock)
  store.failing = true
  await pass(clock, 5000)
  again.rates.moved([{ infoHash: hash(1), down: 5000, up: 0 }])
  await pass(clock, WRITE_MS)
  await assert.rejects(again.rates.of(hash(1), 'day'), { code: 'DiskError' })
  store.failing = false
  await pass(clock, WRITE_MS)
  assert.equal(store.writes.length, 2, 'one of each run')
  const { speed_down: down } = await serviceOf(store, clock).rates.of(hash(1), 'day')
  assert.equal(down.filter(rate => rate > 0).length > 0, true)
  const total = down.reduce((all, each) => all + each * 600, 0)
  assert.ok(Math.abs(total - 10_000) < 700, `${total} of 10,000 bytes`)
})
