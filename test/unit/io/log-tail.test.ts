// The end of the log: whole lines, the asked number, across files, and bounded.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { logTail } from '../../../src/io/process/log-tail.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-tail-'))
})
after(() => rm(folder, { recursive: true }))

async function fileOf(name: string, text: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('')

test('the last lines, in order', async () => {
  const file = await fileOf('a', rows(0, 50_000))
  assert.equal(await logTail([file], 3), rows(49_997, 50_000))
  assert.equal(await logTail([file], 30_000), rows(20_000, 50_000))
  assert.equal(await logTail([file], 60_000), rows(0, 50_000))
})

test('a line that lies across two reads is whole', async () => {
  const text = rows(0, 50_000)
  const inLastRead = text.slice(-64 * 1024).split('\n').length - 1
  const file = await fileOf('across', text)
  for (const count of [inLastRead - 1, inLastRead, inLastRead + 1])
    assert.equal(await logTail([file], count), rows(50_000 - count, 50_000))
})

test('a line under way, an empty file, a missing one', async () => {
  assert.equal(await logTail([await fileOf('b', 'one\ntwo')], 1), 'two\n')
  assert.equal(await logTail([await fileOf('c', '')], 5), '')
  assert.equal(await logTail([path.join(folder, 'none')], 5), '')
  assert.equal(await logTail([], 5), '')
})

test('what the newest file lacks comes from the one before', async () => {
  const files = [await fileOf('new', rows(10, 12)), await fileOf('old', rows(0, 10))]
  assert.equal(await logTail(files, 5), rows(7, 12))
  assert.equal(await logTail(files, 2), rows(10, 12))
})

test('endless lines are bounded', async () => {
  const file = await fileOf('long', `${'x'.repeat(6 * 1024 * 1024)}\nend\n`)
  assert.equal(await logTail([file], 2), 'end\n')
})
