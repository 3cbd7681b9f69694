// Content on disk: what is found, in which order, and what is left out or refused.

import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, realpathSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { plainLanes } from '../../../src/io/files/volume-lanes.ts'
import { closeQuietly } from '../../../src/io/files/safe-files.ts'
import { SourceFolder } from '../../../src/io/files/source-folder.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

const never = new AbortController().signal
const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

async function folderOf(t: TestContext): Promise<string> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  return realpathSync(folder.path)
}

const list = (path: string, signal = never) => SourceFolder.list(path, plainLanes(new SystemClock()), signal)
const paths = (source: SourceFolder) => source.files.map(file => file.path.join('/'))

test('files come sorted by the bytes of their paths, part by part, whatever made them', async t => {
  const root = join(await folderOf(t), 'content')
  mkdirSync(join(root, 'b', 'deep'), { recursive: true })
  mkdirSync(join(root, 'empty'))
  // U+FF5E sorts before U+1F41E as bytes, and behind it as JavaScript's strings do.
  for (const name of ['\u{1f41e}', '\uff5e', 'b.txt', 'B', 'a', 'b/z', 'b/deep/x', 'b-1'])
    writeFileSync(join(root, name), name)
  const source = await list(root)
  const expected = ['B', 'a', 'b/deep/x', 'b/z', 'b-1', 'b.txt', '\uff5e', '\u{1f41e}']
  assert.deepEqual(
    paths(source),
    expected.map(path => `content/${path}`),
  )
  assert.deepEqual(
    source.files.map(file => file.length),
    expected.map(path => Buffer.byteLength(path)),
  )
  assert.equal(source.name, 'content')
  assert.equal(source.folder, true)
  assert.equal(join(source.parent, source.name), root)
})

test('a file alone', async t => {
  const file = join(await folderOf(t), 'one.bin')
  writeFileSync(file, 'abc')
  const source = await list(file)
  assert.deepEqual(paths(source), ['one.bin'])
  assert.equal(source.folder, false)
  assert.equal(source.pathOf(0), file)
  await closeQuietly((await source.open(0)).fd)
})

test('links are counted and not followed, to files or folders', async t => {
  const folder = await folderOf(t)
  const root = join(folder, 'content')
  mkdirSync(join(folder, 'outside'))
  mkdirSync(root)
  writeFileSync(join(folder, 'outside', 'secret'), 'secret')
  writeFileSync(join(root, 'a'), 'a')
  symlinkSync(join(folder, 'outside'), join(root, 'folder-link'))
  symlinkSync(join(folder, 'outside', 'secret'), join(root, 'file-link'))
  symlinkSync(root, join(root, 'loop'))
  const source = await list(root)
  assert.deepEqual(paths(source), ['content/a'])
  assert.equal(source.skipped, 3)
})

test('a folder that becomes a link between listing and opening is not followed', async t => {
  const folder = await folderOf(t)
  const root = join(folder, 'content')
  mkdirSync(join(root, 'sub'), { recursive: true })
  writeFileSync(join(root, 'sub', 'a'), 'a')
  const source = await list(root)
  renameSync(join(root, 'sub'), join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), join(root, 'sub'))
  await assert.rejects(source.open(0), hasCode('SourceChanged'))
  await assert.rejects(source.checkUnchanged(), hasCode('SourceChanged'))
})

test('a file that changes after it was listed is neither opened nor passed: size, time, another file', async t => {
  const root = join(await folderOf(t), 'content')
  mkdirSync(root)
  const file = join(root, 'a')
  const changes: Record<string, () => void> = {
    size: () => appendFileSync(file, 'b'),
    time: () => utimesSync(file, 1, 1),
    'another file': () => {
      writeFileSync(join(root, 'new'), 'a')
      utimesSync(join(root, 'new'), 1000, 1000)
      renameSync(join(root, 'new'), file)
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    writeFileSync(file, 'a')
    utimesSync(file, 1000, 1000)
    const source = await list(root)
    const facts = await source.checkUnchanged()
    assert.deepEqual(facts, [{ exists: true, sizeBytes: 1, mtimeMs: 1_000_000 }])
    change()
    await assert.rejects(source.open(0), hasCode('SourceChanged'), what)
    await assert.rejects(source.identify(0), hasCode('SourceChanged'), what)
    await assert.rejects(source.checkUnchanged(), hasCode('SourceChanged'), what)
  }
})

test('what is no content is refused with a sentence', async t => {
  const folder = await folderOf(t)
  mkdirSync(join(folder, 'empty'))
  symlinkSync(folder, join(folder, 'link'))
  for (const path of [join(folder, 'nothing'), join(folder, 'empty'), join(folder, 'link'), '/dev/null', '/'])
    await assert.rejects(list(path), hasCode('InvalidParameter'), path)
})

test('names that are not UTF-8 are refused', async t => {
  const root = join(await folderOf(t), 'content')
  mkdirSync(root)
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]), 'x')
  await assert.rejects(list(root), hasCode('InvalidParameter'))
})

test('folders deeper than a path may be are refused', async t => {
  const root = join(await folderOf(t), 'content')
  const deepest = join(root, ...Array.from({ length: 60 }, () => 'd'))
  mkdirSync(deepest, { recursive: true })
  writeFileSync(join(deepest, 'file'), 'x')
  assert.equal((await list(root)).files.length, 1)
  mkdirSync(join(deepest, 'd'))
  await assert.rejects(list(root), hasCode('InvalidParameter'))
})

test('listing is given up when asked', async t => {
  const root = join(await folderOf(t), 'content')
  mkdirSync(root)
  writeFileSync(join(root, 'a'), 'a')
  await assert.rejects(list(root, AbortSignal.abort()), hasCode('Aborted'))
})
