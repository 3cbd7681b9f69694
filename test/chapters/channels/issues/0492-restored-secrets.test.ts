// Restoring a backup: every file is its owner's alone, whatever the modes became on the way, and what cannot be
// restored whole leaves nothing. A store that was made once and is empty or missing is no new node.

import { allKept } from '../../../kit/all-kept.ts'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CATALOGUE_FILE_NAME } from '../../../../src/chapters/channels/catalogue/file-name.ts'
import { openCatalogueFile } from '../../../../src/chapters/channels/catalogue/catalogue-file.ts'
import { restore } from '../../../../src/node/state/backup.ts'
import { DATABASE_FILE_NAME } from '../../../../src/records/database-file.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'

const SECRETS = [
  'tributary.yaml',
  'link-secret',
  'keys.json',
  'update-key',
  'overlay-key',
  'tributary.db',
  'catalogue.db',
]

async function folderOf(t: TestContext): Promise<string> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  return folder.path
}

/** What the chapters that are here keep, and one more that keeps a folder: those that do may not be here. */
const kept = [...allKept, { stores: [], files: [], folders: ['secrets'] }]

/** A backup as an archive may bring it: readable by all. */
function openBackup(folder: string): string {
  const backup = join(folder, 'backup')
  mkdirSync(join(backup, 'secrets'), { recursive: true, mode: 0o755 })
  for (const name of [...SECRETS, 'secrets/seed.json']) writeFileSync(join(backup, name), name, { mode: 0o644 })
  return backup
}

test('what is restored is its owner alone, the folder keeps its mode', async t => {
  const folder = await folderOf(t)
  const to = join(folder, 'state')
  mkdirSync(to)
  chmodSync(to, 0o755)
  const names = await restore(to, openBackup(folder), kept)
  assert.deepEqual(names.toSorted(), [...SECRETS, 'secrets/seed.json'].toSorted())
  for (const name of names) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name)
  assert.equal(statSync(join(to, 'secrets')).mode & 0o777, 0o700)
  assert.equal(statSync(to).mode & 0o777, 0o755)
})

test('a restore into a full disk leaves nothing, and the next one works', { skip: needs('root') }, async t => {
  const folder = await folderOf(t)
  const backup = openBackup(folder)
  writeFileSync(join(backup, 'tributary.db'), Buffer.alloc(512 * 1024, 1))
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk])
  try {
    const to = join(disk, 'state')
    await assert.rejects(restore(to, backup, kept), { code: 'DiskError' })
    assert.ok(!existsSync(to), 'the folder it made is still there')
    mkdirSync(to)
    writeFileSync(join(to, 'mine.txt'), 'mine')
    await assert.rejects(restore(to, backup, kept), { code: 'DiskError' })
    assert.deepEqual(readdirSync(to), ['mine.txt'])
    execFileSync('mount', ['-o', 'remount,size=4m', disk])
    assert.ok((await restore(to, backup, kept)).includes('tributary.db'))
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})

async function refusal(stateDir: string): Promise<string> {
  const { code, stderr } = await runCli(['start', '--state-dir', stateDir, '--port', '0'])
  assert.equal(code, 1, stderr)
  return stderr
}

test('a store that was made and is empty or missing is refused with its remedy, which works', async t => {
  const stateDir = join(await folderOf(t), 'state')
  await (await startNode({ stateDir })).stop()
  const store = join(stateDir, DATABASE_FILE_NAME)
  for (const name of [`${store}-wal`, `${store}-shm`]) rmSync(name, { force: true })
  truncateSync(store, 0)
  assert.match(
    await refusal(stateDir),
    /tributary\.db is empty, though this node has made it: restore a copy, or remove tributary\.db\.made/,
  )
  assert.equal(statSync(store).size, 0, 'something was written into it')
  rmSync(store)
  assert.match(
    await refusal(stateDir),
    /tributary\.db is missing, though .* restore a copy, or remove tributary\.db\.made/,
  )
  const { stdout } = await runCli(['doctor', '--state-dir', stateDir])
  assert.match(stdout, /tributary\.db is missing, though this node has made it/)
  rmSync(`${store}.made`)
  const node = await startNode({ stateDir })
  await node.stop()
  assert.ok(existsSync(`${store}.made`))
})

test('a catalogue that was made, and with it the keys of own channels, is not begun again in silence', async t => {
  const folder = await folderOf(t)
  const path = join(folder, CATALOGUE_FILE_NAME)
  openCatalogueFile(path).database.close()
  truncateSync(path, 0)
  for (const name of [`${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
  assert.throws(() => openCatalogueFile(path), {
    code: 'StateUnreadable',
    message: /is empty, though this node has made it/,
  })
  rmSync(path)
  assert.throws(() => openCatalogueFile(path), { code: 'StateUnreadable', message: /is missing, though/ })
})
