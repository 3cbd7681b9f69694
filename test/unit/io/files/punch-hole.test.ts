// Bytes of a file, given back to the disk: exactly those, and only where that can be done.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { punchHole } from '../../../../src/io/files/punch-hole.ts'
import { seededBytes } from '../../../kit/content/make-torrent.ts'
import { nativeMissing } from '../../../kit/native-hashes.ts'

const MIB = 1024 * 1024

async function fileOf(t: TestContext, bytes: Uint8Array, flags = 'r+'): Promise<FileHandle> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-hole-'))
  await writeFile(join(folder, 'film.bin'), bytes)
  const file = await open(join(folder, 'film.bin'), flags)
  t.after(async () => {
    await file.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return file
}

test('the part reads as zeros and takes no room; its neighbours and the length stay', {
  skip: nativeMissing,
}, async t => {
  const bytes = seededBytes(4 * MIB)
  const file = await fileOf(t, bytes)
  await file.datasync()
  const before = await file.stat()
  // At no border of a page on either side.
  const [from, to] = [MIB + 123, 3 * MIB + 77]
  assert.equal(await punchHole(file.fd, from, to - from), true)
  const after = await file.stat()
  assert.equal(after.size, 4 * MIB)
  assert.ok(after.blocks * 512 <= before.blocks * 512 - 2 * MIB + 16_384, `${before.blocks} -> ${after.blocks} blocks`)
  bytes.fill(0, from, to)
  assert.ok(Buffer.compare(await file.readFile(), bytes) === 0)
  // Where a hole is, and behind the end, there is nothing to give back, and that is no error.
  assert.equal(await punchHole(file.fd, from, to - from), true)
  assert.equal(await punchHole(file.fd, 4 * MIB, MIB), true)
  assert.equal((await file.stat()).size, 4 * MIB)
})

test('many at a time, each its own part', { skip: nativeMissing }, async t => {
  const bytes = seededBytes(2 * MIB, 2)
  const file = await fileOf(t, bytes)
  const parts = Array.from({ length: 32 }, (_, i) => i * 64 * 1024)
  await Promise.all(parts.map(at => punchHole(file.fd, at, 8192)))
  for (const at of parts) bytes.fill(0, at, at + 8192)
  assert.ok(Buffer.compare(await file.readFile(), bytes) === 0)
})

test('a file that is open for reading alone is left as it is, and the error has its name', {
  skip: nativeMissing,
}, async t => {
  const bytes = seededBytes(MIB, 3)
  const file = await fileOf(t, bytes, 'r')
  await assert.rejects(punchHole(file.fd, 0, 4096), { code: 'EBADF' })
  assert.ok(Buffer.compare(await file.readFile(), bytes) === 0)
})

test('what can have no holes says so, and is no fault of the disk', { skip: nativeMissing }, async t => {
  const file = await open('/dev/null', 'r+')
  t.after(() => file.close())
  assert.equal(await punchHole(file.fd, 0, 4096), false)
})

test('what is no part of a file is refused before anything is done', { skip: nativeMissing }, async t => {
  const file = await fileOf(t, seededBytes(8192, 4))
  for (const [position, length] of [
    [-1, 4096],
    [0, 0],
    [0, -4096],
    [Number.NaN, 4096],
    [0, Number.POSITIVE_INFINITY],
    [2 ** 53, 4096],
    ['0', 4096],
  ]) {
    await assert.rejects(punchHole(file.fd, position as number, length as number), RangeError)
  }
  await assert.rejects(punchHole(-1, 0, 4096), RangeError)
})

test('where the machine code is not there nothing is done', async t => {
  const bytes = seededBytes(8192, 5)
  const file = await fileOf(t, bytes)
  const load = () => {
    throw new Error('not here')
  }
  assert.equal(await punchHole(file.fd, 0, 4096, load), false)
  assert.ok(Buffer.compare(await file.readFile(), bytes) === 0)
})
