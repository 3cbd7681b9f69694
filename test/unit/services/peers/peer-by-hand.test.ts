// A peer that a user names: whose address it may be, and for which downloads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../src/base/errors.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { FakeAnonymousEngines } from '../anonymous-doubles.ts'
import { FakeTorrent, startDownloads } from '../service-doubles.ts'

const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

async function rig(traits: { readonly private?: boolean; readonly hops?: number } = {}) {
  const { hops = 0 } = traits
  const anonymous = new FakeAnonymousEngines()
  const { downloads, engine } = await startDownloads(undefined, true, undefined, anonymous)
  const made = makeTorrent({ private: traits.private === true, announce: [['http://t.example/announce']] })
  await downloads.addFile(made.torrent, { anon_hops: hops })
  const torrent = (hops === 0 ? engine : anonymous.of(hops)).torrents.get(made.infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return { torrent, add: (at: string) => downloads.addPeer(made.infoHash, at) }
}

test('the peer at an address is called, however that is written', async () => {
  const { torrent, add } = await rig()
  for (const at of ['203.0.113.7:6881', ' [2001:DB8:0::1]:65535 ', '[::ffff:203.0.113.7]:6881']) {
    assert.equal(await add(at), true, at)
  }
  assert.deepEqual(torrent.called, ['203.0.113.7:6881', '[2001:db8::1]:65535', '203.0.113.7:6881'])
  torrent.peerCall = 'known'
  assert.equal(await add('203.0.113.7:6881'), false)
  for (const answer of ['refused', 'full'] as const) {
    torrent.peerCall = answer
    await assert.rejects(add('203.0.113.7:6881'), refuses('StateConflict'), answer)
  }
})

test('what no peer can be at is refused, and nobody is called', async () => {
  const { torrent, add } = await rig()
  const none = [
    '',
    '203.0.113.7',
    '203.0.113.7:0',
    '203.0.113.7:65536',
    'peer.example:6881',
    '2001:db8::1:6881',
    '[::]:1',
  ]
  const reserved = ['0.0.0.0:1', '224.0.0.1:1', '255.255.255.255:1', '[ff02::1]:1', '[fe80::1]:1', '[::ffff:0.0.0.0]:1']
  for (const at of [...none, ...reserved, '127.1:80', '010.0.0.1:80', `203.0.113.7:${'0'.repeat(60)}1`]) {
    await assert.rejects(add(at), refuses('InvalidParameter'), at)
  }
  assert.deepEqual(torrent.called, [])
})

test('a private torrent has the peers of its trackers and no others', async () => {
  const { torrent, add } = await rig({ private: true })
  await assert.rejects(add('203.0.113.7:6881'), refuses('StateConflict'))
  assert.deepEqual(torrent.called, [])
})

test('a download over circuits calls nobody in the open', async () => {
  const { torrent, add } = await rig({ hops: 2 })
  await assert.rejects(add('203.0.113.7:6881'), refuses('StateConflict'))
  assert.deepEqual(torrent.called, [])
})
