// The key under which updates are published: made once, for its owner only, never replaced.

import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openUpdateKey } from '../../../src/node/state/update-key.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

test('it is made at the first use, is the same afterwards, and only its owner reads it', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const seed = await openUpdateKey(folder.path)
  assert.equal(seed.length, 32)
  assert.deepEqual(await openUpdateKey(folder.path), seed)
  assert.equal((await stat(join(folder.path, 'update-key'))).mode & 0o777, 0o600)
})

test('a broken one is an error and stays', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const path = join(folder.path, 'update-key')
  for (const text of ['', 'abc\n', 'g'.repeat(64)]) {
    await writeFile(path, text)
    await assert.rejects(openUpdateKey(folder.path), { code: 'StateUnreadable' })
    assert.equal(await readFile(path, 'utf8'), text)
  }
})
