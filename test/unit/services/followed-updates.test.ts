// Following updated torrents: which version is taken up, what becomes of the one before, what is never believed, and
// what is remembered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import {
  follow,
  itemOf,
  KEY,
  LINK,
  MemoryItems,
  MINUTE,
  settle,
  startUpdates,
  TARGET,
  type UpdatesRig,
} from './updates-rig.ts'

/** Version `n` of a folder: `a.bin` differs, `b<n>.bin` is another file each time. */
function version(n: number, shared = true): MadeTorrent {
  const files = [
    { path: shared ? 'a.bin' : `a${n}.bin`, length: 50_000 - n },
    { path: `b${n}.bin`, length: 10_000 },
  ]
  return makeTorrent({ name: 'data', files, seed: n })
}

const [ONE, TWO, THREE] = [version(1), version(2), version(3)]

/** A node that follows LINK and has version 1 with its metadata. */
async function following(options: Parameters<typeof startUpdates>[0] = {}): Promise<UpdatesRig> {
  const rig = await startUpdates(options)
  rig.items.put(itemOf(1n, ONE.infoHash))
  assert.equal(await follow(rig, LINK, { destination: '/data/x', labels: ['l'], max_upload_speed: 9 }), ONE.infoHash)
  await rig.learn(ONE)
  return rig
}

const shown = (rig: UpdatesRig) => rig.following.list().map(({ infohash, seq, state }) => [infohash, seq, state])

const stopped = (rig: UpdatesRig, infoHash: InfoHash): boolean =>
  rig.bench.records.rows.get(infoHash)?.userStopped === true

test('the first version becomes a download with trackers and peers of the link', async () => {
  const rig = await following()
  const torrent = rig.bench.engine.torrents.get(ONE.infoHash)
  assert.deepEqual(torrent?.tiers, [['udp://t.example:1']])
  assert.deepEqual(torrent?.spec.peers, [{ ip: '10.0.0.1', port: 5 }])
  assert.equal(torrent?.spec.destination, '/data/x')
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'following']])
  assert.deepEqual(rig.events, [
    ['torrent_updated', { target: TARGET, infohash: ONE.infoHash, previous: '', seq: '1' }],
  ])
  assert.equal(rig.rows.followedRows.get(TARGET)?.held?.seq, 1n)
})

test('a higher number brings the next version with the options of the one before, which ends when its files are known', async () => {
  const rig = await following()
  rig.items.put(itemOf(7n, TWO.infoHash))
  await rig.pass(40 * MINUTE)
  const next = rig.bench.records.rows.get(TWO.infoHash)
  assert.equal(next?.destination, '/data/x')
  assert.deepEqual([next?.controls?.labels, next?.controls?.maxUploadRate], [['l'], 9])
  assert.deepEqual(shown(rig), [[TWO.infoHash, '7', 'following']])
  assert.equal(stopped(rig, ONE.infoHash), false, 'a version nobody can fetch yet disturbs nothing')
  await rig.learn(TWO)
  assert.equal(stopped(rig, ONE.infoHash), true)
  assert.deepEqual(rig.bench.engine.torrents.get(ONE.infoHash)?.calls, ['stop'])
  assert.deepEqual(rig.trimmed, [['/data/x', 'data/a.bin', 49_998]], 'only what both have is cut')
  assert.deepEqual(rig.events.at(-1), [
    'torrent_updated',
    { target: TARGET, infohash: TWO.infoHash, previous: ONE.infoHash, seq: '7' },
  ])
})

test("a file that only lay in the place of the version before is not the next one's: it is looked at, and not cut", async () => {
  const rig = await following()
  rig.bench.records.own.set(ONE.infoHash, [])
  rig.items.put(itemOf(7n, TWO.infoHash))
  await rig.following.check(TARGET)
  await rig.learn(TWO)
  assert.equal(stopped(rig, ONE.infoHash), true, 'it would be written to by both')
  assert.deepEqual(rig.trimmed, [])
  assert.equal(rig.bench.records.rows.get(TWO.infoHash)?.ownFiles?.length ?? 0, 0)
})

