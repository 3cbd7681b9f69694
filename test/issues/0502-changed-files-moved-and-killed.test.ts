// Files that somebody else changes, where a download was just moved at its completion, and where the process is killed while a
// file is in doubt.

import assert from 'node:assert/strict'
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../kit/downloads-client.ts'
import { type FollowedEvent, followEvents } from '../kit/followed-events.ts'
import { freePort } from '../kit/free-port.ts'
import { type MadeTorrent, makeTorrent } from '../kit/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const PIECE = 64 * 1024
const LENGTH = 200 * PIECE
const EVENTS = ['torrent_file_changed', 'torrent_file_checked', 'storage_moved', 'torrent_error']

/** The first pieces: their bytes, 'cut' when they do not come, or the status of a refusal. */
async function read(node: NodeProcess, made: MadeTorrent, limitMs = 500): Promise<Buffer | string> {
  try {
    const reply = await fetch(`${node.baseUrl}/downloads/${made.infoHash}/stream/0`, {
      headers: { 'x-api-key': node.key, range: `bytes=0-${5 * PIECE - 1}` },
      signal: AbortSignal.timeout(limitMs),
    })
    const body = Buffer.from(await reply.arrayBuffer())
    return reply.status === 206 && body.length === 5 * PIECE ? body : String(reply.status)
  } catch {
    return 'cut'
  }
}

/** Fails when wrong bytes came. */
async function assertNothingWrong(node: NodeProcess, made: MadeTorrent): Promise<void> {
  const bytes = await read(node, made)
  if (typeof bytes !== 'string') assert.ok(bytes.equals(made.content.subarray(0, 5 * PIECE)), 'wrong bytes')
}

const has = (events: readonly FollowedEvent[], type: string): boolean => events.some(event => event.type === type)

/** As `cp -p` and `mv` do it: other bytes, the same length and time. */
function replace(path: string): void {
  const { atime, mtime } = statSync(path)
  writeFileSync(`${path}.new`, Buffer.alloc(LENGTH, 'x'))
  utimesSync(`${path}.new`, atime, mtime)
  renameSync(`${path}.new`, path)
}

test('moved at completion: no false alarm, and a change afterwards is seen', { timeout: 60_000 }, async () => {
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: 'film.bin', length: LENGTH, pieceLength: PIECE, seed: 502 })
  const [seeds, done, to] = [await folder.sub('seeds'), await folder.sub('done'), await folder.sub('to')]
  const port = await freePort()
  const seeder = await startNode({ settings: { 'libtorrent.port': port } })
  // Only what is in the folder of the settings is moved.
  const settings = { 'download_defaults.saveas': to, 'download_defaults.completed_dir': done }
  const node = await startNode({ settings })
  const following = new AbortController()
  try {
    const events = await followEvents(node, EVENTS, following.signal)
    await writeContent(made, seeds, '')
    await downloadComplete(seeder, await addDownload(seeder, await writeTorrent(made, folder.path), seeds), 20_000)
    await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${port}`, to)
    await waitFor('the move', () => has(events, 'storage_moved'))
    await seeder.stop()
    const right = made.content.subarray(0, 5 * PIECE)
    for (let look = 0; look < 3; look += 1) {
      // Looks are a second apart: the time of the file's own reading moves on by them.
      await waitFor('the bytes', async () => (await read(node, made)) instanceof Buffer)
      assert.ok(((await read(node, made)) as Buffer).equals(right))
      const until = performance.now() + 1100
      await waitFor('the next look', () => performance.now() > until)
    }
    assert.deepEqual(
      events.map(({ type }) => type),
      ['storage_moved'],
    )
    replace(join(done, 'film.bin'))
    await waitFor('the change is seen', async () => {
      await read(node, made, 200)
      return has(events, 'torrent_file_changed')
    })
    for (let i = 0; i < 5; i += 1) await assertNothingWrong(node, made)
  } finally {
    following.abort()
    await node.stop()
    await seeder.stop()
    await folder.remove()
  }
})

test('killed while a file is in doubt: after the restart no wrong byte is served', { timeout: 90_000 }, async () => {
  const folder = await makeTestFolder()
  const stateDir = await folder.sub('state')
  let node = await startNode({ stateDir })
  try {
    for (let round = 0; round < 3; round += 1) {
      const name = `film-${round}.bin`
      const made = makeTorrent({ name, length: LENGTH, pieceLength: PIECE, seed: 510 + round })
      const place = await folder.sub(`place-${round}`)
      await writeContent(made, place, '')
      await downloadComplete(node, await addDownload(node, await writeTorrent(made, folder.path), place), 20_000)
      await waitFor('the bytes', async () => (await read(node, made)) instanceof Buffer)
      const following = new AbortController()
      const events = await followEvents(node, EVENTS, following.signal)
      replace(join(place, name))
      // The event comes as soon as the change is seen: nothing is hashed by then, or little.
      await waitFor('the change is seen', async () => {
        await read(node, made, 100)
        return has(events, 'torrent_file_changed')
      })
      following.abort()
      await node.kill('SIGKILL')
      node = await startNode({ stateDir })
      for (let i = 0; i < 5; i += 1) await assertNothingWrong(node, made)
      const lost = await downloadUntil(node, made.infoHash, ({ progress }) => progress < 1, 20_000)
      assert.equal(lost.progress, 0)
      assert.ok(
        readFileSync(join(place, name)).every(byte => byte === 0x78),
        'nothing is written without a peer',
      )
    }
  } finally {
    await node.stop()
    await folder.remove()
  }
})
