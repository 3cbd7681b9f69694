// An awake torrent in the hands of who uses it: how far it is from a call to what it does, and how long it may be kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { awake } from '../kit/sim/awake.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'

const torrent = makeTorrent({ name: 'stopped', length: 300_000, pieceLength: 65_536 })

test('"stop this torrent" passes three frames of the engine: the torrent, its run, its end', async () => {
  const swarm = new SimSwarm(340)
  const node = await swarm.seeder(torrent)
  const announcer = node.announcers.made.get(torrent.infoHash)
  assert.ok(announcer)
  let stack = ''
  announcer.stop = async () => {
    stack = new Error('where').stack ?? ''
  }
  await awake(node.session.get(torrent.infoHash)).stop()
  const frames = stack.split('\n').filter(line => /\/src\/torrent\//.test(line))
  assert.deepEqual(
    frames.map(line => /at (?:async )?(\S+)/.exec(line)?.[1]),
    ['#end', 'TorrentRun.stop', 'Torrent.stop'],
  )
  await swarm.close()
})

test('who kept the torrent until it was suspended cannot touch its files by it; each use keeps it awake', async () => {
  const swarm = new SimSwarm(303)
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  const kept = awake(handle)
  const into = new Uint8Array(16)
  for (let used = 0; used < 10; used += 1) {
    await swarm.clock.advance(15_000)
    kept.readNow(0, 0, 16, into)
  }
  assert.equal(handle.suspended, false, 'used again and again')
  await swarm.clock.until('suspended', () => handle.suspended, 60_000)
  for (const use of [
    () => kept.openReader(0),
    () => kept.resume(),
    () => kept.select(null),
    () => kept.stop(),
    () => kept.recheck(),
    () => kept.readNow(0, 0, 16, into),
  ]) {
    assert.throws(use, /used after it was suspended/)
  }
  const fresh = await handle.wake()
  assert.notEqual(fresh, kept)
  assert.equal(handle.awake, fresh)
  assert.equal(handle.suspended, false)
  fresh.openReader(0).close()
  await swarm.close()
})
