// Which nodes a built node asks first in the DHT: those of the setting, by address and by name, and those that torrents
// name.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { decodeBencode, encodeBencode } from '../../src/wire/bencode.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { addDownload } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { type RealDhtNode, startDhtNode } from '../kit/peers/real-dht.ts'
import { waitFor } from '../kit/wait-for.ts'

describe('the first nodes of the DHT', { concurrency: 1 }, () => {
  const dht: RealDhtNode[] = []
  /** Datagrams that came to each. */
  const heard = [0, 0]
  let folder: TestFolder

  before(async () => {
    folder = await makeTestFolder()
    for (const at of [0, 1]) {
      dht.push(await startDhtNode('127.0.0.1', [], {}, () => void (heard[at] = (heard[at] ?? 0) + 1)))
    }
  })
  beforeEach(() => heard.fill(0))
  after(async () => {
    for (const node of dht) await node.stop()
    await folder?.remove()
  })

  const portOf = (at: number): number => dht[at]?.address.port ?? 0
  const isAsked = (at: number) => waitFor('it is asked', () => (heard[at] ?? 0) > 0, 20_000)
  const withNode = async (settings: Record<string, string>, use: (node: NodeProcess) => Promise<unknown>) => {
    const node = await startNode({ settings: { 'libtorrent.dht': true, ...settings } })
    try {
      await use(node)
    } finally {
      await node.stop()
    }
  }
  /** Adds a torrent that names one of the nodes. */
  const add = async (node: NodeProcess, at: number, isPrivate: boolean): Promise<void> => {
    const { info } = makeTorrent({ length: 50_000, seed: at + 10, private: isPrivate })
    const nodes = [['127.0.0.1', portOf(at)]]
    const path = join(folder.path, `${at}.torrent`)
    await writeFile(path, encodeBencode({ info: decodeBencode(info), nodes }))
    await addDownload(node, `file:${path}`, folder.path)
  }

  for (const host of ['127.0.0.1', 'localhost']) {
    test(`libtorrent.dht_bootstrap: ${host}`, { timeout: 60_000 }, async () => {
      // A node that is bound asks name servers from there: they do not know this name.
      const settings = { 'libtorrent.dht_bootstrap': `${host}:${portOf(0)}`, 'libtorrent.interface': '' }
      await withNode(settings, () => isAsked(0))
      assert.equal(heard[1], 0)
    })
  }

  test('a torrent names a node, a private one to no avail', { timeout: 60_000 }, async () => {
    await withNode({ 'libtorrent.dht_bootstrap': '', 'network.allow_private': '127.0.0.0/8' }, async node => {
      await add(node, 0, true)
      await add(node, 1, false)
      await isAsked(1)
      assert.equal(heard[0], 0)
    })
  })

  test('nobody at home is asked because a torrent says so', { timeout: 60_000 }, async () => {
    const bootstrap = `127.0.0.1:${portOf(1)}`
    const settings = { 'libtorrent.dht_bootstrap': bootstrap, 'network.allow_private': '10.0.0.0/8' }
    await withNode(settings, async node => {
      await add(node, 0, false)
      await isAsked(1)
      assert.equal(heard[0], 0)
    })
  })
})