test('files of their own pass from version to version', async () => {
  const rig = await following()
  rig.items.put(itemOf(7n, TWO.infoHash))
  await rig.following.check(TARGET)
  await rig.learn(TWO)
  assert.deepEqual(rig.bench.records.rows.get(TWO.infoHash)?.ownFiles, [[0, 0]])
})

test('versions that forget hand it on, have their files in common, and stay: with the newest the key would go', async () => {
  const rig = await startUpdates()
  rig.items.put(itemOf(1n, ONE.infoHash))
  await follow(rig, LINK, { destination: '/data/x', watch_and_forget: true })
  await rig.learn(ONE)
  const shares = (infoHash: InfoHash) => rig.bench.downloads.engineEvents.sharesFiles?.(infoHash)
  shares(ONE.infoHash)
  await settle()
  assert.equal(shares(ONE.infoHash), false)
  rig.items.put(itemOf(7n, TWO.infoHash))
  await rig.following.check(TARGET)
  assert.equal(rig.bench.records.rows.get(TWO.infoHash)?.controls?.watchAndForget, true)
  assert.equal(shares(ONE.infoHash), false, 'nothing is known of its files')
  await rig.learn(TWO)
  assert.equal(shares(ONE.infoHash), true, 'the files of the one are those of the other')
  for (let hour = 0; hour < 60; hour++) await rig.pass(60 * MINUTE)
  assert.deepEqual([...rig.bench.records.rows.keys()], [ONE.infoHash, TWO.infoHash])
  assert.deepEqual(shown(rig), [[TWO.infoHash, '7', 'following']])
  assert.ok(!rig.bench.engine.log.some(line => line.startsWith('remove')))
})

test('older versions end before the row of the next has its metadata', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.following.check(TARGET)
  const torrent = rig.bench.engine.torrents.get(ONE.infoHash)
  assert.ok(torrent !== undefined)
  let known: unknown
  torrent.stop = async () => {
    known = rig.bench.records.rows.get(TWO.infoHash)?.pieceCount
  }
  await rig.learn(TWO)
  assert.equal(known, 0)
})

test('records show what they are versions of', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.following.check(TARGET)
  const text = Buffer.concat(await rig.bench.downloads.listJson()).toString()
  const { downloads } = JSON.parse(text) as { downloads: { infohash: string; update_of: string; updated_by: string }[] }
  const lineages = downloads.map(({ infohash, update_of: of, updated_by: by }) => [infohash, of, by])
  assert.deepEqual(lineages, [
    [ONE.infoHash, TARGET, TWO.infoHash],
    [TWO.infoHash, TARGET, ''],
  ])
})

test('numbers never fall: an older item is answered with ours, an equal one with another value changes nothing', async () => {
  const rig = await following()
  rig.items.put(itemOf(5n, TWO.infoHash))
  await rig.following.check(TARGET)
  rig.items.put(itemOf(4n, THREE.infoHash))
  assert.deepEqual((await rig.following.check(TARGET)).updated, false)
  assert.deepEqual(shown(rig), [[TWO.infoHash, '5', 'following']])
  assert.deepEqual(
    rig.items.stored.map(({ seq }) => seq),
    [5n],
    'the newer item is put again for others',
  )
  rig.items.put(itemOf(5n, THREE.infoHash))
  await rig.following.check(TARGET)
  assert.deepEqual(shown(rig), [[TWO.infoHash, '5', 'following']])
})

test('an item that few nodes have is put again, one that enough have is not', async () => {
  const rig = await following()
  await rig.following.check(TARGET)
  assert.equal(rig.items.stored.length, 0)
  rig.items.put(itemOf(1n, ONE.infoHash), 3)
  await rig.following.check(TARGET)
  const [again] = rig.items.stored
  assert.ok(again !== undefined && Buffer.from(again.signature).equals(itemOf(1n, ONE.infoHash).signature))
  rig.items.held.clear()
  await rig.following.check(TARGET)
  assert.equal(rig.items.stored.length, 2)
})

