// Where peers came from: rows of `[DHT]`, `[PeX]` and `[LSD]` with status and counts; partial seeds towards trackers
// (BEP 21).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrackerRow } from '../../src/ports/announcer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

const shown = (rows: readonly TrackerRow[]) =>
  rows.filter(row => row.url.startsWith('[')).map(({ url, status, peers }) => [url, status, peers])

test('rows count the connected peers that each source named', async () => {
  const swarm = new SimSwarm(511)
  const torrent = makeTorrent({ length: 3000 * KIB })
  const seeds: SimNode[] = []
  for (let i = 0; i < 3; i += 1) seeds.push(await swarm.seeder(torrent, { line: { upRate: 10 * KIB } }))
  const [byDht, byLsd, byUser] = seeds.map(seed => seed.address)
  assert.ok(byDht && byLsd && byUser)
  let local = true
  const node = await swarm.node({ swarm: { exchangesPeers: () => false, discoversLocally: () => local } })
  const handle = node.add(torrent)
  const announcer = node.announcers.made.get(torrent.infoHash)
  announcer?.params.onPeers([byDht], 'dht')
  awake(handle).addPeers([byLsd], 'lsd')
  awake(handle).addPeers([byUser])
  await swarm.clock.until('all are connected', () => handle.snapshot().peersConnected === 3, 20_000)
  assert.deepEqual(shown(handle.trackers()), [
    // The announcer of this node says nothing of a DHT.
    ['[DHT]', 'Disabled', 0],
    ['[PeX]', 'Disabled', 0],
    ['[LSD]', 'Working', 1],
  ])
  local = false
  const before = handle.revision
  node.session.swarmChanged()
  assert.ok(handle.revision > before)
  assert.deepEqual(shown(handle.trackers()).at(-1), ['[LSD]', 'Disabled', 0])
  await swarm.close()
})

test('a private torrent has none of these sources', async () => {
  const swarm = new SimSwarm(512)
  const torrent = makeTorrent({ length: 30 * KIB, private: true })
  const node = await swarm.node({ swarm: { discoversLocally: () => true } })
  const handle = node.add(torrent)
  assert.deepEqual(
    handle.trackers().map(row => row.status),
    ['Disabled', 'Disabled', 'Disabled'],
  )
  await swarm.close()
})

test('a partial seed says so: it is not complete, and what is left is what the torrent lacks', async () => {
  const swarm = new SimSwarm(513)
  const files = [
    { path: 'a', length: 256 * KIB },
    { path: 'b', length: 256 * KIB + 5 },
  ]
  const torrent = makeTorrent({ name: 'two', files, pieceLength: 64 * KIB })
  const seed = await swarm.seeder(torrent)
  const node = await swarm.node()
  const handle = node.add(torrent, { selectedFiles: [0], peers: [seed.address] })
  await swarm.complete(handle)
  const announcer = node.announcers.made.get(torrent.infoHash)
  const { left, partialSeed } = announcer?.params.counters() ?? {}
  assert.deepEqual([left, partialSeed], [256 * KIB + 5, true])
  assert.ok(!announcer?.calls.includes('completed'))
  awake(handle).select(null)
  await swarm.complete(handle)
  assert.deepEqual(announcer?.params.counters().partialSeed, undefined)
  assert.equal(announcer?.params.counters().left, 0)
  assert.ok(announcer?.calls.includes('completed'))
  await swarm.close()
})
