// Whole sessions with every setting of encryption: a torrent goes over where it should, after as many connections as
// the policy needs, and nowhere else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TcpStream } from '../../src/ports/tcp.ts'
import type { EncryptionMethods, EncryptionMode } from '../../src/torrent/peers/connection-policy.ts'
import { type InfoHashV2, parseInfoHash } from '../../src/base/ids.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { asMadeTorrent, makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { assertHolds, type SimNodeOptions, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024

function set(mode: EncryptionMode, methods: EncryptionMethods = 'both'): SimNodeOptions {
  return { session: { encryption: { mode, methods } } }
}

/** Fetches a torrent; how many connections the fetching side opened. */
async function transfer(out: SimNodeOptions, incoming: SimNodeOptions): Promise<number> {
  const swarm = new SimSwarm(410)
  const torrent = makeTorrent({ length: 300 * KIB })
  const seed = await swarm.seeder(torrent, incoming)
  const leech = await swarm.node(out)
  const handle = leech.add(torrent, { peers: [seed.address] })
  await swarm.complete(handle)
  assertHolds(leech, torrent)
  const { connects } = leech.host
  await swarm.close()
  return connects
}

test('a torrent goes over between sessions of any settings that can meet', async () => {
  assert.equal(await transfer(set('prefer'), set('prefer')), 1)
  assert.equal(await transfer(set('require'), set('require', 'rc4')), 1)
  assert.equal(await transfer(set('require', 'plaintext'), set('require')), 1)
  assert.equal(await transfer(set('require'), set('allow')), 1)
  assert.equal(await transfer(set('allow'), set('require')), 2)
  assert.equal(await transfer(set('prefer'), set('off')), 2)
  assert.equal(await transfer(set('off'), set('allow')), 1)
  assert.equal(await transfer(set('allow'), set('allow')), 1)
})

test('a session that requires encryption gets nothing from one that has none, until the setting is changed', async () => {
  const swarm = new SimSwarm(411)
  const torrent = makeTorrent({ length: 300 * KIB })
  const seed = await swarm.seeder(torrent, set('off'))
  const leech = await swarm.node(set('require'))
  const handle = leech.add(torrent, { peers: [seed.address] })
  await swarm.clock.advance(60_000)
  assert.ok(leech.host.connects >= 2)
  assert.equal(handle.snapshot().totalDown, 0)
  leech.session.setLimits({ encryption: { mode: 'allow', methods: 'both' } })
  await swarm.complete(handle)
  assertHolds(leech, torrent)
  await swarm.close()
})

test('a hybrid is met under either of its names', async () => {
  const swarm = new SimSwarm(413)
  const hybrid = makeV2Torrent({ hybrid: true })
  const made = asMadeTorrent(hybrid)
  const second = parseInfoHash(hybrid.v2Hash.slice(0, 40))
  assert.ok(second !== null)
  const seed = await swarm.seeder(made, set('require'))
  const leech = await swarm.node(set('require'))
  // A magnet that names the second one alone: what it calls the torrent before it has the metadata.
  const asked = { infoHash: second, infoHashV2: hybrid.v2Hash as InfoHashV2, metainfo: null, peers: [seed.address] }
  await swarm.complete(leech.add(made, asked))
  await seed.session.remove(made.infoHash, { deleteData: false })
  await swarm.clock.advance(1000)
  const late = await swarm.node(set('require'))
  const vain = late.add(made, asked)
  await swarm.clock.advance(20_000)
  assert.equal(vain.snapshot().totalDown, 0)
  await swarm.close()
})

test('many torrents: each connection finds its own, and one that was removed is not found', async () => {
  const swarm = new SimSwarm(412)
  const torrents = [1, 2, 3].map(seed => makeTorrent({ length: 100 * KIB, seed }))
  const [first, second, third] = torrents
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const seed = await swarm.seeder(first, set('require'))
  for (const torrent of [second, third]) seed.disk.put(torrent.infoHash, torrent.content, 4)
  const handles = [second, third].map(torrent => seed.add(torrent))
  await swarm.clock.until('all seeding', () => handles.every(handle => handle.snapshot().status === 'seeding'), 60_000)
  const leech = await swarm.node(set('require'))
  const other = leech.add(second, { peers: [seed.address] })
  await swarm.complete(other)
  assertHolds(leech, second)
  let removed = false
  void seed.session.remove(third.infoHash, { deleteData: false }).then(() => {
    removed = true
  })
  await swarm.clock.until('removed', () => removed, 20_000)
  const gone = leech.add(third, { peers: [seed.address] })
  await swarm.clock.advance(30_000)
  assert.equal(gone.snapshot().totalDown, 0)
  await swarm.close()
})

test('an encrypted handshake that never ends is dropped when any other would be', async () => {
  const swarm = new SimSwarm(413)
  const torrent = makeTorrent({ length: 100 * KIB })
  const node = await swarm.seeder(torrent, set('require'))
  let opens = 0
  let closes = 0
  const host = swarm.network.host('10.9.0.1')
  const stream: TcpStream = host.connect(
    node.address,
    { localIp: null, timeoutMs: 10_000 },
    {
      open: () => {
        opens += 1
        stream.write(Buffer.alloc(96, 0x42))
      },
      data: () => {},
      drain: () => {},
      close: () => (closes += 1),
    },
  )
  for (let second = 0; second < 9; second++) {
    await swarm.clock.advance(1000)
    stream.write(Uint8Array.of(second))
  }
  assert.equal(opens, 1)
  assert.equal(closes, 0)
  await swarm.clock.advance(2500)
  assert.equal(closes, 1)
  await swarm.close()
})
