// Hidden seeding of a whole torrent: two nodes and relays of this machine, no exit anywhere. The downloader knows
// nothing but the info hash; what it gets is byte for byte what the seeder has.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord } from '../../../../src/services/api.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { type OverlayNodes, startOverlayNodes } from '../../../kit/nodes/overlay-nodes.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const MIB = 1024 * 1024
const SIZE = 100 * MIB
const made = makeTorrent({ name: 'film.bin', pieceLength: MIB, length: SIZE })

describe('hidden seeding', { concurrency: 1, timeout: 400_000 }, () => {
  let folder = ''
  let network: OverlayNodes
  let seeder: NodeProcess
  let downloader: NodeProcess

  const record = async (node: NodeProcess): Promise<DownloadRecord | undefined> =>
    (await node.get<{ downloads: DownloadRecord[] }>('/downloads')).downloads[0]

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-hidden-'))
    await mkdir(path.join(folder, 'from'))
    await writeFile(path.join(folder, 'from', 'film.bin'), made.content)
    await writeFile(path.join(folder, 'film.torrent'), made.torrent)
    network = await startOverlayNodes({ community: 'e7'.repeat(20), relays: 3, exits: 0 })
    seeder = await startNode({ settings: network.settings() })
    downloader = await startNode({ settings: network.settings() })
  })
  after(async () => {
    await downloader?.stop()
    await seeder?.stop()
    await network?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('100 MiB over linked circuits, without an exit, byte for byte', async () => {
    const uri = path.join(folder, 'film.torrent')
    const destination = path.join(folder, 'from')
    const added = await seeder.request('PUT', '/downloads', { uri, destination, anon_hops: 1, safe_seeding: true })
    assert.equal(added.status, 200)
    const magnet = `magnet:?xt=urn:btih:${made.infoHash}`
    const to = path.join(folder, 'to')
    const wanted = await downloader.request('PUT', '/downloads', {
      uri: magnet,
      destination: to,
      anon_hops: 1,
      safe_seeding: true,
    })
    assert.equal(wanted.status, 200)
    const began = performance.now()
    await waitFor(
      'all of it',
      async () => (await record(downloader))?.progress === 1,
      300_000,
      async () => record(downloader),
    )
    const seconds = (performance.now() - began) / 1000
    process.stdout.write(`# ${SIZE / MIB} MiB in ${seconds.toFixed(1)} s\n`)
    const got = await readFile(path.join(to, 'film.bin'))
    assert.equal(
      createHash('sha256').update(got).digest('hex'),
      createHash('sha256').update(made.content).digest('hex'),
    )
    const { circuits } = await downloader.get<{ circuits: { purpose?: string; goal_hops: number; state: string }[] }>(
      '/debug/circuits',
    )
    assert.ok(
      circuits.some(({ state, goal_hops: hops }) => state === 'READY' && hops === 2),
      JSON.stringify(circuits),
    )
  })
})
