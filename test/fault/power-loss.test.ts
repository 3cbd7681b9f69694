// The power goes: the node is killed, what it wrote and never synced is taken back, and it starts on another boot.
// Every answered command, setting and key is there, and what a checkpoint says of files is true of them; pieces since
// then may have to be hashed or fetched again.

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import Database from 'better-sqlite3'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { MortalDisk } from './lost-power.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { waitFor } from '../kit/wait-for.ts'
import { DATABASE_FILE_NAME } from '../../src/records/database-file.ts'
import { temporaryFolder } from '../unit/records/records-kit.ts'
import { KillLoad } from './kill-load.ts'
import { startSeeder } from './kill-seeder.ts'
import { killAfter } from './killed-child.ts'

const skip = needs('gcc')
const PIECE_BYTES = 64 * 1024
const CUTS = Number(process.env['CUTS'] ?? '3')
const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)

test('the cut itself: what was synced stays, all else is as it was', { skip }, async t => {
  const disk = new MortalDisk(temporaryFolder(t))
  const before = readFileSync(disk.env['POWER_BOOT'] ?? '', 'utf8')
  await killAfter(new URL('./power-writer.js', import.meta.url), [disk.root], 1, { env: disk.env })
  disk.cutPower()
  assert.notEqual(readFileSync(disk.env['POWER_BOOT'] ?? '', 'utf8'), before)
  const read = (name: string): string => readFileSync(join(disk.root, name), 'utf8')
  const old = ['renamed', 'removed', 'cut', 'appended', 'inside', 'vectors']
  assert.deepEqual(
    old.map(read),
    old.map(() => 'old old old'),
  )
  assert.deepEqual([read('replaced'), read('later')], ['new', 'syn old old'])
  const names = readdirSync(disk.root).filter(name => name !== 'db')
  assert.deepEqual(names.toSorted(), [...old, 'later', 'replaced'].toSorted())
  const records = new Database(join(disk.root, 'db/records.db'))
  assert.deepEqual(records.prepare('SELECT n FROM t').pluck().all(), [1], 'what was committed without a sync is there')
  records.close()
})

test('keys of wallets, their changes and the log of what was done stay, from the first on', { skip }, async t => {
  const disk = new MortalDisk(temporaryFolder(t))
  await killAfter(new URL('./key-writer.js', import.meta.url), [disk.root], 1, { env: disk.env })
  disk.cutPower()
  const read = (name: string): string => readFileSync(join(disk.root, 'wallets/keys', name), 'utf8')
  assert.deepEqual(['one.json', 'two.json', 'audit.log'].map(read), ['first', 'new', 'a line\n'])
})

test(`${CUTS} power cuts under load: what was answered holds, what is said to be there is there`, {
  skip,
  timeout: 60_000 + CUTS * 20_000,
}, async t => {
  const folder = await makeTestFolder()
  const disk = new MortalDisk(await folder.sub('cuts'))
  const [stateDir, to] = [join(disk.root, 'state'), join(disk.root, 'to')]
  for (const path of [stateDir, to]) mkdirSync(path)
  const random = new SeededRandom(SEED)
  const seeder = await startSeeder(folder, '127.0.0.4')
  let node: NodeProcess | null = null
  t.after(async () => {
    await node?.kill('SIGKILL')
    await seeder.node.stop()
    await folder.remove()
  })
  t.diagnostic(`SEED=${SEED}`)
  const load = new KillLoad(random, seeder.torrents, to, true)
  let secrets: string | null = null
  for (let cut = 0; cut <= CUTS; cut++) {
    node = await startNode({ stateDir, env: disk.env })
    const found = `${node.key} ${readFileSync(join(stateDir, 'link-secret'), 'hex')}`
    assert.equal(found, secrets ?? found, 'the keys are others')
    secrets = found
    await load.verify(node)
    if (cut === CUTS) break
    const running = load.run(node)
    const target = load.answered + 50 + random.below(200)
    await waitFor('answers', () => load.answered >= target, 30_000)
    await node.kill('SIGKILL')
    await running
    t.diagnostic(JSON.stringify(disk.cutPower(cut === 0 ? 'all' : random)))
  }
  t.diagnostic(`answered: ${JSON.stringify(load.counts)}`)
  for (const what of ['add', 'delete', 'change', 'setting', 'claimed']) assert.ok((load.counts[what] ?? 0) > 0, what)
})

