// Folders of other clients on the disk: where things lie, and what is not read.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { DiskOtherNames, DiskResumeFolders } from '../../../src/io/files/resume-folder.ts'
import type { OtherClient } from '../../../src/ports/resume-folder.ts'
import { noTurns, type VolumeTurns } from '../../../src/ports/volumes.ts'

async function folderWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-resume-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  return root
}

const is =
  (code: ErrorCode, text = /./) =>
  (error: unknown): boolean =>
    error instanceof AppError && error.code === code && text.test(error.message)

test('Transmission: resume and torrents by both schemes of names, links for what has no metadata', async t => {
  const root = await folderWith(t, {
    'resume/aa.resume': 'ra',
    'torrents/aa.torrent': 'ta',
    'resume/Film.0123456789abcdef.resume': 'rb',
    'torrents/Film.0123456789abcdef.torrent': 'tb',
    'torrents/cc.magnet': ' magnet:?x \n',
    'settings.json': '{}',
  })
  const folder = await new DiskResumeFolders().open(root, 'transmission')
  assert.deepEqual(folder.names, ['Film.0123456789abcdef', 'aa', 'cc'])
  const { torrent, resume, resumeMs, magnet } = await folder.read('aa')
  assert.deepEqual([String(Buffer.from(torrent!)), String(Buffer.from(resume!)), magnet], ['ta', 'ra', null])
  assert.ok(resumeMs > 0)
  assert.deepEqual(await folder.read('cc'), { torrent: null, resume: null, resumeMs: 0, magnet: 'magnet:?x' })
})

test('qBittorrent: the folder itself, or one above it', async t => {
  const root = await folderWith(t, { 'data/BT_backup/aa.fastresume': 'r', 'data/BT_backup/queue': '' })
  for (const place of [root, join(root, 'data'), join(root, 'data/BT_backup')]) {
    assert.deepEqual((await new DiskResumeFolders().open(place, 'qbittorrent')).names, ['aa'], place)
  }
})

test('a folder without anything of that client says what to name', async t => {
  const root = await folderWith(t, { 'torrents.db': 'x' })
  const texts: [OtherClient, RegExp][] = [
    ['transmission', /no folder resume/],
    ['qbittorrent', /torrents\.db/],
    ['libtorrent', /no \.resume/],
  ]
  for (const [client, text] of texts) {
    await assert.rejects(new DiskResumeFolders().open(root, client), is('InvalidParameter', text))
  }
  await assert.rejects(new DiskResumeFolders().open(join(root, 'none'), 'libtorrent'), is('InvalidParameter'))
})

test('links, folders and files that are too large are refused unread', async t => {
  const root = await folderWith(t, { 'aa.resume': 'r', 'bb.resume': 'r', 'cc.resume': 'r', secret: 's' })
  await symlink(join(root, 'secret'), join(root, 'aa.torrent'))
  await mkdir(join(root, 'bb.torrent'))
  await truncate(join(root, 'cc.resume'), 33 * 1024 * 1024)
  const folder = await new DiskResumeFolders().open(root, 'libtorrent')
  await assert.rejects(folder.read('aa'), is('TorrentUnreadable', /link/))
  await assert.rejects(folder.read('bb'), is('TorrentUnreadable'))
  await assert.rejects(folder.read('cc'), is('TorrentUnreadable', /larger/))
  await mkdir(join(root, 'transmission'))
  await symlink(root, join(root, 'transmission/resume'))
  await assert.rejects(new DiskResumeFolders().open(join(root, 'transmission'), 'transmission'), is('InvalidParameter'))
})

test('names of unfinished files', async t => {
  const root = await folderWith(t, { 'two/a.part': '', 'two/below/b.!qB': '' })
  const names = new DiskOtherNames()
  const endings = ['.part', '.!qB']
  assert.equal(await names.ending(root, ['two', 'a'], endings), '.part')
  assert.equal(await names.ending(root, ['two', 'below', 'b'], endings), '.!qB')
  assert.equal(await names.ending(root, ['two', 'c'], endings), null)
  assert.equal(await names.ending(join(root, 'none'), ['c'], endings), null)
})

test("every call has its volume's turn: where that does not come the call rejects, and nothing is read", async t => {
  const root = await folderWith(t, { 'aa.resume': 'r', 'aa.torrent': 't' })
  let stalled = false
  const turns: VolumeTurns = {
    ...noTurns,
    runInTime: (_path, call) => (stalled ? Promise.reject(new AppError('VolumeStalled')) : call()),
  }
  const folders = new DiskResumeFolders(turns)
  const folder = await folders.open(root, 'libtorrent')
  const names = new DiskOtherNames(turns)
  assert.equal(await names.ending(root, ['aa'], ['.torrent']), '.torrent')
  stalled = true
  await assert.rejects(folders.open(root, 'libtorrent'), is('VolumeStalled'))
  await assert.rejects(folder.read('aa'), is('VolumeStalled'))
  await assert.rejects(names.ending(root, ['aa'], ['.torrent']), is('VolumeStalled'))
})
