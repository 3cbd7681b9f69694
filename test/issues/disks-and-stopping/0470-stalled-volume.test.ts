// A mounted file system that stopped answering took the whole node with it: five adds into it held libuv's four
// threads, and streams, settings and adds elsewhere waited until it answered. It stalls itself alone.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DownloadRecord, Explanation, StateRecord } from '../../../src/services/api.ts'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord } from '../../kit/nodes/downloads-client.ts'
import { followEvents } from '../../kit/nodes/followed-events.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, type NodeReply, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { makeStalledMount, type StalledMount } from '../../kit/doubles/stalled-mount.ts'
import { waitFor } from '../../kit/wait-for.ts'

const skip = needs('root', 'mounts', 'bindfs')
const MIB = 2 ** 20
/** Far above what it takes on a busy machine, far below the five seconds after which a volume is called stalled. */
const SOON_MS = 2000

interface Rig {
  readonly folder: TestFolder
  readonly mount: StalledMount
  readonly node: NodeProcess
  /** A complete download at each place. */
  readonly there: MadeTorrent
  readonly elsewhere: MadeTorrent
}

async function withRig(run: (rig: Rig) => Promise<void>): Promise<void> {
  const folder = await makeTestFolder()
  const mount = await makeStalledMount(await folder.sub('volume'))
  const node = await startNode({ stateDir: await folder.sub('state') })
  try {
    const [there, elsewhere] = [mount.path, await folder.sub('data')].map(home => ({ home, made: film(home) }))
    for (const { home, made } of [there, elsewhere] as { home: string; made: MadeTorrent }[]) {
      await writeContent(made, home, made.files[0]?.path ?? '')
      await downloadComplete(node, await addDownload(node, await writeTorrent(made, folder.path), home))
    }
    await run({ folder, mount, node, there: there?.made as MadeTorrent, elsewhere: elsewhere?.made as MadeTorrent })
  } finally {
    mount.recover()
    await node.stop()
    await mount.remove()
    await folder.remove()
  }
}

let films = 0

function film(seed: string): MadeTorrent {
  films += 1
  return makeTorrent({
    name: `film-${films}-${seed.length}.bin`,
    length: 4 * MIB,
    pieceLength: 256 * 1024,
    seed: films,
  })
}

/** How long something took, ms. */
async function timed(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work
  return performance.now() - began
}

/** The time to the first byte of a stream. */
async function firstByte(node: NodeProcess, { infoHash }: MadeTorrent): Promise<number> {
  const began = performance.now()
  const reply = await fetch(`${node.baseUrl}/downloads/${infoHash}/stream/0`, { headers: { 'x-api-key': node.key } })
  assert.equal(reply.status, 206)
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const ms = performance.now() - began
  await reader.cancel()
  return ms
}

async function settled(replies: readonly Promise<NodeReply>[]): Promise<string[]> {
  const answers = await Promise.all(replies)
  return answers.map(({ status, body }) => `${status} ${/"code":"(\w+)"/.exec(body.toString())?.[1] ?? ''}`)
}

test('calls of a stalled volume get an error; everything else goes on', { skip, timeout: 90_000 }, async () => {
  await withRig(async ({ folder, mount, node, there, elsewhere }) => {
    const following = new AbortController()
    const events = await followEvents(node, ['volume_stalled', 'volume_recovered'], following.signal)
    const torrents = await Promise.all(Array.from({ length: 6 }, () => writeTorrent(film('new'), folder.path)))
    mount.stall()
    const adds = torrents
      .slice(1)
      .map((uri, at) => node.request('PUT', '/downloads', { uri, destination: join(mount.path, `${at}`) }))
    const reads = Array.from({ length: 8 }, () => node.request('GET', `/downloads/${there.infoHash}/stream/0`))
    const late = settled([...adds, ...reads])
    // The threads are taken by now, if they can be.
    await node.get('/state')
    const times = {
      stream: await firstByte(node, elsewhere),
      settings: await timed(node.request('POST', '/settings', { libtorrent: { max_upload_rate: 1_000_000 } })),
      add: await timed(addDownload(node, torrents[0] as string, await folder.sub('other'))),
      files: await timed(node.get('/debug/open_files')),
      stop: await timed(node.request('PATCH', `/downloads/${elsewhere.infoHash}`, { state: 'stop' })),
    }
    console.log(times)
    for (const [what, ms] of Object.entries(times)) assert.ok(ms < SOON_MS, `${what}: ${ms.toFixed()} ms`)

    const stalled = await node.until<StateRecord>('/state', state => state.volumes.some(volume => volume.stalled))
    assert.deepEqual(
      stalled.volumes.filter(volume => volume.stalled).map(volume => [volume.mount, volume.state_directory]),
      [[mount.path, false]],
    )
    assert.equal((await downloadRecord(node, there.infoHash)).stalled_volume, mount.path)
    assert.equal((await downloadRecord(node, elsewhere.infoHash)).stalled_volume, undefined)
    const { reasons } = await node.get<Explanation>(`/downloads/${there.infoHash}/explain`)
    assert.deepEqual(
      reasons.map(({ code }) => code),
      ['volume_stalled'],
    )
    const metrics = (await node.request('GET', '/metrics')).body.toString()
    assert.match(metrics, new RegExp(`tributary_volume_stalled\\{mount="${mount.path}"\\} 1`))
    assert.deepEqual(
      await late,
      Array.from({ length: 13 }, () => '503 VolumeStalled'),
    )
    assert.ok((await firstByte(node, elsewhere).catch(() => 0)) < SOON_MS)

    mount.recover()
    await node.until<StateRecord>('/state', state => state.volumes.every(volume => !volume.stalled))
    await waitFor('both events', () => events.length === 2)
    assert.deepEqual(
      events.map(({ type, event }) => [type, event?.['mount']]),
      [
        ['volume_stalled', mount.path],
        ['volume_recovered', mount.path],
      ],
    )
    const { status, stalled_volume: volume }: DownloadRecord = await downloadRecord(node, there.infoHash)
    assert.deepEqual([status, volume], ['DLSTATUS_SEEDING', undefined])
    const again = await node.request('GET', `/downloads/${there.infoHash}/stream/0`)
    assert.ok(again.body.equals(there.content), 'every byte came after the stall')
    following.abort()
  })
})
