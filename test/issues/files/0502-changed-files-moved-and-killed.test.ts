// Files that other programs change, where a download was just moved at its completion, and where the process is killed
// while a file is in doubt, or has found it while the download is stopped.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type FollowedEvent, followEvents } from '../../kit/nodes/followed-events.ts'
import { freePort } from '../../kit/free-port.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const PIECE = 64 * 1024
const LENGTH = 200 * PIECE
const needsGcc = { skip: needs('gcc'), timeout: 90_000 }
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

// They mostly wait, each for nodes and folders of its own.
describe('files changed around moves, kills and stops', { concurrency: 5 }, () => {
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

  /** Where the doubt is found, and how the run ends that has it. */
  const DOUBTS = [
    'while it seeds, killed',
    'while it is stopped, killed',
    'while it is stopped, ended in order',
    'while it seeds, stopped by the user, killed',
  ] as const

  for (const [i, how] of DOUBTS.entries()) {
    test(`a file in doubt ${how}: the next run hashes it and serves no wrong byte`, needsGcc, async t => {
      const { node, again, made, file, order } = await stallingScene(t, 510 + i)
      if (how.startsWith('while it is stopped')) await order('stop')
      await waitFor('the bytes', async () => (await read(node, made)) instanceof Buffer)
      const following = new AbortController()
      t.after(() => following.abort())
      const events = await followEvents(node, EVENTS, following.signal)
      replace(file)
      const until = performance.now() + 1100
      await waitFor('the next look', () => performance.now() > until)
      // From here on nothing is hashed. One request sees the change; the second would make a stopped download run for
      // its reader.
      const release = await again.stall()
      await assertNothingWrong(node, made)
      await waitFor('the change is told', () => has(events, 'torrent_file_changed'))
      if (how.includes('stopped by the user')) {
        // Answered when nothing is under way any more.
        order('stop').catch(() => undefined)
        await downloadUntil(node, made.infoHash, ({ status }) => status === 'DLSTATUS_STOPPED', 5000)
      }
      assert.ok(!has(events, 'torrent_file_checked'), 'it is still in doubt')
      await (how.endsWith('ended in order') ? node.stop() : node.kill('SIGKILL'))
      await release()
      const next = await again.start()
      for (let look = 0; look < 5; look += 1) await assertNothingWrong(next, made)
      await next.request('PATCH', `/downloads/${made.infoHash}`, { state: 'resume' })
      const lost = await downloadUntil(next, made.infoHash, ({ progress }) => progress < 1, 20_000)
      assert.equal(lost.progress, 0)
      assert.ok(
        readFileSync(file).every(byte => byte === 0x78),
        'nothing is written without a peer',
      )
    })
  }
})

/** A node with a complete film whose reads can be made to wait. */
async function stallingScene(t: TestContext, seed: number) {
  const folder = await makeTestFolder()
  const library = join(folder.path, 'stall.so')
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, join(projectRoot, 'test/kit/doubles/stalled-disk.c'), '-ldl'])
  const gate = join(folder.path, 'gate')
  const [stateDir, place] = [await folder.sub('state'), await folder.sub('place')]
  const env = { LD_PRELOAD: library, STALL_GATE: gate, STALL_PART: 'film.bin' }
  const nodes: NodeProcess[] = []
  const start = async (): Promise<NodeProcess> => {
    const started = await startNode({ stateDir, env })
    nodes.push(started)
    return started
  }
  t.after(async () => {
    await rm(gate, { force: true })
    for (const one of nodes) await one.stop()
    await folder.remove()
  })
  const stall = async () => {
    await writeFile(gate, '')
    return () => rm(gate)
  }
  const node = await start()
  const made = makeTorrent({ name: 'film.bin', length: LENGTH, pieceLength: PIECE, seed })
  await writeContent(made, place, '')
  await downloadComplete(node, await addDownload(node, await writeTorrent(made, folder.path), place), 20_000)
  const order = (state: string) => node.request('PATCH', `/downloads/${made.infoHash}`, { state })
  return { node, again: { stall, start }, made, file: join(place, 'film.bin'), order }
}
