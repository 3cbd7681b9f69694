// The IP filter in whole sessions: no address in it is called, accepted, heard of or kept; a new filter counts at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildIpFilter, IpFilter, ipFilterOf } from '../../src/torrent/index.ts'
import { FilterListReader } from '../../src/wire/net/ip-filter.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { awake } from '../kit/sim/awake.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024

function filterOf(text: string): IpFilter {
  const reader = new FilterListReader()
  runSteps(reader.feed(Buffer.from(text)))
  reader.endList()
  return runSteps(buildIpFilter(reader.ranges()))
}

test('who is in the filter is not called, and is called when it is so no more', async () => {
  const swarm = new SimSwarm(501)
  const torrent = makeTorrent({ length: 300 * KIB })
  const seed = await swarm.seeder(torrent)
  const node = await swarm.node()
  node.session.setIpFilter(filterOf(`${seed.host.ip}/32\n`))
  const handle = node.add(torrent)
  node.announcers.made.get(torrent.infoHash)?.answer([seed.address])
  await swarm.clock.advance(60_000)
  assert.equal(handle.snapshot().peersConnected, 0)
  assert.equal(seed.session.connections, 0, 'nobody called')
  node.session.setIpFilter(filterOf('9.9.9.9\n'))
  node.announcers.made.get(torrent.infoHash)?.answer([seed.address])
  await swarm.complete(handle, 60_000)
  assertHolds(node, torrent)
  await swarm.close()
})

test('connected peers that a new filter holds are dropped at once, and their calls are refused', async () => {
  const swarm = new SimSwarm(502)
  const torrent = makeTorrent({ length: 4000 * KIB })
  const seed = await swarm.seeder(torrent, { line: { upRate: 20 * KIB } })
  const caller = await swarm.join(seed, torrent)
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [seed.address] })
  await swarm.clock.until('both are connected', () => seed.session.connections === 2, 20_000)
  seed.session.setIpFilter(filterOf(`10.0.0.0 - 10.255.255.255 , 000 , everybody\n`))
  await swarm.clock.advance(2000)
  assert.equal(seed.session.connections, 0)
  assert.ok(caller.closed, 'the other side sees its end')
  await swarm.clock.advance(120_000)
  assert.equal(handle.snapshot().peersConnected, 0, 'it calls again, in vain')
  await swarm.close()
})

test('one that peers name is not called either, and the obstacle is shown', async () => {
  const swarm = new SimSwarm(503)
  const torrent = makeTorrent({ length: 300 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [{ ip: '10.0.9.9', port: 5 }] })
  node.session.setIpFilter(filterOf('10.0.9.0/24\n'))
  await swarm.clock.advance(30_000)
  assert.equal(handle.obstacles().allFiltered, true)
  assert.equal(handle.obstacles().allBlocked, true)
  node.session.setIpFilter(filterOf(''))
  assert.equal(handle.obstacles().allFiltered, false)
  await swarm.close()
})

test('a banned address is dropped at once in every download, beside the lists, and comes back when the ban is lifted', async () => {
  const swarm = new SimSwarm(504)
  const torrents = [makeTorrent({ length: 4000 * KIB }), makeTorrent({ length: 3000 * KIB })] as const
  const seed = await swarm.seeder(torrents[0], { line: { upRate: 20 * KIB } })
  seed.add(torrents[1])
  const node = await swarm.node()
  const handles = torrents.map(torrent => node.add(torrent, { peers: [seed.address] }))
  const connected = () => handles.map(handle => handle.snapshot().peersConnected)
  await swarm.clock.until('both see it', () => connected().every(count => count === 1), 60_000)
  const lists = filterOf('9.9.9.0/24\n')
  node.session.setIpFilter(lists.with(ipFilterOf([seed.host.ip, '2001:db8::1', '::ffff:9.8.7.6'])))
  await swarm.clock.advance(1000)
  assert.deepEqual(connected(), [0, 0])
  await swarm.clock.advance(120_000)
  assert.deepEqual(connected(), [0, 0])
  for (const torrent of torrents) node.announcers.made.get(torrent.infoHash)?.answer([seed.address])
  await swarm.clock.advance(10_000)
  assert.deepEqual(connected(), [0, 0], 'who names it changes nothing')
  node.session.setIpFilter(lists.with(IpFilter.none))
  for (const torrent of torrents) node.announcers.made.get(torrent.infoHash)?.answer([seed.address])
  await swarm.clock.until('it is back', () => connected().some(count => count === 1), 120_000)
  await swarm.close()
})

test('bans and lists are one filter', () => {
  const both = filterOf('9.9.9.0/24\n').with(ipFilterOf(['1.2.3.4', '2001:db8::1', '::ffff:9.8.7.6', 'nonsense']))
  for (const ip of ['9.9.9.1', '1.2.3.4', '::ffff:1.2.3.4', '2001:db8::1', '9.8.7.6']) assert.ok(both.blocks(ip), ip)
  for (const ip of ['1.2.3.3', '1.2.3.5', '2001:db8::2', '2001:db8::', '9.8.7.5']) assert.ok(!both.blocks(ip), ip)
})

test('a peer that the user names is called at once, also after calls in vain; not in the filter, not twice', async () => {
  const swarm = new SimSwarm(505)
  const torrent = makeTorrent({ length: 3000 * KIB })
  const seed = await swarm.seeder(torrent, { line: { upRate: 20 * KIB } })
  const node = await swarm.node()
  const handle = node.add(torrent)
  node.session.setIpFilter(filterOf(`${seed.host.ip}\n`))
  assert.equal(awake(handle).callPeer(seed.address), 'refused')
  await swarm.clock.advance(60_000)
  assert.equal(handle.snapshot().peersConnected, 0)
  node.session.setIpFilter(IpFilter.none)
  const away = { ip: seed.host.ip, port: 9 }
  assert.equal(awake(handle).callPeer(away), 'called')
  await swarm.clock.advance(600_000)
  const before = node.host.connects
  assert.equal(awake(handle).callPeer(away), 'called')
  await swarm.clock.advance(1000)
  assert.ok(node.host.connects > before, 'its turn would have come in minutes')
  assert.equal(awake(handle).callPeer(seed.address), 'called')
  await swarm.clock.until('it is connected', () => handle.snapshot().peersConnected === 1, 5_000)
  assert.equal(awake(handle).callPeer(seed.address), 'known')
  const secret = node.add(makeTorrent({ length: 300 * KIB, seed: 9, private: true }))
  assert.equal(awake(secret).callPeer(seed.address), 'refused')
  await swarm.close()
})
