// Torrents that leave while something is under way: nothing begins again, no peer learns of them, nothing more is sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { makeDeferred } from '../../src/base/deferred.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const torrent = makeTorrent({ length: 300 * KIB, pieceLength: 64 * KIB, announce: [['http://t.example/announce']] })

/** As a start of the node finds it: complete, its files not looked at yet. The look takes until `look` is resolved. */
async function beginning(swarm: SimSwarm): Promise<{ node: SimNode; look: () => void }> {
  const { contents } = contentsOf([torrent])
  const node = await swarm.node({ contents })
  node.disk.put(torrent.infoHash, torrent.content, 4)
  const open = node.disk.open.bind(node.disk)
  const looked = makeDeferred<void>()
  node.disk.open = layout => {
    const store = open(layout)
    const facts = store.facts.bind(store)
    store.facts = async () => {
      await looked.promise
      return facts()
    }
    return store
  }
  return { node, look: () => looked.resolve() }
}

for (const same of [true, false]) {
  test(`removed while its files are looked at, which are ${same ? 'as they were' : 'others now'}`, async () => {
    const swarm = new SimSwarm(601)
    const { node, look } = await beginning(swarm)
    const { pieceCount, files } = decodeMetainfo(torrent.torrent)
    const have = new Uint8Array(Math.ceil(pieceCount / 8)).fill(0xff)
    have[have.length - 1] = (0xff << (have.length * 8 - pieceCount)) & 0xff
    const facts = files.map(({ index, length }) => ({
      index,
      exists: true,
      sizeBytes: same ? length : length - 1,
      mtimeMs: 1,
    }))
    node.add(torrent, { resume: { have, suspect: [], files: facts, newestMs: 0 } })
    const announcer = node.announcers.made.get(torrent.infoHash)
    assert.deepEqual(announcer?.calls, [])
    const removed = node.session.remove(torrent.infoHash, { deleteData: false })
    look()
    await removed
    await swarm.clock.advance(60_000)
    assert.deepEqual(announcer?.calls, ['stopped'])
    assert.equal(node.host.connects, 0)
    await swarm.close()
  })
}

test('a suspended one that is being removed: peers do not wake it, trackers that answer late neither, and it is told to nobody', async () => {
  const swarm = new SimSwarm(602)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await swarm.clock.until('suspended', () => handle.suspended, 60_000)
  const announcer = node.announcers.made.get(torrent.infoHash)
  assert.ok(announcer)
  const farewell = makeDeferred<void>()
  announcer.stop = () => farewell.promise
  const removed = node.session.remove(torrent.infoHash, { deleteData: false })
  assert.equal(handle.announced, false)
  announcer.answer([{ ip: '10.9.9.9', port: 5 }])
  const peer = swarm.peer(torrent)
  peer.connect(node.address)
  await swarm.clock.until('refused', () => peer.closed, 10_000)
  await assert.rejects(handle.wake(), { code: 'Aborted' })
  farewell.resolve()
  await removed
  await swarm.clock.advance(60_000)
  assert.deepEqual([state.loads, node.host.connects, peer.messages.length], [0, 0, 0])
  await swarm.close()
})
