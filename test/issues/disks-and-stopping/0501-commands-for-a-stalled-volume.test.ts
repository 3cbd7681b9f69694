// PATCH and DELETE of a download whose volume does not answer waited until it did, for ever where it never does. What
// is answered as done outlives kill -9; what cannot be done says so in time.

import assert from 'node:assert/strict'
import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { DownloadRecord, StateRecord } from '../../../src/services/api.ts'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { freePort } from '../../kit/free-port.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { makeStalledMount } from '../../kit/doubles/stalled-mount.ts'

const skip = needs('root', 'mounts', 'bindfs')
const MIB = 2 ** 20
/** The bound is 5 s after the volume was asked last; a busy machine may need some more. */
const TOLD_MS = 15_000

const film = (seed: number): MadeTorrent =>
  makeTorrent({ name: `film-${seed}.bin`, length: 8 * MIB, pieceLength: 256 * 1024, seed })

/** Status and error code of the answer; it has to come in time. */
async function answer(node: NodeProcess, method: string, path: string, body: object): Promise<string> {
  let late: NodeJS.Timeout | undefined
  const never = new Promise<null>(resolve => {
    late = setTimeout(() => resolve(null), TOLD_MS)
  })
  const asked = node.request(method, path, body)
  // It may be cut by the end of the test.
  asked.catch(() => undefined)
  const reply = await Promise.race([asked, never]).finally(() => clearTimeout(late))
  assert.ok(reply !== null, `${method} ${path}: no answer within ${TOLD_MS} ms`)
  if (reply.status === 200) return '200'
  return `${reply.status} ${/"code":"(\w+)"/.exec(reply.body.toString())?.[1] ?? ''}`
}

async function listed(node: NodeProcess): Promise<string[]> {
  const { downloads } = await node.get<{ downloads: DownloadRecord[] }>('/downloads')
  return downloads.map(({ infohash }) => infohash).sort()
}

// They mostly wait, each for nodes and folders of its own.
describe('commands while a volume is stalled', { concurrency: 3 }, () => {
  test('commands for downloads on a stalled volume are answered in time, and kept', {
    skip,
    timeout: 120_000,
  }, async () => {
    const folder = await makeTestFolder()
    const mount = await makeStalledMount(await folder.sub('volume'))
    const [under, whole, gone] = [film(1), film(2), film(3)] as [MadeTorrent, MadeTorrent, MadeTorrent]
    const port = await freePort()
    const seeder = await startNode({ settings: { 'libtorrent.port': port } })
    let node = await startNode({ stateDir: await folder.sub('state') })
    const path = ({ infoHash }: MadeTorrent): string => `/downloads/${infoHash}`
    try {
      const seeds = await folder.sub('seeds')
      await writeContent(under, seeds, '')
      await addDownload(seeder, await writeTorrent(under, seeds), seeds, { max_upload_speed: MIB })
      await downloadComplete(seeder, under.infoHash, 30_000)
      for (const made of [whole, gone]) {
        await writeContent(made, mount.path, '')
        await downloadComplete(node, await addDownload(node, await writeTorrent(made, folder.path), mount.path), 30_000)
      }
      await addDownload(node, `magnet:?xt=urn:btih:${under.infoHash}&x.pe=127.0.0.1:${port}`, mount.path)
      await downloadUntil(node, under.infoHash, ({ progress }) => progress > 0.2, 30_000)

      mount.stall()
      // Nobody knows it yet: the command itself meets the stall.
      assert.equal(await answer(node, 'PATCH', path(under), { state: 'stop' }), '200')
      assert.equal((await downloadRecord(node, under.infoHash)).status, 'DLSTATUS_STOPPED')
      await node.until<StateRecord>('/state', state => state.volumes.some(volume => volume.stalled))
      assert.equal(await answer(node, 'PATCH', path(under), { labels: ['later'] }), '200')
      assert.equal(await answer(node, 'PATCH', path(whole), { state: 'recheck' }), '503 VolumeStalled')
      assert.equal((await downloadRecord(node, whole.infoHash)).status, 'DLSTATUS_SEEDING', 'nothing was begun')
      assert.equal(await answer(node, 'DELETE', path(whole), { remove_data: true }), '503 VolumeStalled')
      assert.equal(await answer(node, 'DELETE', path(under), { remove_data: false }), '200')
      const again = { uri: await writeTorrent(under, folder.path), destination: await folder.sub('other') }
      assert.equal(await answer(node, 'PUT', '/downloads', again), '503 VolumeStalled')
      assert.equal(await answer(node, 'PATCH', path(gone), { state: 'stop' }), '200')
      assert.deepEqual(await listed(node), [whole.infoHash, gone.infoHash].sort())

      mount.recover()
      await node.until<StateRecord>('/state', state => state.volumes.every(volume => !volume.stalled))
      assert.equal(await answer(node, 'PUT', '/downloads', again), '200')
      assert.equal(await answer(node, 'PATCH', path(whole), { state: 'recheck' }), '200')
      await downloadComplete(node, whole.infoHash, 30_000)
      mount.stall()
      assert.equal(await answer(node, 'DELETE', path(whole), { remove_data: false }), '200')
      await node.kill('SIGKILL')
      mount.recover()
      node = await startNode({ stateDir: node.stateDir })
      assert.deepEqual(await listed(node), [under.infoHash, gone.infoHash].sort())
      assert.equal((await downloadRecord(node, gone.infoHash)).status, 'DLSTATUS_STOPPED')
    } finally {
      mount.recover()
      await node.stop()
      await seeder.stop()
      await mount.remove()
      await folder.remove()
    }
  })

  test('torrents are made elsewhere, and folders imported, while a volume is stalled', {
    skip,
    timeout: 90_000,
  }, async () => {
    const folder = await makeTestFolder()
    const mount = await makeStalledMount(await folder.sub('volume'))
    const node = await startNode({ stateDir: await folder.sub('state') })
    try {
      const made = film(7)
      const data = await folder.sub('data')
      const album = (place: string): string => join(place, 'album')
      for (const place of [mount.path, data]) {
        await mkdir(album(place))
        await writeContent(made, album(place), '')
      }
      for (const place of [mount.path, data]) await writeFile(join(place, 'one.fastresume'), 'de')
      const create = (place: string): Promise<string> => answer(node, 'POST', '/createtorrent', { path: album(place) })
      const take = (place: string): Promise<string> =>
        answer(node, 'POST', '/import', { from: 'libtorrent', folder: place, dry_run: true })
      assert.deepEqual([await take(mount.path), await create(data)], ['200', '200'])

      // The kernel remembers for a second what they are: the way there waits for nothing, what the folder holds has to
      // be asked.
      for (const place of [mount.path, album(mount.path)]) await lstat(place)
      mount.stall()
      const late = [create(mount.path), create(mount.path), take(mount.path)]
      assert.deepEqual(
        await Promise.all(late),
        Array.from({ length: 3 }, () => '503 VolumeStalled'),
      )
      // Neither of the two makers is held by what cannot be made.
      assert.deepEqual([await take(data), await create(data), await create(data)], ['200', '200', '200'])

      mount.recover()
      await node.until<StateRecord>('/state', state => state.volumes.every(volume => !volume.stalled))
      assert.deepEqual([await take(mount.path), await create(mount.path)], ['200', '200'])
    } finally {
      mount.recover()
      await node.stop()
      await mount.remove()
      await folder.remove()
    }
  })
})