/** A node on a disk of its own that fetches a torrent from another one. */
async function fetching(t: TestContext, length: number, uploadRate: number) {
  const folder = await makeTestFolder()
  const disk = new MortalDisk(await folder.sub('fetching'))
  const [stateDir, to, from] = [join(disk.root, 'state'), join(disk.root, 'to'), await folder.sub('from')]
  for (const path of [stateDir, to]) mkdirSync(path)
  const made = makeTorrent({ name: 'kept.bin', length, pieceLength: PIECE_BYTES, seed: 9 })
  await writeContent(made, from, 'kept.bin')
  const torrent = await writeTorrent(made, folder.path)
  const settings = { 'libtorrent.interface': '127.0.0.5', 'libtorrent.max_upload_rate': uploadRate }
  const seeder = await startNode({ settings })
  const nodes = [seeder]
  const start = async (): Promise<NodeProcess> => {
    const node = await startNode({ stateDir, env: disk.env })
    nodes.push(node)
    return node
  }
  t.after(async () => {
    for (const node of nodes) await node.kill('SIGKILL')
    await folder.remove()
  })
  await addDownload(seeder, torrent, from)
  await downloadComplete(seeder, made.infoHash)
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const node = await start()
  await addDownload(node, torrent, to)
  const peer = `127.0.0.5:${variables.ports['libtorrent~port']}`
  await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`, to)
  return { disk, made, node, seeder, start, file: join(to, 'kept.bin'), database: join(stateDir, DATABASE_FILE_NAME) }
}

test('a checkpoint holds: what it says is there is there after the power went', { skip, timeout: 60_000 }, async t => {
  const { disk, made, node, seeder, start, file, database } = await fetching(t, 32 * PIECE_BYTES, 0)
  await waitFor('a checkpoint of all', () => isComplete(database))
  await node.kill('SIGKILL')
  await seeder.kill('SIGKILL')
  const { writes } = disk.cutPower()
  t.diagnostic(`${writes} writes were lost`)
  // Nobody has it any more: it must come from the disk.
  await downloadComplete(await start(), made.infoHash, 10_000)
  assert.ok(readFileSync(file).equals(made.content))
})

test('pieces since the checkpoint whose bytes went are not said to be there', { skip, timeout: 60_000 }, async t => {
  const { disk, made, node, seeder, start } = await fetching(t, 256 * PIECE_BYTES, 1_000_000)
  const { pieces = '' } = await downloadUntil(
    node,
    made.infoHash,
    ({ progress }) => progress > 0.05,
    30_000,
    '?get_pieces=1',
  )
  assert.ok(Buffer.from(pieces, 'base64').some(byte => byte !== 0))
  // What is answered is on the disk, and so are the rows of the journal before it.
  await addDownload(node, `magnet:?xt=urn:btih:${'ab'.repeat(20)}`, disk.root)
  await node.kill('SIGKILL')
  await seeder.kill('SIGKILL')
  assert.ok(disk.cutPower('bytes').writes > 0)
  const { progress } = await downloadUntil(
    await start(),
    made.infoHash,
    ({ status }) => status === 'DLSTATUS_DOWNLOADING',
    20_000,
  )
  assert.equal(progress, 0)
})

/** The checkpoint in the database says that everything is there. */
function isComplete(path: string): boolean {
  const database = new Database(path, { readonly: true })
  const have = database.prepare('SELECT have FROM progress').pluck().get() as Buffer | undefined
  database.close()
  return have?.every(byte => byte === 0xff) === true && have.length === 4
}
