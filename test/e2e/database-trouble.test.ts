// A database that cannot be used, before the built node: it refuses to run, names the cause and what to do, and changes
// nothing; and an old one, which it brings up to date while it tells how far it is.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { DATABASE_FILE_NAME } from '../../src/records/database-file.ts'
import { migrations } from '../../src/records/schema.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'
import { makeOldDatabase } from '../unit/records/old-databases.ts'

const CLEAN = { clean: true, bootId: 'a' }

async function folderOf(t: TestContext): Promise<TestFolder> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  return folder
}

/** Starts a node that must refuse; its one sentence. */
async function refusal(stateDir: string): Promise<string> {
  const { code, stderr } = await runCli(['start', '--state-dir', stateDir, '--port', '0'])
  assert.equal(code, 1, stderr)
  const sentences = stderr.split('\n').filter(line => line.startsWith('tributary: '))
  assert.equal(sentences.length, 1, stderr)
  return sentences[0] ?? ''
}

test('a locked, a damaged and a newer database are refused with the cause and what to do', async t => {
  const folder = await folderOf(t)
  const path = join(folder.path, DATABASE_FILE_NAME)
  makeOldDatabase(path, migrations.length, 300, CLEAN)

  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  assert.match(await refusal(folder.path), /locked by another program .*; close that program/)
  other.exec('ROLLBACK')

  other.pragma('user_version = 99')
  other.close()
  assert.match(await refusal(folder.path), /has schema 99, written by a newer version; .*Start the newer version again/)

  rmSync(path)
  makeOldDatabase(path, migrations.length, 300, { clean: false, bootId: 'a' })
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096 * 20, 4096 * 26)
  writeFileSync(path, bytes)
  assert.match(await refusal(folder.path), /is damaged \(.*\); restore a copy, or move it and its note/)
  assert.deepEqual(readFileSync(path), bytes, 'what may still be saved was changed')
})

test('a full and a read-only disk are refused, and nothing is lost', { skip: needs('root') }, async t => {
  const folder = await folderOf(t)
  const disk = await folder.sub('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk])
  try {
    await troubleWithDisk(disk)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})

async function troubleWithDisk(disk: string): Promise<void> {
  const path = join(disk, DATABASE_FILE_NAME)
  const first = await startNode({ stateDir: disk })
  await first.stop()
  rmSync(path)
  makeOldDatabase(path, 1, 300, CLEAN)

  assert.throws(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(16 * 2 ** 20)), { code: 'ENOSPC' })
  assert.match(await refusal(disk), /disk is full.*free some space/)
  rmSync(join(disk, 'ballast'))

  execFileSync('mount', ['-o', 'remount,ro', disk])
  assert.match(await refusal(disk), /read-only/)
  execFileSync('mount', ['-o', 'remount,rw', disk])

  const node = await startNode({ stateDir: disk })
  const { downloads } = await node.get<{ downloads: unknown[] }>('/downloads')
  assert.equal(downloads.length, 300)
  await node.stop()
}

test('a running node refuses what it cannot keep, says why, and goes on later', { skip: needs('root') }, async t => {
  const folder = await folderOf(t)
  const disk = await folder.sub('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk])
  const node = await startNode({ stateDir: disk })
  try {
    await refusesWhatItCannotKeep(node, join(disk, DATABASE_FILE_NAME), join(disk, 'ballast'))
  } finally {
    await node.kill('SIGKILL')
    execFileSync('umount', ['-l', disk])
  }
})

async function refusesWhatItCannotKeep(node: NodeProcess, database: string, ballast: string): Promise<void> {
  let added = 0
  const add = () => {
    const infohash = (++added).toString(16).padStart(40, '0')
    return node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${infohash}`, destination: '/tmp' })
  }
  const known = async () => (await node.get<{ downloads: { infohash: string }[] }>('/downloads')).downloads.length
  assert.equal((await add()).status, 200)

  const other = new Database(database)
  other.exec('BEGIN IMMEDIATE')
  const locked = await add()
  other.exec('ROLLBACK')
  other.close()
  assert.equal(locked.status, 500)
  assert.match(locked.body.toString(), /"DiskError".*locked by another program.*close that program/)
  assert.equal(await known(), 1)

  assert.throws(() => writeFileSync(ballast, Buffer.alloc(16 * 2 ** 20)), { code: 'ENOSPC' })
  // What room the write-ahead log has already may still take some.
  let full = await add()
  for (let n = 0; n < 2000 && full.status === 200; n++) full = await add()
  assert.equal(full.status, 500)
  assert.match(full.body.toString(), /"DiskFull".*the disk is full.*free some space there/)
  const before = await known()
  rmSync(ballast)
  assert.equal((await add()).status, 200)
  assert.equal(await known(), before + 1)
}

test('a node with an old database says that it upgrades, and how far it is', { timeout: 60_000 }, async t => {
  const folder = await folderOf(t)
  const path = join(folder.path, DATABASE_FILE_NAME)
  makeOldDatabase(path, 1, 200, CLEAN)
  const raw = new Database(path)
  // Large enough that the copy takes a while.
  raw.prepare("INSERT INTO node (key, value) VALUES ('value.ballast', zeroblob(80000000))").run()
  raw.close()
  const bytes = statSync(path).size
  const node = await startNode({ stateDir: folder.path, until: 'listening' })
  try {
    const states = new Set<string>()
    const refused = new Set<number>()
    await waitFor('the start', async () => {
      const { state } = await node.get<{ state: string }>('/state')
      states.add(state)
      if (state === 'UPGRADING') refused.add((await node.request('GET', '/variables')).status)
      return state === 'STARTED'
    })
    assert.ok(states.has('UPGRADING'), [...states].join())
    assert.ok(refused.has(503), 'it answers while it upgrades')
    const types: string[] = []
    const reply = await fetch(`${node.baseUrl}/events?since=3`, { headers: { 'x-api-key': node.key } })
    let text = ''
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('tribler_started"}')) break
    }
    for (const line of text.split('\n')) if (line !== '') types.push((JSON.parse(line) as { type: string }).type)
    assert.deepEqual(
      [...new Set(types)],
      ['events_start', 'upgrader_started', 'upgrader_tick', 'upgrader_finished', 'tribler_started'],
    )
    assert.ok(text.includes('making a copy (50 %)'), text)
    assert.ok(statSync(`${path}.schema-1`).size > bytes * 0.9)
  } finally {
    await node.stop()
  }
})

test('a node that is stopped in an upgrade ends soon, and goes on with it at the next start', async t => {
  const folder = await folderOf(t)
  const path = join(folder.path, DATABASE_FILE_NAME)
  makeOldDatabase(path, 1, 200, CLEAN)
  const raw = new Database(path)
  raw.prepare("INSERT INTO node (key, value) VALUES ('value.ballast', zeroblob(200000000))").run()
  raw.close()
  const first = await startNode({ stateDir: folder.path, until: 'listening' })
  await waitFor('the upgrade', async () => (await first.get<{ state: string }>('/state')).state !== 'STARTING')
  const { code } = await first.stop()
  assert.equal(code, 0)
  assert.equal(existsSync(`${path}.schema-1`), false, 'it went on to the end of its copy')
  const second = await startNode({ stateDir: folder.path })
  const { downloads } = await second.get<{ downloads: unknown[] }>('/downloads')
  assert.equal(downloads.length, 200)
  await second.stop()
})
