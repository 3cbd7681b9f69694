// A download is being written into a mounted file system that stops answering for longer than the five seconds after
// which it is called stalled. Other torrents and streams go on; when it answers again the download goes on where it
// was: nothing is hashed again, nothing is fetched twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { followEvents } from '../../kit/nodes/followed-events.ts'
import { freePort } from '../../kit/free-port.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { makeStalledMount } from '../../kit/doubles/stalled-mount.ts'
import { waitFor } from '../../kit/wait-for.ts'

const skip = needs('root', 'mounts', 'bindfs')
const MIB = 2 ** 20
/** So that a download of 16 MiB is under way for seconds, and the pieces that are on their way are few. */
const RATE = 3 * MIB
const SIZE = 16 * MIB

function film(seed: number): MadeTorrent {
  return makeTorrent({ name: `film-${seed}.bin`, length: SIZE, pieceLength: 256 * 1024, seed })
}

/** Adds what is to be given to others, slowly. */
async function seed(node: NodeProcess, folder: string, torrents: readonly MadeTorrent[]): Promise<void> {
  for (const made of torrents) {
    await writeContent(made, folder, '')
    const infoHash = await addDownload(node, await writeTorrent(made, folder), folder)
    await downloadComplete(node, infoHash, 30_000)
    await node.request('PATCH', `/downloads/${infoHash}`, { max_upload_speed: RATE })
  }
}

/** How often pieces were hashed as they lie on the disk. */
async function hashJobs(node: NodeProcess): Promise<number> {
  const metrics = (await node.request('GET', '/metrics')).body.toString()
  return Number(/tributary_job_run_seconds_count\{job="pieces.hash"\} (\d+)/.exec(metrics)?.[1] ?? 0)
}

async function firstByte(node: NodeProcess, infoHash: string): Promise<void> {
  const reply = await fetch(`${node.baseUrl}/downloads/${infoHash}/stream/0`, { headers: { 'x-api-key': node.key } })
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
  assert.ok(((await reader.read()).value?.length ?? 0) > 0)
  await reader.cancel()
}

test('a download whose volume stalls holds up nothing, and goes on where it was', {
  skip,
  timeout: 120_000,
}, async () => {
  const folder = await makeTestFolder()
  const mount = await makeStalledMount(await folder.sub('volume'))
  const [inVolume, elsewhere] = [film(1), film(2)] as [MadeTorrent, MadeTorrent]
  const port = await freePort()
  const seeder = await startNode({ settings: { 'libtorrent.port': port } })
  const node = await startNode({ stateDir: await folder.sub('state') })
  const following = new AbortController()
  try {
    await seed(seeder, await folder.sub('seeds'), [inVolume, elsewhere])
    const events = await followEvents(node, ['volume_stalled', 'volume_recovered'], following.signal)
    const seen = (type: string): boolean => events.some(event => event.type === type)
    const magnet = ({ infoHash }: MadeTorrent): string => `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.1:${port}`

    await addDownload(node, magnet(inVolume), mount.path)
    await downloadUntil(node, inVolume.infoHash, ({ progress }) => progress > 0.2, 30_000)
    mount.stall()
    const data = await folder.sub('data')
    await addDownload(node, magnet(elsewhere), data)
    await downloadUntil(node, elsewhere.infoHash, ({ progress }) => progress > 0.1, 30_000)
    await firstByte(node, elsewhere.infoHash)
    await waitFor('the stall', () => seen('volume_stalled'))
    const held = await downloadRecord(node, inVolume.infoHash)
    assert.deepEqual([held.stalled_volume, held.status], [mount.path, 'DLSTATUS_DOWNLOADING'])
    assert.ok(held.progress < 1)
    await downloadComplete(node, elsewhere.infoHash, 30_000)
    assert.equal(seen('volume_recovered'), false, 'all that while the volume was stalled')
    assert.deepEqual(await differences(elsewhere, data, ''), [])

    mount.recover()
    const done = await downloadComplete(node, inVolume.infoHash, 30_000)
    assert.deepEqual(await differences(inVolume, mount.path, ''), [])
    await waitFor('the recovery', () => seen('volume_recovered'))
    assert.deepEqual([(await hashJobs(seeder)) > 0, await hashJobs(node)], [true, 0], 'something was checked')
    assert.ok(done.total_down <= SIZE + MIB, `${done.total_down} bytes were fetched`)
  } finally {
    mount.recover()
    following.abort()
    await node.stop()
    await seeder.stop()
    await mount.remove()
    await folder.remove()
  }
})
