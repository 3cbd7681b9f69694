// A file that another program changes under a complete download: players got 206 with the other file's bytes (from the
// second GET on after a replacement, for good after a change in place), and peers 20 of 20 wrong blocks.

import assert from 'node:assert/strict'
import { appendFile, open, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { BlockLeech } from '../../kit/peers/block-leech.ts'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type FollowedEvent, followEvents } from '../../kit/nodes/followed-events.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

const KIB = 1024
const PIECE = 64 * KIB
const LENGTH = 40 * PIECE
const BLOCK = 16 * KIB

interface Explanation {
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
}

/** What a stranger does to a file, how the event calls it, and how many of the 40 pieces do not fit afterwards. */
const CHANGES: readonly { change: string; lost: number; make(path: string): Promise<void> }[] = [
  {
    change: 'replaced',
    lost: 40,
    async make(path) {
      await writeFile(`${path}.new`, Buffer.alloc(LENGTH, 'x'))
      await rename(`${path}.new`, path)
    },
  },
  {
    change: 'changed',
    lost: 40,
    async make(path) {
      const file = await open(path, 'r+')
      await file.write(Buffer.alloc(LENGTH, 'y'), 0, LENGTH, 0)
      await file.close()
    },
  },
  { change: 'cut', lost: 30, make: path => truncate(path, 10 * PIECE) },
  { change: 'grown', lost: 0, make: path => appendFile(path, 'more') },
]

async function portOf(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
}

describe('files changed by somebody else', { concurrency: 5 }, () => {
  let folder: TestFolder
  let node: NodeProcess
  let other: NodeProcess
  let events: FollowedEvent[]
  const end = new AbortController()
  before(async () => {
    folder = await makeTestFolder()
    node = await startNode()
    other = await startNode({ settings: { 'libtorrent.interface': '127.0.0.2' } })
    events = await followEvents(node, ['torrent_file_changed', 'torrent_file_checked', 'torrent_error'], end.signal)
  })
  after(async () => {
    end.abort()
    await node?.stop()
    await other?.stop()
    await folder?.remove()
  })

  /** Reads a part of the file: its bytes, or the status of a refusal; 'cut' when it ends early or does not come. */
  async function read(made: MadeTorrent, from = 0, length = 5 * PIECE, limitMs = 500): Promise<Buffer | string> {
    try {
      const reply = await fetch(`${node.baseUrl}/downloads/${made.infoHash}/stream/0`, {
        headers: { 'x-api-key': node.key, range: `bytes=${from}-${from + length - 1}` },
        signal: AbortSignal.timeout(limitMs),
      })
      const body = Buffer.from(await reply.arrayBuffer())
      return reply.status === 206 && body.length === length ? body : String(reply.status)
    } catch {
      return 'cut'
    }
  }
  const right = (made: MadeTorrent, from = 0, length = 5 * PIECE) =>
    Buffer.from(made.content.subarray(from, from + length))
  const eventOf = (made: MadeTorrent, type: string) =>
    events.find(one => one.type === type && one.event?.infohash === made.infoHash)?.event

  test('a stopped download: who reads waits for the check of that file; the next run fetches what is gone', async () => {
    const files = [
      { path: 'a.bin', length: 10 * PIECE },
      { path: 'b.bin', length: 10 * PIECE },
    ]
    const made = makeTorrent({ name: 'two', files, pieceLength: PIECE, seed: 70 })
    const place = await folder.sub('stopped')
    await writeContent(made, place, 'two')
    await addDownload(node, await writeTorrent(made, folder.path), place)
    await downloadComplete(node, made.infoHash)
    await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'stop' })
    assert.deepEqual(await read(made), right(made))
    await writeFile(join(place, 'two/a.bin'), Buffer.alloc(10 * PIECE, 'z'))
    // Times of files come in steps.
    await utimes(join(place, 'two/a.bin'), new Date(), new Date(Date.now() + 1000))
    await waitFor('the change is seen', async () => {
      await read(made, 0, PIECE, 200)
      return eventOf(made, 'torrent_file_changed')
    })
    for (let i = 0; i < 3; i += 1) assert.equal(typeof (await read(made)), 'string', 'wrong bytes')
    await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'resume' })
    const record = await downloadUntil(node, made.infoHash, one => one.status === 'DLSTATUS_DOWNLOADING')
    assert.equal(record.progress, 0.5, 'the other file is had')
  })

  for (const [i, { change, lost, make }] of CHANGES.entries()) {
    test(`${change}: nobody gets a wrong byte, and it is whole again`, { timeout: 60_000 }, async () => {
      const name = `${change}.bin`
      const made = makeTorrent({ name, length: LENGTH, pieceLength: PIECE, seed: 60 + i })
      const place = await folder.sub(change)
      const path = join(place, name)
      await writeContent(made, place, name)
      const torrent = await writeTorrent(made, folder.path)
      await addDownload(node, torrent, place)
      await downloadComplete(node, made.infoHash)
      const leech = await BlockLeech.join(await portOf(node), made.infoHash)
      assert.deepEqual(await read(made), right(made))
      assert.deepEqual(await leech.ask(0, 0, BLOCK), right(made, 0, BLOCK))
      const tagOf = async () => {
        const url = `${node.baseUrl}/downloads/${made.infoHash}/stream/0`
        return (await fetch(url, { method: 'HEAD', headers: { 'x-api-key': node.key } })).headers.get('etag')
      }
      const tag = await tagOf()

      await make(path)
      // Within the second after the last look nobody can tell. From the one that tells on, no byte is wrong.
      await waitFor('the change is seen', async () => {
        await read(made, 11 * PIECE, 64 * KIB, 200)
        return eventOf(made, 'torrent_file_changed')
      })
      assert.equal(eventOf(made, 'torrent_file_changed')?.change, change)
      assert.equal(eventOf(made, 'torrent_file_changed')?.file, name)
      for (const at of [0, 0, 15, 30]) {
        const bytes = await read(made, at * PIECE)
        if (typeof bytes !== 'string') assert.deepEqual(bytes, right(made, at * PIECE), `GET at piece ${at}`)
      }
      let wrong = 0
      for (let piece = 20; piece < 40; piece += 1) {
        const block = await leech.ask(piece, 0, BLOCK, 100)
        if (block !== null && !block.equals(right(made, piece * PIECE, BLOCK))) wrong += 1
      }
      assert.equal(wrong, 0, `${wrong} of 20 blocks are wrong`)
      leech.close()

      await waitFor('the file is checked', () => eventOf(made, 'torrent_file_checked'))
      assert.equal(eventOf(made, 'torrent_file_checked')?.lost_pieces, lost)
      const { reasons } = await node.get<Explanation>(`/downloads/${made.infoHash}/explain`)
      const reason = reasons.find(one => one.code === 'file_changed')
      if (lost > 0) assert.match(reason?.message ?? '', new RegExp(`${name} \\(${change}\\)`))
      await writeContent(made, await folder.sub(`${change}-other`), name)
      const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${await portOf(node)}`
      await addDownload(other, magnet, await folder.sub(`${change}-other`))
      await downloadComplete(node, made.infoHash, 40_000)
      assert.deepEqual(await read(made, 0, LENGTH, 10_000), right(made, 0, LENGTH))
      assert.deepEqual((await readFile(path)).subarray(0, LENGTH), right(made, 0, LENGTH))
      assert.equal(await tagOf(), tag, 'the tag names the content')
      assert.equal(eventOf(made, 'torrent_error'), undefined)
    })
  }
})