test('what names no torrent is refused and told once; a later version is taken up', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, Buffer.from('d2:ih5:shorte')))
  await rig.following.check(TARGET)
  await rig.following.check(TARGET)
  const refusals = rig.events.filter(([type]) => type === 'torrent_update_refused')
  assert.equal(refusals.length, 1)
  assert.match(rig.following.list()[0]?.error ?? '', /Item 2 is none of a torrent/)
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'following']])
  rig.items.put(itemOf(3n, TWO.infoHash))
  assert.equal((await rig.following.check(TARGET)).updated, true)
  assert.equal(rig.following.list()[0]?.error, '')
})

test('a key that says nothing yet is looked for: first often, then twice as long, at last at the interval', async () => {
  const rig = await startUpdates()
  assert.equal(await follow(rig), '')
  assert.deepEqual(shown(rig), [['', '', 'searching']])
  const before = rig.items.finds
  assert.ok(before >= 5, `while PUT waits it asks again: ${before}`)
  await rig.pass(20 * MINUTE)
  assert.ok(rig.items.finds > before)
  rig.items.put(itemOf(1n, ONE.infoHash))
  await rig.pass(40 * MINUTE)
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'following']])
  assert.ok(rig.bench.engine.torrents.has(ONE.infoHash))
})

test('looks come at the interval, a fifth more or less', async () => {
  const rig = await following()
  await rig.following.check(TARGET)
  const gaps: number[] = []
  let [finds, waited] = [rig.items.finds, 0]
  while (gaps.length < 30) {
    await rig.pass(MINUTE)
    waited++
    if (rig.items.finds === finds) continue
    gaps.push(waited)
    ;[finds, waited] = [rig.items.finds, 0]
  }
  assert.ok(Math.min(...gaps) >= 24 && Math.max(...gaps) <= 37, gaps.join(' '))
  assert.ok(new Set(gaps).size > 3, 'no two nodes keep step')
})

test('a start goes on: with the number, the versions, and a version that a kill kept from being added', async () => {
  const before = await following()
  before.items.put(itemOf(2n, TWO.infoHash))
  await before.following.check(TARGET)
  await before.following.stop()
  const { rows, items } = before
  const { records } = before.bench
  records.rows.delete(TWO.infoHash)
  items.put(itemOf(1n, ONE.infoHash))
  const rig = await startUpdates({ rows, items, records })
  assert.deepEqual(shown(rig), [[TWO.infoHash, '2', 'following']])
  await rig.pass(2 * MINUTE)
  assert.equal(rig.bench.records.rows.get(TWO.infoHash)?.destination, '/data/x')
  assert.deepEqual(shown(rig), [[TWO.infoHash, '2', 'following']], 'a replayed old item takes nothing back')
})

test('who removes the newest version follows the key no more, before the download goes; an older one may go', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.following.check(TARGET)
  await rig.bench.downloads.remove(ONE.infoHash, false)
  assert.deepEqual(
    rig.following.list()[0]?.versions.map(({ infohash }) => infohash),
    [TWO.infoHash],
  )
  rig.rows.failWith = new Error('the disk is gone')
  await assert.rejects(rig.bench.downloads.remove(TWO.infoHash, false), /the disk is gone/)
  assert.ok(rig.bench.records.rows.has(TWO.infoHash), 'else it would come back after a restart')
  await rig.bench.downloads.remove(TWO.infoHash, false)
  assert.deepEqual(rig.following.list(), [])
  assert.equal(rig.rows.followedRows.size, 0)
  const { finds } = rig.items
  await rig.pass(120 * MINUTE)
  assert.equal(rig.items.finds, finds)
})

