// Where a path leads: link by link, each looked at in the turn of the volume that it lies on.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { placeOf } from '../../../src/io/files/placed-path.ts'
import { noTurns, type VolumeTurns } from '../../../src/ports/volumes.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'tributary-place-')))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Turns that note which paths are looked at; below `stalled` nothing is answered. */
function noted(stalled: string | null = null): { turns: VolumeTurns; looked: string[] } {
  const looked: string[] = []
  const turns: VolumeTurns = {
    ...noTurns,
    runInTime: (path, call) => {
      looked.push(path)
      if (stalled !== null && path.startsWith(`${stalled}/`)) return Promise.reject(new AppError('VolumeStalled'))
      return call()
    },
  }
  return { turns, looked }
}

test('a path without links is itself, also where nothing is there yet', async t => {
  const root = await folder(t)
  await mkdir(join(root, 'a'))
  for (const path of ['a', 'a/new', 'new', 'new/deep/er', 'a/../b/./c'])
    assert.equal(await placeOf(join(root, path), noTurns), join(root, path))
  assert.equal(await placeOf('/', noTurns), '/')
})

test('links are followed where they are: relative, absolute, one behind the other, and in what they name', async t => {
  const root = await folder(t)
  await mkdir(join(root, 'real/deep'), { recursive: true })
  await symlink('real', join(root, 'relative'))
  await symlink(join(root, 'relative/deep'), join(root, 'absolute'))
  await symlink('../relative', join(root, 'real/up'))
  await symlink('gone/away', join(root, 'dangling'))
  assert.equal(await placeOf(join(root, 'relative/new'), noTurns), join(root, 'real/new'))
  assert.equal(await placeOf(join(root, 'absolute'), noTurns), join(root, 'real/deep'))
  assert.equal(await placeOf(join(root, 'real/up/up/deep/file'), noTurns), join(root, 'real/deep/file'))
  assert.equal(await placeOf(join(root, 'dangling/file'), noTurns), join(root, 'gone/away/file'))
})

test('each part is looked at in the turn of its own place, and nothing below what is not there', async t => {
  const root = await folder(t)
  await mkdir(join(root, 'there'))
  await symlink(join(root, 'there'), join(root, 'link'))
  const { turns, looked } = noted()
  await placeOf(join(root, 'link/new/deep'), turns)
  const above = root.split('/').length - 1
  const second = looked.slice(above)
  assert.deepEqual(second.slice(0, 1), [join(root, 'link')])
  assert.deepEqual(second.slice(-2), [join(root, 'there'), join(root, 'there/new')])
})

test('a link into a volume that does not answer is read where it lies, and then its volume is asked', async t => {
  const [root, mounted] = [await folder(t), await folder(t)]
  await symlink(mounted, join(root, 'into'))
  await symlink(join(root, 'other'), join(root, 'elsewhere'))
  const { turns, looked } = noted(mounted)
  await assert.rejects(placeOf(join(root, 'into/films'), turns), { code: 'VolumeStalled' })
  assert.equal(looked.at(-1), join(mounted, 'films'))
  assert.equal(await placeOf(join(root, 'elsewhere/films'), turns), join(root, 'other/films'))
})

test('links in a ring end', async t => {
  const root = await folder(t)
  await symlink('b', join(root, 'a'))
  await symlink('a', join(root, 'b'))
  const { turns, looked } = noted()
  assert.match(await placeOf(join(root, 'a/film'), turns), /\/[ab]\/film$/)
  assert.ok(looked.length < 40 * (root.split('/').length + 2))
})
