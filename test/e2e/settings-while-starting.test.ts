// A change of settings that is answered while the node starts counts from then on, although the engine was made before
// it, or is being made.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { downloadUntil } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

const RATE = 60_000
const made = makeTorrent({ name: 'one.bin', length: 1_500_000, pieceLength: 16 * 1024 })

/** A node whose rate was changed before it had started. */
async function changedEarly(): Promise<NodeProcess> {
  for (let tries = 0; tries < 10; tries++) {
    const node = await startNode({ until: 'listening' })
    const change = { libtorrent: { max_download_rate: RATE } }
    const answer = await node.request('POST', '/settings', change)
    const { state } = await node.get<{ state: string }>('/state')
    assert.deepEqual(answer.json(), { modified: true, restart_required: [], overridden: [] })
    if (state === 'STARTING') return node
    await node.stop()
  }
  throw new Error('it always had started')
}

test('a rate that is set while the node starts holds', async t => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-early-'))
  await mkdir(path.join(folder, 'have'))
  await writeFile(path.join(folder, 'have', 'one.bin'), made.files[0]?.content ?? '')
  await writeFile(path.join(folder, 'one.torrent'), made.torrent)
  const seeder = await startNode()
  const node = await changedEarly()
  t.after(async () => {
    await Promise.all([seeder.stop(), node.stop()])
    await rm(folder, { recursive: true, force: true })
  })
  const uri = path.join(folder, 'one.torrent')
  await seeder.request('PUT', '/downloads', { uri, destination: path.join(folder, 'have') })
  await downloadUntil(seeder, made.infoHash, record => record.status === 'DLSTATUS_SEEDING')
  await node.until<{ state: string }>('/state', ({ state }) => state === 'STARTED')
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
  await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })
  await downloadUntil(node, made.infoHash, record => record.progress > 0)
  const begunMs = performance.now()
  const before = (await downloadUntil(node, made.infoHash, () => true)).total_down
  const { total_down: after } = await downloadUntil(
    node,
    made.infoHash,
    record => record.total_down >= before + 200_000,
  )
  const perSecond = ((after - before) / (performance.now() - begunMs)) * 1000
  assert.ok(perSecond < 3 * RATE, `${Math.round(perSecond)} bytes a second`)
})