test('unfollow keeps the downloads', async () => {
  const rig = await following()
  assert.deepEqual(await rig.following.unfollow(TARGET.toUpperCase()), { target: TARGET, removed: true })
  assert.ok(rig.bench.records.rows.has(ONE.infoHash))
  const [record] = JSON.parse(Buffer.concat(await rig.bench.downloads.listJson()).toString()).downloads as object[]
  assert.ok(record !== undefined && !('update_of' in record))
  await assert.rejects(rig.following.unfollow(TARGET), { code: 'UpdateNotFound' })
  await assert.rejects(rig.following.check(TARGET), { code: 'UpdateNotFound' })
})

test('a stopped download is not followed; resumed it is', async () => {
  const rig = await following()
  await rig.bench.downloads.patch(ONE.infoHash, { state: 'stop' })
  const { finds } = rig.items
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.pass(120 * MINUTE)
  assert.equal(rig.items.finds, finds)
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'paused']])
  await rig.bench.downloads.patch(ONE.infoHash, { state: 'resume' })
  await rig.pass(60 * MINUTE)
  assert.deepEqual(shown(rig), [[TWO.infoHash, '2', 'following']])
})

test('a version that comes back goes on, and the one it follows ends first', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.following.check(TARGET)
  await rig.learn(TWO)
  rig.items.put(itemOf(3n, ONE.infoHash))
  await rig.following.check(TARGET)
  assert.deepEqual([stopped(rig, ONE.infoHash), stopped(rig, TWO.infoHash)], [false, true])
  assert.deepEqual(
    rig.following.list()[0]?.versions.map(({ infohash }) => infohash),
    [TWO.infoHash, ONE.infoHash],
  )
})

test('old_versions seed: what shares no file goes on, what does is stopped all the same', async () => {
  const rig = await startUpdates()
  rig.settings.oldVersions = 'seed'
  const [one, two, three] = [version(1, false), version(2, false), version(3, false)]
  const overlapping = makeTorrent({ name: 'data', files: [{ path: 'B3.bin', length: 5 }] })
  rig.items.put(itemOf(1n, one.infoHash))
  await follow(rig)
  await rig.learn(one)
  for (const [seq, made] of [
    [2n, two],
    [3n, three],
    [4n, overlapping],
  ] as const) {
    rig.items.put(itemOf(seq, made.infoHash))
    await rig.following.check(TARGET)
    await rig.learn(made)
  }
  assert.deepEqual(
    [one, two, three, overlapping].map(({ infoHash }) => stopped(rig, infoHash)),
    [false, false, true, false],
  )
})

test('versions that were never more than a name leave the list, and of others the oldest', async () => {
  const rig = await following()
  for (let seq = 2n; seq < 12n; seq++) {
    rig.items.put(itemOf(seq, version(Number(seq) + 50).infoHash))
    await rig.following.check(TARGET)
  }
  assert.equal(rig.bench.records.rows.size, 2, 'the first and the newest')
  for (let seq = 20n; seq < 40n; seq++) {
    const made = version(Number(seq) + 50)
    rig.items.put(itemOf(seq, made.infoHash))
    await rig.following.check(TARGET)
    await rig.learn(made)
  }
  assert.equal(rig.bench.records.rows.size, 16)
  assert.equal(rig.following.list()[0]?.versions.length, 16)
  assert.ok(
    rig.bench.engine.log.every(line => !line.startsWith('remove') || line.endsWith('false')),
    'no data is deleted',
  )
})

test('a link with an info hash too begins with that torrent at once', async () => {
  const rig = await startUpdates()
  rig.items.gate = new Promise(() => undefined)
  const uri = `magnet:?xt=urn:btih:${ONE.infoHash}&xs=urn:btpk:${KEY}&s=6e`
  assert.equal(await follow(rig, uri), ONE.infoHash)
  assert.deepEqual(shown(rig), [[ONE.infoHash, '', 'following']])
})

test('the same link again answers with the newest version', async () => {
  const rig = await following()
  rig.items.put(itemOf(2n, TWO.infoHash))
  await rig.following.check(TARGET)
  assert.equal(await follow(rig), TWO.infoHash)
  assert.equal(rig.following.list().length, 1)
})

