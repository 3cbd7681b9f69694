// Paths that clients name, and files made new there.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { AllowedPaths, FreshFiles } from '../../../src/io/files/client-paths.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

const OWNER = { anyPath: true }
const LIMITED = { anyPath: false }

async function folderOf(t: TestContext): Promise<string> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  return realpathSync(folder.path)
}

test('a path is resolved, and must be absolute and there', async t => {
  const folder = await folderOf(t)
  writeFileSync(join(folder, 'a'), 'a')
  symlinkSync(join(folder, 'a'), join(folder, 'link'))
  const paths = new AllowedPaths(() => [], null)
  assert.equal(await paths.resolve(join(folder, 'link'), OWNER), join(folder, 'a'))
  assert.equal(await paths.resolve(`${folder}/../${folder.split('/').at(-1)}/a`, OWNER), join(folder, 'a'))
  for (const wrong of ['a', './a', '', '/a\0b', join(folder, 'nothing')])
    await assert.rejects(paths.resolve(wrong, OWNER), hasCode('InvalidParameter'), JSON.stringify(wrong))
})

test('with a list of folders only what really lies in them is allowed, and nothing is revealed of the rest', async t => {
  const folder = await folderOf(t)
  for (const name of ['in', 'in/sub', 'out', 'in-not']) mkdirSync(join(folder, name))
  symlinkSync(join(folder, 'out'), join(folder, 'in', 'way-out'))
  symlinkSync(join(folder, 'in'), join(folder, 'way-in'))
  const paths = new AllowedPaths(() => [join(folder, 'way-in')], null)
  assert.equal(await paths.resolve(join(folder, 'in'), LIMITED), join(folder, 'in'))
  assert.equal(await paths.resolve(join(folder, 'way-in', 'sub'), LIMITED), join(folder, 'in', 'sub'))
  for (const wrong of ['out', 'in/way-out', 'in-not', 'in/../out', 'out/nothing', ''])
    await assert.rejects(paths.resolve(join(folder, wrong), LIMITED), hasCode('PathNotAllowed'), wrong)
  await assert.rejects(paths.resolve(join(folder, 'way-in', 'nothing'), LIMITED), hasCode('InvalidParameter'))
  await assert.rejects(new AllowedPaths(() => [], null).resolve(folder, LIMITED), hasCode('PathNotAllowed'))
})

test('what is still to be made is judged by what is there: links above it count, names that climb do not', async t => {
  const folder = await folderOf(t)
  for (const name of ['in', 'out']) mkdirSync(join(folder, name))
  symlinkSync(join(folder, 'out'), join(folder, 'in', 'way-out'))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'in', 'dangling'))
  const paths = new AllowedPaths(() => [join(folder, 'in')], null)
  assert.equal(await paths.resolveNew(join(folder, 'in', 'a', 'b'), LIMITED), join(folder, 'in', 'a', 'b'))
  assert.equal(await paths.resolveNew(join(folder, 'in'), LIMITED), join(folder, 'in'))
  for (const wrong of ['in/way-out/new', 'in/../out/new', 'in/new/../../out', 'out/new', 'in-not', '../x'])
    await assert.rejects(paths.resolveNew(`${folder}/${wrong}`, LIMITED), hasCode('PathNotAllowed'), wrong)
  await assert.rejects(paths.resolveNew('in/a', LIMITED), hasCode('InvalidParameter'))
  assert.equal(await paths.resolveNew(join(folder, 'out', 'new'), OWNER), join(folder, 'out', 'new'))
})

test('a new file is written whole, never over a file or through a link', async t => {
  const folder = await folderOf(t)
  const files = new FreshFiles()
  const target = join(folder, 'new.torrent')
  await files.check(target)
  await files.write(target, Buffer.from('first'))
  assert.equal(readFileSync(target, 'utf8'), 'first')
  await assert.rejects(files.check(target), hasCode('StateConflict'))
  await assert.rejects(files.write(target, Buffer.from('second')), hasCode('StateConflict'))
  assert.equal(readFileSync(target, 'utf8'), 'first')
  const link = join(folder, 'link')
  symlinkSync(join(folder, 'elsewhere'), link)
  await assert.rejects(files.check(link), hasCode('StateConflict'))
  await assert.rejects(files.write(link, Buffer.from('third')), hasCode('StateConflict'))
})

test('a folder that is not there or no folder, and a name that is too long, are found before the work', async t => {
  const folder = await folderOf(t)
  writeFileSync(join(folder, 'file'), '')
  const files = new FreshFiles()
  for (const wrong of ['nothing/a', 'file/a', 'x'.repeat(300)])
    await assert.rejects(files.check(join(folder, wrong)), hasCode('InvalidParameter'), wrong)
})
