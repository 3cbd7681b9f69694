// Cutting files: what is too long, nothing else, and through no link.

import assert from 'node:assert/strict'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SafeFileTrimmer } from '../../../src/io/files/file-trimmer.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

test('files that are too long are cut; shorter, missing and linked ones stay as they are', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const [to, outside] = [await folder.sub('to'), await folder.sub('outside')]
  await mkdir(join(to, 'd'))
  await writeFile(join(to, 'd', 'long'), '0123456789')
  await writeFile(join(to, 'd', 'short'), '012')
  await writeFile(join(outside, 'secret'), '0123456789')
  await symlink(join(outside, 'secret'), join(to, 'd', 'link'))
  await symlink(outside, join(to, 'e'))
  const trimmer = new SafeFileTrimmer(null)
  const names = ['long', 'short', 'link', 'none']
  await trimmer.trim(
    to,
    names.map(name => ({ path: ['d', name], length: 4 })),
  )
  await trimmer.trim(to, [{ path: ['no', 'folder'], length: 4 }])
  await trimmer.trim(join(to, 'nowhere'), [{ path: ['x'], length: 4 }])
  await assert.rejects(trimmer.trim(to, [{ path: ['e', 'secret'], length: 4 }]), { code: 'UnsafePath' })
  const text = (...parts: string[]) => readFile(join(folder.path, ...parts), 'utf8')
  assert.deepEqual(
    [await text('to', 'd', 'long'), await text('to', 'd', 'short'), await text('outside', 'secret')],
    ['0123', '012', '0123456789'],
  )
})
