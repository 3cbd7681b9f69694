// A full disk and a vanished folder: the download stops with a readable error and an event, another one is unaffected,
// and it goes on when the trouble is over. The disk is a small tmpfs that the test mounts.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const MIB = 2 ** 20

/** Starts a node that seeds `made` from a folder of its own; answers it with a magnet that names its address. */
async function startSource(made: MadeTorrent, folder: TestFolder, name: string, rate = 0) {
  const from = await folder.sub(`${name}-source`)
  await writeContent(made, from, name)
  const node = await startNode({
    settings: { 'libtorrent.max_upload_rate': rate, 'libtorrent.interface': '127.0.0.2' },
  })
  const infoHash = await addDownload(node, await writeTorrent(made, folder.path), from)
  await downloadComplete(node, infoHash)
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const magnet = `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.2:${variables.ports['libtorrent~port']}`
  return { node, magnet, infoHash }
}

/** The torrent_error event of a download, from the log of events. */
async function errorEvent(node: NodeProcess, infoHash: string): Promise<string> {
  const reply = await fetch(`${node.baseUrl}/events?since=0`, { headers: { 'x-api-key': node.key } })
  let text = ''
  for await (const chunk of reply.body ?? []) {
    text += Buffer.from(chunk).toString()
    for (const line of text.split('\n').slice(0, -1)) {
      if (line === '') continue
      const record = JSON.parse(line) as { type: string; event?: { infohash?: string; error?: string } }
      if (record.type === 'torrent_error' && record.event?.infohash === infoHash) return record.event.error ?? ''
    }
  }
  throw new Error('the event stream ended')
}

describe('trouble with the disk', { skip: needs('root'), concurrency: 1 }, () => {
  let folder: TestFolder
  before(async () => {
    folder = await makeTestFolder()
  })
  after(() => folder?.remove())

  test('disk full: an error, an event, and it goes on when there is space', { timeout: 90_000 }, async () => {
    const small = await folder.sub('small-disk')
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', small])
    const made = makeTorrent({ name: 'big.bin', length: 16 * MIB, pieceLength: 128 * 1024, seed: 21 })
    const source = await startSource(made, folder, 'big.bin')
    const node = await startNode({ settings: { 'disk.min_free_bytes': MIB } })
    try {
      await writeFile(join(small, 'ballast'), Buffer.alloc(16 * MIB))
      await addDownload(node, source.magnet, small)
      const failed = await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_STOPPED_ON_ERROR')
      assert.match(failed.error, /full|space/i)
      assert.match(await errorEvent(node, made.infoHash), /full|space/i)
      await addDownload(node, source.magnet.replace(/xt=urn:btih:\w+/, `xt=urn:btih:${'ab'.repeat(20)}`), folder.path)
      await rm(join(small, 'ballast'))
      await downloadComplete(node, made.infoHash, 60_000)
      assert.deepEqual(await differences(made, small, 'big.bin'), [])
    } finally {
      await node.stop()
      await source.node.stop()
      execFileSync('umount', ['-l', small])
    }
  })

  test('vanished folder: an error and an event; resume fetches what is missing', { timeout: 90_000 }, async () => {
    const files = [
      { path: 'a.bin', length: 4 * MIB },
      { path: 'b.bin', length: 4 * MIB },
    ]
    const made = makeTorrent({ name: 'album', files, pieceLength: 64 * 1024, seed: 22 })
    const source = await startSource(made, folder, 'album', MIB)
    const node = await startNode()
    const to = await folder.sub('vanish-to')
    try {
      await addDownload(node, source.magnet, to)
      await downloadUntil(node, made.infoHash, record => record.progress > 0.2)
      await rm(join(to, 'album'), { recursive: true })
      const failed = await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_STOPPED_ON_ERROR')
      assert.notEqual(failed.error, '')
      assert.equal(await errorEvent(node, made.infoHash), failed.error)
      await source.node.request('POST', '/settings', { libtorrent: { max_upload_rate: 0 } })
      const resumed = await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'resume' })
      assert.equal(resumed.status, 200)
      await downloadComplete(node, made.infoHash, 60_000)
      assert.deepEqual(await differences(made, to, 'album'), [])
    } finally {
      await node.stop()
      await source.node.stop()
    }
  })
})
