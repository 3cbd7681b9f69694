// Compressed bodies: made once for equal bytes, kept within bounds, the same bytes when they are unpacked.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { CodedBodies, offeredCodings } from '../../../src/http/coded-bodies.ts'

const MIB = 1024 * 1024

const text = (length: number, word = 'tributary ') => Buffer.alloc(length, word)
const hard = (length: number) => Buffer.from(randomBytes(length / 2).toString('hex'))

async function coded(bodies: CodedBodies, parts: readonly Uint8Array[]) {
  return bodies.coded(parts, await bodies.tagOf(parts), 'gzip')
}

test('zstd is offered exactly where this Node has it', () => {
  assert.deepEqual(offeredCodings, 'zstdCompress' in zlib ? ['zstd', 'gzip'] : ['gzip'])
})

test('short and long bodies come back as they were', async () => {
  const bodies = new CodedBodies()
  for (const parts of [[text(3000)], [text(700, 'a'), text(900_000, 'b')], [text(MIB), hard(3 * MIB), text(5)]]) {
    for (const coding of offeredCodings) {
      const made = await bodies.coded(parts, await bodies.tagOf(parts), coding)
      const whole = Buffer.concat(made ?? [])
      assert.ok(whole.length < Buffer.concat(parts).length)
      const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Buffer) => Buffer }
      const plain = coding === 'gzip' ? zlib.gunzipSync(whole) : zstdDecompressSync?.(whole)
      assert.ok(plain?.equals(Buffer.concat(parts)))
    }
  }
})

test('a tag is of the bytes, not of their parts', async () => {
  const bodies = new CodedBodies()
  const whole = text(3 * MIB)
  const tag = await bodies.tagOf([whole])
  assert.equal(await bodies.tagOf([whole.subarray(0, 5), whole.subarray(5)]), tag)
  assert.notEqual(await bodies.tagOf([whole, text(1)]), tag)
})

test('equal bodies are compressed once, at the same time and later', async () => {
  const bodies = new CodedBodies()
  const all = await Promise.all(Array.from({ length: 20 }, () => coded(bodies, [text(50_000)])))
  assert.equal(bodies.made, 1)
  assert.ok(all.every(made => made === all[0]))
  await coded(bodies, [text(20_000), text(30_000)])
  assert.equal(bodies.made, 1)
  await coded(bodies, [text(50_001)])
  assert.equal(bodies.made, 2)
})

test('those used last are kept: 16 MiB of them, and 256', async () => {
  const bodies = new CodedBodies()
  const long = Array.from({ length: 5 }, () => [hard(8 * MIB)])
  for (const parts of long) await coded(bodies, parts)
  assert.equal(bodies.made, 5)
  await coded(bodies, long[4] ?? [])
  assert.equal(bodies.made, 5)
  await coded(bodies, long[0] ?? [])
  assert.equal(bodies.made, 6)
  const many = Array.from({ length: 300 }, (_, at) => [text(2000 + at)])
  for (const parts of many) await coded(bodies, parts)
  assert.equal(bodies.made, 306)
  await coded(bodies, many[299] ?? [])
  assert.equal(bodies.made, 306)
  await coded(bodies, many[0] ?? [])
  assert.equal(bodies.made, 307)
})

test('what would not become shorter goes as it is', async () => {
  assert.equal(await coded(new CodedBodies(), [randomBytes(5000)]), null)
})

test('32 bodies wait for a place; further ones go as they are', async () => {
  const bodies = new CodedBodies()
  const all = await Promise.all(Array.from({ length: 50 }, (_, at) => coded(bodies, [text(20_000 + at)])))
  assert.equal(all.filter(made => made === null).length, 50 - 2 - 32)
  assert.equal(bodies.made, 34)
})
