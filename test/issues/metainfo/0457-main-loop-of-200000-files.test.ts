// Torrents of 200,000 files and of 200,000 folders held the main loop for a second and more when they were added, shown
// and deleted. Measured in a real node as time on a processor without a turn of the loop, which the load of the machine
// does not change.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import { manyFilesTorrent } from '../../kit/content/heavy-torrents.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

/**
 * Far above what one turn takes (some 20 ms), for collections of garbage; a pass over all files in one go takes a
 * second.
 */
const LIMIT_MS = 250

interface Stretch {
  readonly longest: number
  readonly resets: number
}

describe('the main loop', { concurrency: 1, skip: !existsSync('/proc/self/schedstat') }, () => {
  let folder: TestFolder
  let data: string
  let node: NodeProcess
  let figures: string
  let resets = 0

  before(async () => {
    folder = await makeTestFolder()
    data = await folder.sub('data')
    figures = join(folder.path, 'stretch.json')
    const probe = new URL('../../kit/nodes/cpu-stretch-probe.js', import.meta.url).href
    const env = { NODE_OPTIONS: `--import ${probe}`, CPU_STRETCH: figures }
    node = await startNode({ stateDir: await folder.sub('state'), env })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  const look = (): Stretch | null =>
    existsSync(figures) ? (JSON.parse(readFileSync(figures, 'utf8')) as Stretch) : null

  /** The longest stretch while `work` runs, ms. */
  async function stretchOf(work: () => Promise<void>): Promise<number> {
    resets += 1
    process.kill(node.pid, 'SIGUSR2')
    await waitFor('a new count', () => look()?.resets === resets)
    await work()
    return look()?.longest ?? Number.NaN
  }
  async function bounded(what: string, method: string, path: string, body?: unknown): Promise<void> {
    const longest = await stretchOf(async () => {
      const reply = await node.request(method, path, body)
      assert.equal(reply.status, 200, `${what}: ${reply.body.toString('utf8', 0, 300)}`)
    })
    assert.ok(longest < LIMIT_MS, `${what}: ${longest} ms without a turn`)
  }
  const add = async (torrent: Uint8Array, more: string): Promise<string> => {
    await bounded('adding', 'POST', `/downloads?destination=${encodeURIComponent(data)}${more}`, torrent)
    const { downloads } = await node.get<{ downloads: { infohash: string }[] }>('/downloads')
    return downloads[0]?.infohash ?? ''
  }

  test('turns while 200,000 files are added, listed and deleted', async () => {
    const infoHash = await add(manyFilesTorrent(200_000), '&paused=1')
    await bounded('listing', 'GET', '/downloads')
    await bounded('files', 'GET', `/downloads/${infoHash}/files`)
    await bounded('deleting', 'DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('turns while 30,000 folders are added and deleted with their data', async () => {
    const infoHash = await add(manyFilesTorrent(30_000, true), '&paused=1')
    await bounded('deleting', 'DELETE', `/downloads/${infoHash}`, { remove_data: true })
    assert.ok(!existsSync(join(data, 'own folders')))
  })
})
