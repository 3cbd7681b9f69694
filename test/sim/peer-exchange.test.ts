// Peer exchange in whole swarms: a swarm that is found by it alone, the pace, what a private torrent and a liar get.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeExtended } from '../../src/wire/peer/messages.ts'
import { encodeUploadOnly } from '../../src/wire/peer/upload-only.ts'
import { decodePex, encodePex } from '../../src/wire/peer/ut-pex.ts'
import { joinExtensionPeer } from '../kit/peers/extension-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const FLAGS = { encryption: false, seed: false, utp: false, holepunch: false, reachable: true }

test('by peer exchange alone a chain of peers becomes a swarm', async () => {
  const swarm = new SimSwarm(401)
  const torrent = makeTorrent({ length: 2000 * KIB })
  const seed = await swarm.seeder(torrent, { line: { upRate: 60 * KIB } })
  const nodes = [seed]
  // Each knows only the one before, and nobody asks a tracker.
  for (let i = 0; i < 3; i += 1) {
    const node = await swarm.node()
    node.add(torrent, { peers: [nodes.at(-1)?.address ?? seed.address] })
    nodes.push(node)
  }
  const last = nodes.at(-1) ?? seed
  const handle = last.session.get(torrent.infoHash)
  assert.ok(handle)
  await swarm.clock.until('the last one found everybody', () => handle.peers().length === 3, 120_000)
  assert.ok(handle.peers().some(peer => peer.ip === seed.host.ip))
  await swarm.complete(handle)
  assertHolds(last, torrent)
  await swarm.close()
})

test('in a private torrent no peer is named to another', async () => {
  const swarm = new SimSwarm(402)
  const torrent = makeTorrent({ length: 2000 * KIB, private: true, announce: [['http://tracker.example/announce']] })
  const seed = await swarm.seeder(torrent, { line: { upRate: 10 * KIB } })
  const middle = await swarm.node()
  middle.add(torrent)
  middle.announcers.made.get(torrent.infoHash)?.answer([seed.address])
  const last = await swarm.node()
  const handle = last.add(torrent)
  last.announcers.made.get(torrent.infoHash)?.answer([middle.address])
  const curious = await joinExtensionPeer(swarm, middle, torrent, '10.7.0.1', { ids: { ut_pex: 9 }, listenPort: 4000 })
  assert.equal(curious.nodeId('ut_pex'), 0)
  const liar = { added: [{ address: { ip: '10.7.0.9', port: 1 }, flags: FLAGS }], dropped: [] }
  // Under the id that others have for it.
  curious.send(encodeExtended(2, encodePex(liar)))
  await swarm.clock.advance(150_000)
  assert.deepEqual(
    handle.peers().map(peer => peer.ip),
    [middle.host.ip],
  )
  assert.deepEqual(curious.received, [])
  assert.equal(middle.host.connects, 1)
  await curious.close()
  await swarm.close()
})

test('peers that come and go are sent once a minute; one that names no port is not sent', async () => {
  const swarm = new SimSwarm(403)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.seeder(torrent)
  const observer = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { ids: { ut_pex: 7, upload_only: 8 } })
  const named = await joinExtensionPeer(swarm, node, torrent, '10.7.0.2', { listenPort: 4002 })
  const nameless = await joinExtensionPeer(swarm, node, torrent, '10.7.0.3')
  await swarm.clock.until('told', () => observer.of('ut_pex').length === 1, 10_000)
  const messages = () => observer.of('ut_pex').map(decodePex)
  const off = { ...FLAGS, reachable: false }
  assert.deepEqual(messages()[0], { added: [{ address: { ip: '10.7.0.2', port: 4002 }, flags: off }], dropped: [] })
  named.hangUp()
  const late = await joinExtensionPeer(swarm, node, torrent, '10.7.0.4', {
    listenPort: 4004,
    seed: false,
    uploadOnly: false,
  })
  await swarm.clock.until('told again', () => messages().length === 2, 90_000)
  assert.deepEqual(messages()[1], {
    added: [{ address: { ip: '10.7.0.4', port: 4004 }, flags: off }],
    dropped: [{ ip: '10.7.0.2', port: 4002 }],
  })
  const times = observer.received.filter(message => message.name === 'ut_pex').map(message => message.atMs)
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 59_900, `${times}`)
  await swarm.clock.advance(150_000)
  assert.equal(messages().length, 2, 'without news no message')
  for (const peer of [observer, named, nameless, late]) await peer.close()
  await swarm.close()
})

test('ten thousand addresses in one message, and in two hundred, send the node to few of them', async () => {
  const swarm = new SimSwarm(404)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const liar = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { ids: { ut_pex: 1 } })
  const bytes = Buffer.alloc(60_000)
  for (let i = 0; i < 10_000; i += 1) {
    bytes.writeUInt32BE(0x0a080000 + i + 1, i * 6)
    bytes.writeUInt16BE(6881, i * 6 + 4)
  }
  liar.tell('ut_pex', Buffer.concat([Buffer.from('d5:added60000:'), bytes, Buffer.from('e')]))
  await swarm.clock.advance(5000)
  const known = (): number => handle.snapshot().peersKnown + handle.snapshot().seedsKnown
  assert.ok(known() >= 50 && known() <= 52, `${known()} known`)
  assert.equal(liar.connected, true)
  for (let message = 0; message < 200; message += 1) {
    const added = Array.from({ length: 50 }, (_, i) => ({
      address: { ip: `10.9.${message}.${i + 1}`, port: 6881 },
      flags: FLAGS,
    }))
    liar.tell('ut_pex', encodePex({ added, dropped: [] }))
  }
  await swarm.clock.advance(1000)
  assert.equal(liar.connected, false, 'a flood ends the connection')
  assert.ok(known() <= 52, `${known()} known`)
  await swarm.clock.advance(600_000)
  assert.ok(node.host.connects <= 50 * 3, `${node.host.connects} connects`)
  assert.equal(known(), 0, 'nobody was at any of them')
  const good = swarm.peer(torrent)
  awake(handle).addPeers([await good.listen()])
  await swarm.complete(handle)
  await liar.close()
  await swarm.close()
})

test('what a peer says of wanting nothing is heard, and ours is sent when it changes', async () => {
  const swarm = new SimSwarm(405)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const knows = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { ids: { upload_only: 5 } })
  const old = await joinExtensionPeer(swarm, node, torrent, '10.7.0.2')
  const shakes = old.shakes.length
  assert.equal(knows.shakes.at(-1)?.uploadOnly, false)
  assert.equal(handle.peers().find(peer => peer.ip === '10.7.0.1')?.uploadOnly, false)
  knows.tell('upload_only', encodeUploadOnly(true))
  await swarm.clock.advance(100)
  assert.equal(handle.peers().find(peer => peer.ip === '10.7.0.1')?.uploadOnly, true)
  knows.tell('upload_only', encodeUploadOnly(false))
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  await swarm.clock.advance(2000)
  assert.deepEqual(
    knows.of('upload_only').map(payload => [...payload]),
    [[1]],
  )
  assert.equal(old.shakes.length, shakes + 1)
  assert.equal(old.shakes.at(-1)?.uploadOnly, true)
  await knows.close()
  await old.close()
  await swarm.close()
})
