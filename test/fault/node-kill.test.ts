// kill -9 of the built node at random moments under load: every command whose status line a client read is there after
// the restart, every event that was read is in the log, and the database is whole. KILLS=200 for `make soak-kill`.

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { DATABASE_FILE_NAME } from '../../src/records/database-file.ts'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { HaveWatcher } from './have-watcher.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { waitFor } from '../kit/wait-for.ts'
import { KillLoad } from './kill-load.ts'
import { startSeeder } from './kill-seeder.ts'

const KILLS = Number(process.env['KILLS'] ?? '20')
const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)
/** The kill comes after up to so many answers, and up to so many milliseconds later. */
const MAX_ANSWERS = 300
const MAX_LATE_MS = 8

/** Checks a copy of the files as the kill left them: opening the originals would mend them. */
function assertIntegrity(stateDir: string, folder: string): void {
  mkdirSync(folder)
  for (const ending of ['', '-wal']) {
    const from = join(stateDir, DATABASE_FILE_NAME + ending)
    if (existsSync(from)) copyFileSync(from, join(folder, DATABASE_FILE_NAME + ending))
  }
  const database = new Database(join(folder, DATABASE_FILE_NAME))
  assert.deepEqual(database.pragma('integrity_check'), [{ integrity_check: 'ok' }])
  assert.deepEqual(database.pragma('foreign_key_check'), [])
  database.close()
}

test(`kill -9 at ${KILLS} random moments under load`, { timeout: 60_000 + KILLS * 15_000 }, async t => {
  const folder = await makeTestFolder()
  const stateDir = await folder.sub('state')
  const random = new SeededRandom(SEED)
  const seeder = await startSeeder(folder, '127.0.0.2')
  let node: NodeProcess | null = null
  t.after(async () => {
    await node?.kill('SIGKILL')
    await seeder.node.stop()
    await folder.remove()
  })
  t.diagnostic(`SEED=${SEED}`)
  const load = new KillLoad(random, seeder.torrents, await folder.sub('to'))
  for (let kill = 0; kill < KILLS; kill++) {
    node = await startNode({ stateDir, until: random.below(5) === 0 && kill > 0 ? 'listening' : 'ready' })
    const ready = node.logs().stdout.includes('Ready.')
    if (ready) {
      await load.verify(node)
      const running = load.run(node)
      const target = load.answered + 1 + random.below(MAX_ANSWERS)
      await waitFor('answers', () => load.answered >= target, 30_000)
      await new Promise(resolve => setTimeout(resolve, random.below(MAX_LATE_MS)))
      await node.kill('SIGKILL')
      await running
    } else await node.kill('SIGKILL')
    assertIntegrity(stateDir, join(folder.path, `copy-${kill}`))
  }
  node = await startNode({ stateDir })
  await load.verify(node)
  t.diagnostic(`answered: ${JSON.stringify(load.counts)}`)
  for (const what of ['add', 'delete', 'change', 'setting', 'finished']) {
    assert.ok((load.counts[what] ?? 0) > KILLS / 4, `hardly any ${what}`)
  }
})

async function peerPort(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
}

/** The pieces that a download has after a start, when its files have been looked at. */
async function piecesOf(node: NodeProcess, infoHash: string): Promise<Set<number>> {
  await downloadUntil(node, infoHash, ({ status }) => status === 'DLSTATUS_DOWNLOADING', 20_000)
  const { pieces = '' } = await downloadRecord(node, infoHash, '?get_pieces=1')
  const bits = [...Buffer.from(pieces, 'base64')].flatMap(byte => [...byte.toString(2).padStart(8, '0')])
  return new Set(bits.flatMap((bit, piece) => (bit === '1' ? [piece] : [])))
}

/** A kill follows at once on the first message that tells of a piece after so many. */
const TOLD = [1, 3, 2, 5, 4, 7]

test('every piece that a peer was told of is there after kill -9', { timeout: 120_000 }, async t => {
  const folder = await makeTestFolder()
  const [stateDir, to, from] = [await folder.sub('state'), await folder.sub('to'), await folder.sub('from')]
  const made = makeTorrent({ name: 'told.bin', length: 8 * 2 ** 20, pieceLength: 16 * 1024, seed: 7 })
  await writeContent(made, from, 'told.bin')
  const torrent = await writeTorrent(made, folder.path)
  const settings = { 'libtorrent.interface': '127.0.0.3', 'libtorrent.max_upload_rate': 400_000 }
  const seeder = await startNode({ settings })
  let node: NodeProcess | null = null
  t.after(async () => {
    await node?.kill('SIGKILL')
    await seeder.stop()
    await folder.remove()
  })
  await addDownload(seeder, torrent, from)
  await downloadComplete(seeder, made.infoHash)
  const seed = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.3:${await peerPort(seeder)}`
  const told = new Set<number>()
  for (const [round, more] of [...TOLD, 0].entries()) {
    node = await startNode({ stateDir })
    if (round === 0) await addDownload(node, torrent, to)
    const had = await piecesOf(node, made.infoHash)
    assert.deepEqual(
      [...told].filter(piece => !had.has(piece)),
      [],
      'pieces that were told of are not there',
    )
    if (more === 0) break
    const { pid } = node
    const watcher = new HaveWatcher('127.0.0.1', await peerPort(node), made.infoHash)
    watcher.onHave = () => {
      if (watcher.told.length === more) process.kill(pid, 'SIGKILL')
    }
    await addDownload(node, seed, to)
    await node.ended()
    await waitFor('the end of the connection', () => watcher.gone)
    for (const piece of [...had, ...watcher.told]) told.add(piece)
  }
  assert.ok(told.size >= TOLD.length)
})
