// The digest of a file by another thread: the right one, and none where it cannot be had.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { digestInThread } from '../../../src/io/process/native-digest.ts'
import { nativeMissing, nativeModule } from '../../kit/native-hashes.ts'

function fileOf(t: TestContext, content: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-digest-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, content)
  return path
}

const noShaHere = nativeMissing !== false || !nativeModule().paths().includes('sha-ni')

test('files of every length have the digest that node:crypto finds', { skip: noShaHere }, async t => {
  const part = 128 * 1024
  for (const length of [0, 1, 63, 64, 65, part - 1, part, part + 1, 3 * part + 7]) {
    const content = randomBytes(length)
    const right = createHash('sha256').update(content).digest('hex')
    assert.equal(await digestInThread(fileOf(t, content)), right, `${length} bytes`)
  }
})

test('many at a time, and the thread that asks goes on', { skip: noShaHere }, async t => {
  const content = randomBytes(1_000_000)
  const path = fileOf(t, content)
  const right = createHash('sha256').update(content).digest('hex')
  let done = 0
  const all = Array.from({ length: 20 }, async () => {
    assert.equal(await digestInThread(path), right)
    done++
  })
  assert.equal(done, 0)
  await Promise.all(all)
})

test('none: no such file, a folder, no path at all', async t => {
  const path = fileOf(t, new Uint8Array(1))
  for (const wrong of [`${path}-not-there`, tmpdir(), '', 'x'.repeat(5000), `${path}\0`])
    assert.equal(await digestInThread(wrong), null, wrong.slice(0, 30))
})

test('none where the machine code cannot be loaded, or the processor has no SHA instructions', async () => {
  const fileDigest = () => Promise.resolve(new Uint8Array([1]))
  const failing = () => {
    throw new Error('not here')
  }
  assert.equal(await digestInThread('/x', failing), null)
  assert.equal(await digestInThread('/x', () => ({ paths: () => ['portable', null], fileDigest })), null)
  assert.equal(await digestInThread('/x', () => ({ paths: () => ['portable', 'sha-ni'], fileDigest })), '01')
})
