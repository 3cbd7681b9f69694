// Controls of a built node, each by what it does: a measured rate, the files that come first, a seed that ends, files
// in another folder, also after a kill, an uploaded torrent file, and a webhook that gets its events over a restart.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord, Explanation, FileRecord } from '../../src/services/api.ts'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const files = [0, 1, 2].map(n => ({ path: `${n}.bin`, length: 2 * MIB }))
const made = makeTorrent({ name: 'set', files, pieceLength: 64 * 1024 })

describe('controls', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let hook: Server
  /** Types of the events that the webhook took, by number: one may come twice after a kill. */
  const told = new Map<number, string>()
  let hookStatus = 200
  let peer = ''
  const one = `/downloads/${made.infoHash}`
  const stateDir = (): string => path.join(folder, 'state')

  const patch = async (change: object): Promise<void> => {
    const reply = await node.request('PATCH', one, change)
    assert.equal(reply.status, 200, reply.body.toString())
  }
  const send = (query: string): Promise<Response> =>
    fetch(`${node.baseUrl}/downloads?${query}`, {
      method: 'POST',
      body: made.torrent,
      headers: { 'x-api-key': node.key },
    })
  const meet = () => node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-controls-'))
    const seeds = path.join(folder, 'seeds')
    await mkdir(path.join(seeds, 'set'), { recursive: true })
    for (const file of made.files) await writeFile(path.join(seeds, 'set', file.path), file.content)
    await writeFile(path.join(folder, 'set.torrent'), made.torrent)
    hook = createServer((request, reply) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        reply.statusCode = hookStatus
        reply.end()
        const { id, type } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; type: string }
        if (hookStatus === 200) told.set(id, type)
      })
    })
    await new Promise<void>(resolve => hook.listen(0, '127.0.0.1', resolve))
    seeder = await startNode()
    await seeder.request('PUT', '/downloads', { uri: path.join(folder, 'set.torrent'), destination: seeds })
    await downloadComplete(seeder, made.infoHash)
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    node = await startNode({ stateDir: stateDir() })
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
    const reply = await node.request('POST', '/settings', {
      network: { allow_private: ['127.0.0.0/8'] },
      webhooks: { urls: [url], events: ['torrent_finished', 'storage_moved', 'seeding_goal_reached'] },
    })
    assert.equal(reply.status, 200, reply.body.toString())
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    hook?.close()
    hook?.closeAllConnections()
    await rm(folder, { recursive: true, force: true })
  })

  test('a torrent file that is sent starts with its limit, and the limit holds', async () => {
    const target = encodeURIComponent(path.join(folder, 'got'))
    const priorities = 'file_priorities[]=1&file_priorities[]=-1&file_priorities[]=7'
    const reply = await send(`destination=${target}&max_download_speed=400000&labels[]=e2e&${priorities}`)
    assert.equal(reply.status, 200)
    assert.deepEqual(await reply.json(), { started: true, infohash: made.infoHash })
    assert.equal((await meet()).status, 200)
    await downloadUntil(node, made.infoHash, record => record.total_down > 400_000)
    const [startMs, first] = [performance.now(), await downloadRecord(node, made.infoHash)]
    assert.deepEqual([first.max_download_speed, first.labels], [400_000, ['e2e']])
    await downloadUntil(node, made.infoHash, record => record.total_down > first.total_down + 1_200_000)
    const last = await downloadRecord(node, made.infoHash)
    const rate = ((last.total_down - first.total_down) * 1000) / (performance.now() - startMs)
    assert.ok(rate < 480_000 && rate > 200_000, `${Math.round(rate)} bytes/s`)
    const { reasons } = await node.get<Explanation>(`${one}/explain`)
    assert.ok(
      reasons.some(reason => reason.code === 'rate_limited'),
      JSON.stringify(reasons),
    )
  })

  test('the file with the highest priority is complete before the lowest is begun', async () => {
    const { files: listed } = await node.until<{ files: FileRecord[] }>(
      `${one}/files`,
      answer => (answer.files[2]?.progress ?? 0) === 1,
    )
    assert.ok((listed[0]?.progress ?? 1) < 0.2, JSON.stringify(listed))
    assert.deepEqual(
      listed.map(file => file.priority),
      [1, 4, 7],
    )
    await patch({ max_download_speed: 0 })
    await downloadComplete(node, made.infoHash)
  })

  test('files are moved while it seeds; the old place is empty, and a restart finds all of it', async () => {
    const target = path.join(folder, 'moved')
    await patch({ destination: target })
    const done = (record: DownloadRecord): boolean => record.destination === target && record.moving_to === ''
    await downloadUntil(node, made.infoHash, done)
    for (const file of made.files) {
      assert.ok(Buffer.from(file.content).equals(await readFile(path.join(target, 'set', file.path))))
    }
    await waitFor('the old place is empty', () => !existsSync(path.join(folder, 'got', 'set')))
    await node.kill('SIGKILL')
    node = await startNode({ stateDir: stateDir() })
    const record = await downloadComplete(node, made.infoHash)
    assert.equal(record.destination, target)
    assert.equal(record.progress, 1)
  })

  test('seeding ends at a ratio, and resuming by hand starts it again', async () => {
    await patch({ seeding_ratio: 0 })
    await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_STOPPED')
    const { reasons } = await node.get<Explanation>(`${one}/explain`)
    assert.equal(reasons[0]?.code, 'seeding_goal_reached')
    await patch({ state: 'resume' })
    const record = await downloadComplete(node, made.infoHash)
    assert.equal(record.seeding_ratio, -1)
  })

  test('webhooks were told of everything, and hear what they missed after a restart', async () => {
    await waitFor('three events', () => told.size === 3)
    assert.deepEqual([...told.values()], ['torrent_finished', 'storage_moved', 'seeding_goal_reached'])
    hookStatus = 503
    await patch({ destination: path.join(folder, 'again') })
    await downloadUntil(node, made.infoHash, record => record.moving_to === '' && record.destination.endsWith('again'))
    await node.stop()
    hookStatus = 200
    node = await startNode({ stateDir: stateDir() })
    await waitFor('the fourth event', () => told.size === 4)
    assert.equal([...told.values()][3], 'storage_moved')
  })
})
