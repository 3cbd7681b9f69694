// Metadata in chunk files: assembly, serving, bounds, restart, and few open files.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { type InfoHash, infoHashFromBytes } from '../../../src/base/ids.ts'
import { ChunkFileMetadata } from '../../../src/io/files/metadata-chunk-files.ts'
import { MAX_METAINFO_BYTES } from '../../../src/wire/metainfo/metainfo-length.ts'
import { METADATA_PIECE_BYTES } from '../../../src/wire/peer/ut-metadata.ts'
import { StandingClock } from '../../kit/doubles/store-rig.ts'

const hashOf = (n: number): InfoHash => infoHashFromBytes(new Uint8Array(20).fill(n))
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

function makeBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff)
}

function open(t: TestContext): { folder: string; make: () => ChunkFileMetadata } {
  const folder = join(mkdtempSync(join(tmpdir(), 'tributary-meta-')), 'metadata')
  t.after(() => rmSync(join(folder, '..'), { recursive: true }))
  return {
    folder,
    make: () => {
      const chunks = new ChunkFileMetadata({ folder }, { clock: new StandingClock() })
      t.after(() => chunks.close())
      return chunks
    },
  }
}

test('pieces in any order become the whole; before that there is no whole and nothing is served', async t => {
  const chunks = open(t).make()
  const bytes = makeBytes(2 * METADATA_PIECE_BYTES + 100)
  await chunks.begin(hashOf(1), bytes.length)
  for (const index of [2, 0])
    await chunks.put(hashOf(1), index, bytes.subarray(index * METADATA_PIECE_BYTES, (index + 1) * METADATA_PIECE_BYTES))
  await assert.rejects(chunks.assemble(hashOf(1)), hasCode('MetadataNotFound'))
  await chunks.put(hashOf(1), 1, bytes.subarray(METADATA_PIECE_BYTES, 2 * METADATA_PIECE_BYTES))
  assert.deepEqual(await chunks.assemble(hashOf(1)), bytes)
  assert.equal(await chunks.get(hashOf(1), 0), null)
})

test('the bytes of a put may be used again at once', async t => {
  const chunks = open(t).make()
  await chunks.begin(hashOf(1), 4)
  const mine = Uint8Array.of(1, 2, 3, 4)
  const putting = chunks.put(hashOf(1), 0, mine)
  mine.fill(9)
  await putting
  assert.deepEqual(await chunks.assemble(hashOf(1)), Uint8Array.of(1, 2, 3, 4))
})

test('a stored dictionary is served by pieces, also after a restart, and replaces what was arriving', async t => {
  const { folder, make } = open(t)
  const bytes = makeBytes(METADATA_PIECE_BYTES + 1)
  const first = make()
  await first.begin(hashOf(2), bytes.length)
  await first.put(hashOf(2), 1, bytes.subarray(METADATA_PIECE_BYTES))
  await first.store(hashOf(2), bytes)
  await first.close()
  assert.deepEqual(readdirSync(folder), [hashOf(2)])
  assert.deepEqual(readFileSync(join(folder, hashOf(2))), Buffer.from(bytes))
  const second = make()
  assert.deepEqual(await second.get(hashOf(2), 0), bytes.slice(0, METADATA_PIECE_BYTES))
  assert.deepEqual(await second.get(hashOf(2), 1), bytes.slice(METADATA_PIECE_BYTES))
  for (const index of [2, -1, 0.5, 1e9]) assert.equal(await second.get(hashOf(2), index), null)
  await second.store(hashOf(2), bytes.slice(0, 5))
  assert.deepEqual(await second.get(hashOf(2), 0), bytes.slice(0, 5))
  await second.remove(hashOf(2))
  assert.equal(await second.get(hashOf(2), 0), null)
  assert.deepEqual(readdirSync(folder), [])
})

test('begin drops what was there; sizes and pieces out of bounds are refused', async t => {
  const chunks = open(t).make()
  for (const size of [0, -1, 1.5, Number.NaN, MAX_METAINFO_BYTES + 1])
    await assert.rejects(chunks.begin(hashOf(3), size), hasCode('TorrentUnreadable'))
  await assert.rejects(chunks.put(hashOf(3), 0, new Uint8Array(1)), hasCode('MetadataNotFound'))
  await chunks.begin(hashOf(3), 10)
  for (const [index, length] of [
    [0, 9],
    [0, 11],
    [1, 1],
    [-1, 10],
  ] as const)
    await assert.rejects(chunks.put(hashOf(3), index, new Uint8Array(length)), RangeError)
  await chunks.put(hashOf(3), 0, new Uint8Array(10))
  await chunks.begin(hashOf(3), 10)
  await assert.rejects(chunks.assemble(hashOf(3)), hasCode('MetadataNotFound'))
  await chunks.begin(hashOf(3), MAX_METAINFO_BYTES)
})

test('only an info hash makes a path', async t => {
  const { folder, make } = open(t)
  const chunks = make()
  const evil = '../../../evil' as InfoHash
  await assert.rejects(chunks.begin(evil, 10), hasCode('UnsafePath'))
  await assert.rejects(chunks.store(evil, new Uint8Array(10)), hasCode('UnsafePath'))
  await assert.rejects(chunks.get(evil, 0), hasCode('UnsafePath'))
  assert.throws(() => readdirSync(folder))
})

test('many dictionaries at once: few files stay open, and every byte is right', async t => {
  const chunks = open(t).make()
  const hashes = Array.from({ length: 40 }, (_, i) => hashOf(i))
  await Promise.all(hashes.map((hash, i) => chunks.store(hash, makeBytes(100 + i))))
  const got = await Promise.all([...hashes, ...hashes].map(hash => chunks.get(hash, 0)))
  got.forEach((bytes, i) => assert.deepEqual(bytes, makeBytes(100 + (i % 40))))
  assert.ok(chunks.openCount <= 16, `${chunks.openCount} files are open`)
})

test('close waits for posted work; afterwards everything rejects', async t => {
  const chunks = open(t).make()
  const storing = chunks.store(hashOf(5), makeBytes(50_000))
  await chunks.close()
  await storing
  assert.equal(chunks.openCount, 0)
  await assert.rejects(chunks.get(hashOf(5), 0), hasCode('Aborted'))
})

test('what a killed process left half done goes with the next start, and nothing else', async t => {
  const { folder, make } = open(t)
  const name = 'ab'.repeat(20)
  const kept = [name, 'notes.part', `${name}.partial`]
  mkdirSync(folder)
  for (const file of [...kept, `${name}.part`, `${name}.new`]) writeFileSync(join(folder, file), 'x')
  // Waits for its turn.
  await make().get(hashOf(1), 0)
  assert.deepEqual(readdirSync(folder).toSorted(), kept.toSorted())
})
