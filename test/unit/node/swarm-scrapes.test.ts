// The DHT's word on a swarm: zero is not its answer where there is no node to ask.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { swarmScrapes } from '../../../src/node/engine/swarm-scrapes.ts'

const infoHash = parseInfoHash('1'.repeat(40))
const trackers = { ask: () => Promise.resolve(new Map()) }

test('a DHT that knows nodes tells; one that knows none, or is off, does not', async () => {
  assert.ok(infoHash)
  let asked = 0
  const dht = (good: number) => ({
    scrape: () => {
      asked++
      return Promise.resolve({ seeds: 3, peers: 4, nodes: 8 })
    },
    stats: () => ({ nodes: good, good, 4: null, 6: null }),
  })
  assert.deepEqual(await swarmScrapes(trackers, dht(2)).dht(infoHash), { seeders: 3, leechers: 4 })
  assert.equal(await swarmScrapes(trackers, dht(0)).dht(infoHash), null)
  assert.equal(await swarmScrapes(trackers, null).dht(infoHash), null)
  assert.equal(asked, 1)
  assert.deepEqual([swarmScrapes(trackers, dht(0)).hasDht(), swarmScrapes(trackers, null).hasDht()], [true, false])
})
