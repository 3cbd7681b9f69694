// POST /createtorrent and the command create of the built program: the torrent, its file, its events, and a download
// that seeds at once and still does after a restart.

import assert from 'node:assert/strict'
import { mkdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { EventRecord } from '../../src/services/api.ts'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { downloadComplete } from '../kit/nodes/downloads-client.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'

interface Created {
  readonly id: number
  readonly infohash: string
  readonly infohash_v2: string | null
  readonly torrent_path: string | null
  readonly added: boolean
  readonly skipped: number
  readonly torrent: string
}

describe('making torrents', { concurrency: 1 }, () => {
  let folder: TestFolder
  let root: string
  let stateDir: string
  let node: NodeProcess

  before(async () => {
    folder = await makeTestFolder()
    root = await realpath(folder.path)
    stateDir = await folder.sub('state')
    await mkdir(join(root, 'film', 'extras'), { recursive: true })
    await writeFile(join(root, 'film', 'film.mkv'), seededBytes(5_000_000, 1))
    await writeFile(join(root, 'film', 'extras', 'a.txt'), 'extra')
    await writeFile(join(root, 'film', 'empty'), '')
    await symlink('/etc/hostname', join(root, 'film', 'link'))
    node = await startNode({ stateDir })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  const create = async (body: object) => node.request('POST', '/createtorrent', body)

  /** Events after `since` of a creation, by type. */
  const eventTypes = async (id: number): Promise<Set<string>> => {
    const abort = new AbortController()
    const reply = await fetch(`${node.baseUrl}/events?since=0`, {
      headers: { 'x-api-key': node.key },
      signal: abort.signal,
    })
    const found = new Set<string>()
    let text = ''
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines.filter(entry => entry !== '')) {
        const record = JSON.parse(line) as EventRecord
        if (record.event?.['id'] === id) found.add(record.type)
      }
      if (found.has('torrent_created') || found.has('torrent_creation_failed')) break
    }
    abort.abort()
    return found
  }

  test('one request: made, written next to the content, added, seeding; again after a restart', async () => {
    const reply = await create({
      path: join(root, 'film'),
      export: true,
      add: true,
      trackers: ['http://127.0.0.1:1/announce'],
    })
    assert.equal(reply.status, 200, reply.body.toString())
    const created = reply.json<Created>()
    const bytes = Buffer.from(created.torrent, 'base64')
    const metainfo = decodeMetainfo(bytes)
    assert.equal(created.infohash, metainfo.infoHash)
    assert.equal(created.infohash_v2, metainfo.v2?.infoHash)
    assert.equal(created.skipped, 1)
    assert.equal(created.torrent_path, join(root, 'film.torrent'))
    assert.ok((await readFile(join(root, 'film.torrent'))).equals(bytes))
    assert.deepEqual(metainfo.announceTiers, [['http://127.0.0.1:1/announce']])
    assert.equal(created.added, true)
    const record = await downloadComplete(node, created.infohash)
    assert.equal(record.destination, root)
    assert.deepEqual(await eventTypes(created.id), new Set(['torrent_creation_progress', 'torrent_created']))
    await node.stop()
    node = await startNode({ stateDir })
    await downloadComplete(node, created.infohash)
  })

  test('a torrent file is not written over, and an unknown path is a sentence', async () => {
    const again = await create({ path: join(root, 'film'), export: true })
    assert.equal(again.status, 409, again.body.toString())
    const nothing = await create({ path: join(root, 'nothing') })
    assert.equal(nothing.status, 400)
    assert.match(nothing.body.toString(), /there is nothing/)
  })

  test('the command makes the same info hashes and writes once', async () => {
    const out = join(root, 'cli.torrent')
    const first = await runCli(['create', join(root, 'film'), '-o', out, '--no-date', '--no-creator'])
    assert.equal(first.code, 0, first.stderr)
    const made = decodeMetainfo(await readFile(out))
    assert.equal(made.creationDateSec, null)
    assert.equal(made.createdBy, null)
    const reply = await create({ path: join(root, 'film') })
    assert.equal(reply.json<Created>().infohash, made.infoHash)
    assert.match(first.stdout, new RegExp(`^v1 ${made.infoHash}$`, 'm'))
    assert.match(first.stderr, /1 links or devices were left out/)
    const before = await stat(out)
    const second = await runCli(['create', join(root, 'film'), '-o', out])
    assert.equal(second.code, 1)
    assert.equal((await stat(out)).mtimeMs, before.mtimeMs)
  })
})
