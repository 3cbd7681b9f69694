// Publishing updated torrents: numbers, what is never published, what is put again, and what a start goes on with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import { signedBytes } from '../../../src/wire/dht/dht-item.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { itemOf, KEY, MemoryItems, MINUTE, startUpdates, type UpdatesRig } from './updates-rig.ts'

const [ONE, TWO] = [makeTorrent({ seed: 1 }), makeTorrent({ seed: 2 })]
const NAME = 'dataset'
const SALT = Buffer.from(NAME)

async function publisher(kept: Parameters<typeof startUpdates>[0] = {}): Promise<UpdatesRig> {
  const rig = await startUpdates(kept)
  for (const made of [ONE, TWO]) {
    rig.bench.sources.set(`/${made.infoHash}`, made.torrent)
    await rig.bench.downloads.add({ uri: `/${made.infoHash}` })
  }
  return rig
}

test('numbers grow from one to the next, the same torrent keeps its own, and all is signed', async () => {
  const rig = await publisher()
  const first = await rig.publishing.publish(NAME, ONE.infoHash)
  assert.deepEqual([first.seq, first.copies, first.public_key], ['1', 8, KEY])
  assert.equal(first.uri, `magnet:?xs=urn:btpk:${KEY}&s=${SALT.toString('hex')}&dn=dataset`)
  assert.equal((await rig.publishing.publish(NAME, ONE.infoHash)).seq, '1')
  assert.equal((await rig.publishing.publish(NAME, TWO.infoHash)).seq, '2')
  const item = rig.items.stored.at(-1)
  assert.ok(item !== undefined)
  assert.ok(nodeEd25519.verify(item.signature, signedBytes(SALT, 2n, item.value), item.key))
  assert.deepEqual(item.value, itemOf(2n, TWO.infoHash).value)
})

test('a number is durable before anybody sees it', async () => {
  const rig = await publisher()
  rig.rows.failWith = new Error('the disk is gone')
  await assert.rejects(rig.publishing.publish(NAME, ONE.infoHash), /the disk is gone/)
  assert.equal(rig.items.stored.length, 0)
})

test('what was published elsewhere under the key is met, and gone beyond', async () => {
  const rig = await publisher()
  rig.items.put(itemOf(41n, ONE.infoHash, SALT))
  assert.equal((await rig.publishing.publish(NAME, TWO.infoHash)).seq, '42')
  // A young node finds nothing at first and meets the newer item where it puts its own.
  const found = rig.items.find.bind(rig.items)
  rig.items.put(itemOf(50n, ONE.infoHash, Buffer.from('other')))
  rig.items.find = async () => null
  assert.equal((await rig.publishing.publish('other', TWO.infoHash)).seq, '51')
  rig.items.find = found
  rig.items.put(itemOf(2n ** 63n - 1n, ONE.infoHash, Buffer.from('full')))
  await assert.rejects(rig.publishing.publish('full', TWO.infoHash), { code: 'StateConflict' })
})

test('it is put again before nodes forget it, sooner after nobody took it', async () => {
  const rig = await publisher()
  rig.items.deaf = true
  assert.equal((await rig.publishing.publish(NAME, ONE.infoHash)).copies, 0)
  rig.items.deaf = false
  await rig.pass(MINUTE)
  assert.deepEqual([rig.items.stored.length, rig.publishing.list()[0]?.copies], [1, 8])
  for (let hours = 0; hours < 10; hours++) await rig.pass(60 * MINUTE)
  assert.ok(rig.items.stored.length >= 10, `${rig.items.stored.length}`)
})

test('a start goes on with what was published, not with another key, and not after it was withdrawn', async () => {
  const before = await publisher()
  await before.publishing.publish(NAME, ONE.infoHash)
  await before.publishing.stop()
  const { rows } = before
  const rig = await publisher({ rows, items: new MemoryItems() })
  await rig.pass(MINUTE)
  assert.deepEqual(
    rig.items.stored.map(({ seq }) => seq),
    [1n],
  )
  assert.equal((await rig.publishing.publish(NAME, TWO.infoHash)).seq, '2')
  const row = rows.publishedRows.get(NAME)
  assert.ok(row !== undefined)
  rows.publishedRows.set(NAME, { ...row, signature: new Uint8Array(64) })
  const other = await publisher({ rows, items: new MemoryItems() })
  await other.pass(MINUTE)
  assert.equal(other.items.stored.length, 0)
  assert.match(other.publishing.list()[0]?.error ?? '', /another one now/)
  await other.publishing.withdraw(NAME)
  assert.equal(rows.publishedRows.size, 0)
  assert.deepEqual(other.publishing.list(), [])
  await assert.rejects(other.publishing.withdraw(NAME), { code: 'UpdateNotFound' })
})

test('what must not or cannot be published is refused', async () => {
  const rig = await publisher()
  const secret = makeTorrent({ private: true })
  rig.bench.sources.set('/p', secret.torrent)
  await rig.bench.downloads.add({ uri: '/p' })
  const magnet = makeTorrent({ seed: 9 }).infoHash
  await rig.bench.downloads.add({ uri: `magnet:?xt=urn:btih:${magnet}` })
  const refused = (name: string, infohash: string, code: string) =>
    assert.rejects(rig.publishing.publish(name, infohash), { code })
  await refused(NAME, secret.infoHash, 'StateConflict')
  await refused(NAME, magnet, 'MetadataNotFound')
  await refused(NAME, 'ff'.repeat(20), 'DownloadNotFound')
  await refused(NAME, 'x', 'DownloadNotFound')
  await refused('', ONE.infoHash, 'InvalidParameter')
  await refused('é'.repeat(33), ONE.infoHash, 'InvalidParameter')
  await refused('a\nb', ONE.infoHash, 'InvalidParameter')
  assert.equal(rig.items.finds, 0)
  const deaf = await publisher({ dht: false })
  await assert.rejects(deaf.publishing.publish(NAME, ONE.infoHash), { code: 'DhtUnavailable' })
  for (let n = 0; n < 200; n++) await rig.publishing.publish(`name ${n}`, ONE.infoHash)
  await refused('one more', ONE.infoHash, 'StateConflict')
})

test('a stop waits for no lookup', async () => {
  const rig = await publisher()
  rig.items.gate = new Promise(() => undefined)
  const waiting = rig.publishing.publish(NAME, ONE.infoHash)
  await Promise.all([assert.rejects(waiting, { code: 'Aborted' }), rig.publishing.stop()])
})

test('a download over circuits is not named in the DHT; one that is given hops is not named again', async () => {
  const rig = await publisher()
  await rig.publishing.publish(NAME, ONE.infoHash)
  await rig.bench.downloads.patch(ONE.infoHash, { anon_hops: 2 })
  const puts = rig.items.stored.length
  await rig.pass(200 * MINUTE)
  assert.equal(rig.items.stored.length, puts)
  assert.match(rig.publishing.list()[0]?.error ?? '', /over circuits/)
  await assert.rejects(rig.publishing.publish('other', ONE.infoHash), { code: 'StateConflict' })
  await rig.bench.downloads.patch(ONE.infoHash, { anon_hops: 0 })
  await rig.pass(200 * MINUTE)
  assert.ok(rig.items.stored.length > puts)
})
