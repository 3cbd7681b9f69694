// A torrent called `..` lies in a folder named by its info hash, and was shown as `..`: programs that put the folder of
// downloads and the name together meant the folder above. And folders that nothing is left in go with a download's
// data, others stay.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import { downloadRecord } from '../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

interface Named {
  readonly name: string
  readonly hashString: string
}

describe('as it lies on the disk', { concurrency: 1 }, () => {
  let folder: TestFolder
  let data: string
  let node: NodeProcess

  before(async () => {
    folder = await makeTestFolder()
    data = await folder.sub('data')
    node = await startNode({ stateDir: await folder.sub('state') })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  /** With empty files, which need no peer to be made. */
  const torrentOf = (name: string, seed: number): MadeTorrent => {
    const files = ['empty.txt', 'sub/deep/empty.txt', 'sub/other/empty.txt'].map(path => ({ path, length: 0 }))
    return makeTorrent({ name, files: [{ path: 'z.bin', length: 40_000 }, ...files], seed })
  }
  const add = async (torrent: MadeTorrent, more = ''): Promise<void> => {
    const path = `/downloads?destination=${encodeURIComponent(data)}${more}`
    assert.equal((await node.request('POST', path, torrent.torrent)).status, 200)
  }
  const rpc = async <T>(method: string, args: object): Promise<T> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    const first = await node.request('POST', '/transmission/rpc', '{}', headers)
    headers['x-transmission-session-id'] = String(first.headers.get('x-transmission-session-id'))
    const reply = await node.request('POST', '/transmission/rpc', JSON.stringify({ method, arguments: args }), headers)
    const answer = reply.json<{ result: string; arguments: T }>()
    assert.equal(answer.result, 'success')
    return answer.arguments
  }
  const made = (...parts: string[]): Promise<unknown> =>
    waitFor(parts.join('/'), () => existsSync(join(data, ...parts)))

  for (const [paused, seed] of [
    ['', 1],
    ['&paused=1', 2],
  ] as const) {
    test(`a torrent called .. is named by its info hash${paused}`, async () => {
      const torrent = torrentOf('..', seed)
      const { infoHash } = torrent
      await add(torrent, paused)
      if (paused === '') await made(infoHash, 'empty.txt')
      assert.equal((await downloadRecord(node, infoHash)).name, infoHash)
      const { torrents } = await rpc<{ torrents: Named[] }>('torrent-get', {
        fields: ['name', 'hashString'],
        ids: [infoHash],
      })
      assert.deepEqual(torrents, [{ name: infoHash, hashString: infoHash }])
    })
  }

  test('torrent-add names it so too', async () => {
    const torrent = torrentOf('..', 3)
    const metainfo = Buffer.from(torrent.torrent).toString('base64')
    const added = await rpc<{ 'torrent-added': Named }>('torrent-add', { metainfo, 'download-dir': data })
    assert.equal(added['torrent-added'].name, torrent.infoHash)
    await made(torrent.infoHash, 'empty.txt')
  })

  test('folders that are empty then go with the data, one with a file of somebody stays, the destination too', async () => {
    const [empty, kept] = [torrentOf('empty', 4), torrentOf('kept', 5)]
    for (const [name, torrent] of Object.entries({ empty, kept })) {
      await add(torrent)
      await made(name, 'sub', 'other', 'empty.txt')
    }
    await writeFile(join(data, 'kept', 'sub', 'other', 'notes.txt'), 'mine')
    for (const { infoHash } of [empty, kept])
      assert.equal((await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })).status, 200)
    assert.ok(!existsSync(join(data, 'empty')))
    assert.deepEqual((await readdir(join(data, 'kept'), { recursive: true })).sort(), [
      'sub',
      'sub/other',
      'sub/other/notes.txt',
    ])
    const { downloads } = await node.get<{ downloads: { infohash: string }[] }>('/downloads')
    for (const { infohash } of downloads)
      assert.equal((await node.request('DELETE', `/downloads/${infohash}`, { remove_data: true })).status, 200)
    assert.deepEqual(await readdir(data), ['kept'], 'the destination stays, and nothing else of a torrent')
  })
})