test('what cannot be is refused whole', async () => {
  const rig = await startUpdates()
  rig.items.put(itemOf(1n, ONE.infoHash))
  const refused = (more: object, code: string) => assert.rejects(follow(rig, LINK, more), { code })
  await refused({ selected_files: [0] }, 'InvalidParameter')
  await refused({ file_priorities: [0] }, 'InvalidParameter')
  await refused({ anon_hops: 1, safe_seeding: true }, 'InvalidParameter')
  rig.bench.badFolders.add('/bad')
  await refused({ destination: '/bad' }, 'InvalidParameter')
  await assert.rejects(follow(rig, `${LINK}&so=0`), { code: 'InvalidParameter' })
  await assert.rejects(follow(rig, 'magnet:?xs=urn:btpk:12'), { code: 'BadMagnet' })
  rig.rows.failWith = new Error('the disk is gone')
  await assert.rejects(follow(rig), /the disk is gone/)
  assert.deepEqual(rig.following.list(), [])
  assert.equal(rig.rows.followedRows.size, 0)
  assert.equal(rig.bench.records.rows.size, 0)
})

test('without a DHT a link with nothing but a key is refused, and what was followed stays', async () => {
  const before = await following()
  await before.following.stop()
  const rig = await startUpdates({ rows: before.rows, records: before.bench.records, dht: false })
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'off']])
  await assert.rejects(follow(rig, LINK.replace('6e', '6f')), { code: 'DhtUnavailable' })
  await assert.rejects(rig.following.check(TARGET), { code: 'DhtUnavailable' })
})

test('few lookups run at a time, keys are bounded, and a stop waits for no lookup', async () => {
  const items = new MemoryItems()
  const rig = await startUpdates({ items })
  items.gate = new Promise(() => undefined)
  const link = (n: number) =>
    `magnet:?xt=urn:btih:${ONE.infoHash}&xs=urn:btpk:${KEY}&s=${n.toString(16).padStart(4, '0')}`
  for (let n = 0; n < 500; n++) await follow(rig, link(n))
  await assert.rejects(follow(rig, link(500)), { code: 'StateConflict' })
  await rig.pass(60 * MINUTE)
  assert.equal(items.most, 4)
  await rig.following.stop()
  await settle()
  assert.equal(items.finds, 4)
  await assert.rejects(follow(rig, LINK), { code: 'NotReady' })
})

test('a version that goes over circuits: the plain DHT is neither asked nor told, until it is open again', async () => {
  const rig = await following()
  await rig.pass(40 * MINUTE)
  await rig.bench.downloads.patch(ONE.infoHash, { anon_hops: 1 })
  const { finds } = rig.items
  const puts = rig.items.stored.length
  rig.items.held.clear()
  await rig.pass(200 * MINUTE)
  assert.deepEqual([rig.items.finds, rig.items.stored.length], [finds, puts])
  assert.deepEqual(shown(rig), [[ONE.infoHash, '1', 'paused']])
  assert.match(rig.following.list()[0]?.error ?? '', /over circuits/)
  await assert.rejects(rig.following.check(TARGET), { code: 'StateConflict' })
  await rig.bench.downloads.patch(ONE.infoHash, { anon_hops: 0 })
  await rig.pass(200 * MINUTE)
  assert.ok(rig.items.finds > finds && rig.items.stored.length > puts)
})

test('hops that are given while the DHT is asked: what it answers is not put again', async () => {
  const rig = await following()
  const gate = makeDeferred<void>()
  rig.items.gate = gate.promise
  rig.items.held.clear()
  const puts = rig.items.stored.length
  const check = rig.following.check(TARGET)
  await settle()
  await rig.bench.downloads.patch(ONE.infoHash, { anon_hops: 1 })
  gate.resolve()
  await check
  assert.equal(rig.items.stored.length, puts)
})
