// SIGTERM ended a node only when everything in it had answered: a silent name server held it for 20 s, a stalled mount
// for as long as that was stalled.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type ExitedNode, type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { startSilentNames } from './silent-names.ts'
import { makeStalledMount } from '../../kit/doubles/stalled-mount.ts'
import { waitFor } from '../../kit/wait-for.ts'

const skip = needs('root', 'mounts')
const MIB = 2 ** 20
/** A mount answers again after this long, ms: the kernel lets go of nobody before. */
const HELD_MS = 8000

/** The end of a node that is asked to stop, and how long that took, ms. */
async function stopped(node: NodeProcess, onHeld: () => void = () => undefined): Promise<ExitedNode & { ms: number }> {
  const began = performance.now()
  const held = setTimeout(() => onHeld(), HELD_MS)
  const end = await node.kill('SIGTERM').finally(() => clearTimeout(held))
  return { ...end, ms: performance.now() - began }
}

/** Threads that wait for an answer of a FUSE file system. */
function threadsHeld(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.filter(task => readFileSync(`/proc/${pid}/task/${task}/wchan`, 'latin1') === 'request_wait_answer')
    .length
}

function inOrder(end: ExitedNode & { ms: number }): void {
  assert.ok(end.ms < 5000, `${end.ms.toFixed()} ms\n${end.stderr}`)
  assert.deepEqual([end.code, end.signal], [0, null], end.stderr)
}

describe('stopping', { concurrency: 2 }, () => {
  test('a silent name server holds neither the stop nor work on files', { skip, timeout: 60_000 }, async () => {
    const folder = await makeTestFolder()
    const names = await startSilentNames(folder.path)
    const settings = { 'libtorrent.dht': true, 'libtorrent.interface': '' }
    const node = await startNode({ prefix: names.prefix, settings, stateDir: await folder.sub('state') })
    try {
      const trackers = Array.from({ length: 40 }, (_, at) => `&tr=udp%3A%2F%2Ft${at}.example%3A80`).join('')
      await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${'a'.repeat(40)}${trackers}` })
      await waitFor('questions', () => names.heard() > 4)
      const began = performance.now()
      const made = makeTorrent({ name: 'film.bin', length: 8 * MIB, pieceLength: 256 * 1024 })
      const home = await folder.sub('data')
      await writeContent(made, home, 'film.bin')
      await downloadComplete(node, await addDownload(node, await writeTorrent(made, folder.path), home))
      assert.ok(performance.now() - began < 5000, 'a file was checked meanwhile')
      inOrder(await stopped(node))
    } finally {
      await node.stop()
      names.close()
      await folder.remove()
    }
  })

  test('a stalled mount does not hold the stop, and a second start on the same directory works', {
    skip: skip || needs('bindfs'),
    timeout: 90_000,
  }, async () => {
    const folder = await makeTestFolder()
    const mount = await makeStalledMount(folder.path)
    const made = makeTorrent({ name: 'film.bin', length: 64 * MIB, pieceLength: 256 * 1024 })
    await writeContent(made, mount.path, 'film.bin')
    const stateDir = await folder.sub('state')
    let node = await startNode({ stateDir })
    try {
      const infoHash = await addDownload(node, await writeTorrent(made, folder.path), mount.path)
      await downloadComplete(node, infoHash)
      mount.stall()
      const hung = Array.from({ length: 8 }, (_, at) => {
        const other = `magnet:?xt=urn:btih:${String(at).repeat(40)}`
        const add = { uri: other, destination: join(mount.path, `new-${at}`) }
        return [node.request('PUT', '/downloads', add), node.request('GET', `/downloads/${infoHash}/stream/0`)]
      }).flat()
      for (const one of hung) one.catch(() => undefined)
      await waitFor('a thread that the mount holds', () => threadsHeld(node.pid))
      const end = await stopped(node, () => mount.recover())
      node = await startNode({ stateDir, until: 'listening' })
      inOrder(end)
      inOrder(await stopped(node, () => mount.recover()))
    } finally {
      mount.recover()
      await node.stop()
      await mount.remove()
      await folder.remove()
    }
  })
})
