// The watch folder on a real disk: what is seen, with and without the system telling, what is never opened, and names.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { DiskWatchedFolder } from '../../../src/io/files/watched-folder.ts'
import { waitFor } from '../../kit/wait-for.ts'

const NOBODY: ReadonlySet<string> = new Set()

describe('a watched folder on the disk', () => {
  let root = ''
  let folder: DiskWatchedFolder
  /** The time of day the folder goes by. */
  let wallMs = Date.now()

  const seen = async (thorough = true, restless = NOBODY): Promise<string[] | null> => {
    const look = await folder.look(thorough, restless)
    return look === null ? null : look.files.map(({ path }) => path.slice(root.length + 1)).sort()
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-watch-'))
    wallMs = Date.now()
    folder = new DiskWatchedFolder(
      root,
      name => name.endsWith('.torrent'),
      () => wallMs,
      null,
    )
  })
  afterEach(async () => {
    folder.close()
    await rm(root, { recursive: true, force: true })
  })

  test('files below it are found by name; hidden ones, links and pipes are not', async () => {
    await mkdir(join(root, 'a/b'), { recursive: true })
    await mkdir(join(root, '.hidden'))
    for (const name of ['x.torrent', 'x.txt', 'a/b/y.torrent', '.z.torrent', '.hidden/v.torrent'])
      await writeFile(join(root, name), 'x')
    await symlink('/etc/passwd', join(root, 'link.torrent'))
    await symlink('/etc', join(root, 'etc'))
    await mkdir(join(root, 'folder.torrent'))
    execFileSync('mkfifo', [join(root, 'pipe.torrent')])
    assert.deepEqual(await seen(), ['a/b/y.torrent', 'x.torrent'])
  })

  test('a link is not followed when it takes the place of a file', async () => {
    await symlink('/etc/passwd', join(root, 'x.torrent'))
    await assert.rejects(folder.read(join(root, 'x.torrent'), 1e6), /ELOOP/)
  })

  test('a missing folder, or one that is a file, is none; it may come later', async () => {
    await rm(root, { recursive: true })
    assert.equal(await seen(), null)
    await writeFile(root, '')
    assert.equal(await seen(), null)
    await rm(root)
    await mkdir(root)
    assert.deepEqual(await seen(), [])
  })

  test('new files are found without the system telling, by a look that is not thorough', async () => {
    assert.deepEqual(await seen(), [])
    wallMs += 60_000
    assert.deepEqual(await seen(false), [])
    await writeFile(join(root, 'x.torrent'), 'x')
    assert.deepEqual(await seen(false), ['x.torrent'])
    await mkdir(join(root, 'sub'))
    await writeFile(join(root, 'sub/y.torrent'), 'x')
    assert.deepEqual(await seen(false), ['sub/y.torrent', 'x.torrent'])
    await rm(join(root, 'x.torrent'))
    assert.deepEqual(await seen(false), ['sub/y.torrent'])
  })

  test('a file that grows where its folder shows no change: seen when restless, else by a thorough look', async () => {
    const file = join(root, 'x.torrent')
    await writeFile(file, 'x')
    // Long after the folder changed it counts as unchanged.
    await utimes(root, new Date(1e12), new Date(1e12))
    await seen()
    await writeFile(file, 'xyz')
    const sizes = async (thorough: boolean, restless: ReadonlySet<string>): Promise<number[] | undefined> =>
      (await folder.look(thorough, restless))?.files.map(({ size }) => size)
    assert.deepEqual(await sizes(false, NOBODY), [1], 'nothing was read again')
    assert.deepEqual(await sizes(false, new Set([file])), [3])
    await writeFile(file, 'longer')
    assert.deepEqual(await sizes(true, NOBODY), [6])
  })

  test('a folder that changed just before it was read is read again', async () => {
    await seen()
    // Within the same tick of the file system's clock, the time of the folder would not tell.
    await writeFile(join(root, 'x.torrent'), 'x')
    assert.deepEqual(await seen(false), ['x.torrent'])
  })

  test('the system tells of changes, also in new folders below', async () => {
    await seen()
    let heard = 0
    folder.listen(() => heard++)
    await writeFile(join(root, 'x.torrent'), 'x')
    await waitFor('the change is heard', () => heard > 0)
    await mkdir(join(root, 'sub'))
    await seen()
    heard = 0
    await writeFile(join(root, 'sub/y.torrent'), 'x')
    await waitFor('a change below is heard', () => heard > 0)
    folder.close()
  })

  test('a part that cannot be read is said to be missing', { skip: process.getuid?.() === 0 }, async () => {
    await mkdir(join(root, 'sub'))
    await chmod(join(root, 'sub'), 0)
    assert.equal((await folder.look(true, NOBODY))?.whole, false)
    await chmod(join(root, 'sub'), 0o700)
  })

  test('nothing is written over when a file gets another name', async () => {
    const file = join(root, 'x.torrent')
    for (let number = 1; number <= 3; number++) {
      await writeFile(file, String(number))
      await folder.setAside(file)
    }
    assert.deepEqual((await readdir(root)).sort(), ['x.torrent.corrupt', 'x.torrent.corrupt.2', 'x.torrent.corrupt.3'])
    await writeFile(file, 'a')
    await folder.moveInto(file, join(root, 'new/done'))
    await writeFile(file, 'b')
    assert.equal(await folder.moveInto(file, join(root, 'new/done')), join(root, 'new/done/x.torrent.2'))
    assert.equal(await readFile(join(root, 'new/done/x.torrent'), 'utf8'), 'a')
  })

  test('of a file that is too large nothing is read', async () => {
    await writeFile(join(root, 'x.torrent'), 'x'.repeat(100))
    assert.equal(await folder.read(join(root, 'x.torrent'), 99), null)
    assert.equal((await folder.read(join(root, 'x.torrent'), 100))?.bytes.length, 100)
  })
})
