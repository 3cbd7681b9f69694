// A torrent of 16 MB with 78,364 files, each in 62 folders of its own, stopped the node for 23 s, took 2.9 GB, and
// ended it at every start with a heap of 1 GB. Folders, bytes and parts of paths are bounded now, and the plan of
// folders is one pass in turns.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'
import { TorrentFolder } from '../../../src/io/files/torrent-folder.ts'
import { plainLanes } from '../../../src/io/files/volume-lanes.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { deepTorrent, deepV2Torrent, manyFilesTorrent } from '../../kit/content/heavy-torrents.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'

test('a torrent with too many folders is refused before much of it is held', () => {
  const bomb = deepTorrent(78_364, 62)
  assert.ok(bomb.length < 16 * 1024 * 1024)
  const before = process.memoryUsage().heapUsed
  const begin = process.cpuUsage().user
  assert.throws(() => decodeMetainfo(bomb), {
    name: 'DecodeError',
    message: 'the torrent has more than 200000 folders',
  })
  // 5 million folders took a gigabyte.
  assert.ok(process.memoryUsage().heapUsed - before < 200 * 1024 * 1024)
  assert.ok(process.cpuUsage().user - begin < 5_000_000)
})

test('as many folders as there may be are taken, and one more is not', () => {
  // The folder of the torrent counts too.
  assert.equal(decodeMetainfo(manyFilesTorrent(199_999, true)).files.length, 199_999)
  assert.throws(() => decodeMetainfo(manyFilesTorrent(200_000, true)), /more than 200000 folders/)
})

test('paths are bounded in bytes and parts together, and one path in parts', () => {
  // A v2 tree names a folder once for all below it: 16 MB of it can be paths of 280 MB.
  assert.throws(
    () => decodeMetainfo(deepV2Torrent(36_000, 8, 240)),
    /paths of the torrent have more than 67108864 bytes/,
  )
  assert.throws(() => decodeMetainfo(deepV2Torrent(67_000, 60, 1)), /paths of the torrent have more than 4000000 parts/)
  const deep = (parts: number) =>
    makeTorrent({ files: [{ path: Array.from({ length: parts }, () => 'a'), length: 1 }] })
  assert.equal(decodeMetainfo(deep(255).torrent).files[0]?.path.length, 64)
  assert.throws(() => decodeMetainfo(deep(256).torrent), /a path has more than 255 parts/)
})

test('making folders ends soon after its abort', async t => {
  const destination = await mkdtemp(path.join(os.tmpdir(), 'tributary-bomb-'))
  t.after(() => rm(destination, { recursive: true, force: true }))
  const { files } = decodeMetainfo(manyFilesTorrent(10_000, true))
  const folder = new TorrentFolder({ destination, files }, plainLanes(new SystemClock()), null)
  const abort = new AbortController()
  const made = async () => (await readdir(path.join(destination, 'own folders')).catch(() => [])).length
  const preparing = folder.prepare(abort.signal)
  const ended = assert.rejects(preparing, { code: 'Aborted' })
  await waitFor('some folders', async () => (await made()) > 0)
  abort.abort()
  await ended
  const left = await made()
  assert.ok(left < 9000, `${left} folders were made`)
  await folder.remove()
  assert.deepEqual(await readdir(destination), [])
})
