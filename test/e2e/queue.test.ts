// The queue of a built node, driven through HTTP: what is shown of waiting downloads, settings that count at once,
// streams that never wait, and the same order after a kill.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord } from '../../src/services/api.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

type List = { downloads: DownloadRecord[] }

const made = [1, 2, 3, 4].map(seed => makeTorrent({ name: `t${seed}`, length: 300_000, seed }))

describe('the queue', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let seederPort = 0

  const start = () => startNode({ stateDir: path.join(folder, 'state') })
  const shown = ({ downloads }: List) =>
    downloads.map(({ status, queued }) => `${status.replace('DLSTATUS_', '')}${queued ? '+' : ''}`).join(' ')
  const shows = (text: string) => node.until<List>('/downloads', list => shown(list) === text)
  const set = (libtorrent: object) => node.request('POST', '/settings', { libtorrent })

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-queue-'))
    seeder = await startNode()
    for (const [i, torrent] of made.entries()) await writeFile(path.join(folder, `${i}.torrent`), torrent.torrent)
    await writeFile(path.join(folder, 't3'), made[2]?.content ?? '')
    await seeder.request('PUT', '/downloads', { uri: path.join(folder, '2.torrent'), destination: folder })
    await seeder.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    seederPort = variables.ports['libtorrent~port'] ?? 0
    node = await start()
    // By the interface and not by flags, which would go before what is changed later.
    assert.equal((await set({ active_downloads: 1, dont_count_slow_torrents: false })).status, 200)
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('who waits is stopped and queued; a resume passes nobody; a stopped one is not queued', async () => {
    for (const i of [0, 1]) await node.request('PUT', '/downloads', { uri: path.join(folder, `${i}.torrent`) })
    const magnet = `magnet:?xt=urn:btih:${made[2]?.infoHash}&x.pe=127.0.0.1:${seederPort}`
    await node.request('PUT', '/downloads', { uri: magnet })
    await shows('DOWNLOADING STOPPED+ STOPPED+')
    const second = `/downloads/${made[1]?.infoHash}`
    await node.request('PATCH', second, { state: 'resume' })
    assert.equal(shown(await node.get('/downloads')), 'DOWNLOADING STOPPED+ STOPPED+')
    await node.request('PATCH', second, { state: 'stop' })
    await shows('DOWNLOADING STOPPED STOPPED+')
    await node.request('PATCH', second, { state: 'resume' })
    await shows('DOWNLOADING STOPPED+ STOPPED+')
    const files = await node.get<{ files: unknown[] }>(`${second}/files`)
    assert.equal(files.files.length, 1)
  })

  test('one that is moved to the top runs at once, also after a kill, until it is moved down again', async () => {
    const third = made[2]?.infoHash ?? ''
    const move = (change: object) => node.request('PATCH', '/queue', { infohashes: [third.toUpperCase()], ...change })
    const reply = await move({ move: 'top' })
    assert.equal(reply.status, 200)
    assert.deepEqual(JSON.parse(reply.body.toString()), {
      modified: true,
      downloads: [{ infohash: third, queue_position: 0 }],
    })
    const first = made[0]?.infoHash
    await node.until<List>(
      '/downloads',
      ({ downloads }) => downloads.find(one => one.infohash === first)?.queued === true,
    )
    await node.kill('SIGKILL')
    node = await start()
    await node.until<List>('/downloads', ({ downloads }) => downloads.filter(({ queued }) => queued).length >= 1)
    const { downloads } = await node.get<List>('/downloads?sort=queue_order&limit=10')
    assert.deepEqual(
      downloads.map(({ infohash, queue_position: place }) => [infohash, place]),
      [2, 0, 1].map((n, place) => [made[n]?.infoHash, place]),
    )
    assert.equal((await move({ position: 2 })).status, 200)
    await shows('DOWNLOADING STOPPED+ STOPPED+')
    for (const fault of [{}, { move: 'first' }, { move: 'up', position: 1 }, { position: -1 }])
      assert.equal((await move(fault)).status, 400, JSON.stringify(fault))
    assert.equal((await move({ before: 'a'.repeat(40) })).status, 404)
  })

  test('the same order after a kill', async () => {
    await node.kill('SIGKILL')
    node = await start()
    await shows('DOWNLOADING STOPPED+ STOPPED+')
  })

  test('a stream of a queued magnet fetches metadata and bytes at once', async () => {
    const startMs = performance.now()
    const reply = await node.request('GET', `/downloads/${made[2]?.infoHash}/stream/0`)
    assert.equal(reply.status, 206)
    assert.ok(Buffer.compare(reply.body, Buffer.from(made[2]?.content ?? [])) === 0)
    assert.ok(performance.now() - startMs < 10_000)
    // All of it was streamed: now it is a seed, and of those any number may run.
    await shows('DOWNLOADING STOPPED+ SEEDING')
  })

  test('a changed limit counts at once: what has everything seeds in its turn', async () => {
    assert.equal((await set({ active_downloads: 2 })).status, 200)
    await shows('DOWNLOADING DOWNLOADING SEEDING')
    await set({ active_downloads: 0, active_seeds: 0 })
    await shows('STOPPED+ STOPPED+ STOPPED+')
    await set({ active_downloads: -1, active_seeds: -1 })
    await shows('DOWNLOADING DOWNLOADING SEEDING')
  })

  test('values that mean nothing are refused and change nothing', async () => {
    const faults = [
      { active_downloads: -2 },
      { active_seeds: 1.5 },
      { active_checking: 'many' },
      { active_limit: 1_000_001 },
      { active_limit: null },
      { dont_count_slow_torrents: 'sometimes' },
      { inactive_down_rate: -1 },
      { inactive_up_rate: 1e30 },
      { auto_manage_startup: 0 },
    ]
    for (const fault of faults) {
      const reply = await set({ active_downloads: 1, ...fault })
      assert.equal(reply.status, 400, JSON.stringify(fault))
      assert.match(reply.body.toString(), new RegExp(Object.keys(fault)[0] ?? ''))
    }
    await shows('DOWNLOADING DOWNLOADING SEEDING')
  })
})
