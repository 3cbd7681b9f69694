// SmallMetadata: small dictionaries touch no file, what is held is bounded, the rest goes to the files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { type InfoHash, infoHashFromBytes } from '../../../src/base/ids.ts'
import { SmallMetadata } from '../../../src/io/files/small-metadata.ts'
import type { MetadataChunks } from '../../../src/ports/metadata-chunks.ts'

const KIB = 1024
const hashOf = (n: number): InfoHash => infoHashFromBytes(new Uint8Array(20).fill(n))

function rig(): { small: SmallMetadata; calls: string[] } {
  const calls: string[] = []
  const note = (name: string) => (_: InfoHash, what?: unknown) => {
    calls.push(typeof what === 'number' ? `${name} ${what}` : name)
    return Promise.resolve()
  }
  const files: MetadataChunks = {
    begin: note('begin'),
    put: note('put'),
    assemble: () => Promise.resolve(Uint8Array.of(7)),
    store: note('store'),
    get: () => Promise.resolve(null),
    remove: note('remove'),
    close: () => Promise.resolve(),
  }
  return { small: new SmallMetadata(files), calls }
}

test('a small dictionary in any order, without the files', async () => {
  const { small, calls } = rig()
  const bytes = Uint8Array.from({ length: 20 * KIB }, (_, i) => i & 0xff)
  await small.begin(hashOf(1), bytes.length)
  await small.put(hashOf(1), 1, bytes.subarray(16 * KIB))
  await assert.rejects(
    small.assemble(hashOf(1)),
    (e: unknown) => e instanceof AppError && e.code === 'MetadataNotFound',
  )
  for (const [index, length] of [
    [0, 5],
    [1, 16 * KIB],
    [2, 0],
    [-1, 16 * KIB],
  ] as const)
    await assert.rejects(small.put(hashOf(1), index, new Uint8Array(length)), RangeError)
  await small.put(hashOf(1), 0, bytes.subarray(0, 16 * KIB))
  assert.deepEqual(await small.assemble(hashOf(1)), bytes)
  assert.deepEqual(calls, [])
  await small.remove(hashOf(1))
  assert.deepEqual([small.heldBytes, calls], [0, ['remove']])
})

test('large ones and those beyond the room go to the files; what ends makes room', async () => {
  const { small, calls } = rig()
  await small.begin(hashOf(1), 256 * KIB + 1)
  await small.put(hashOf(1), 3, new Uint8Array(1))
  assert.deepEqual(await small.assemble(hashOf(1)), Uint8Array.of(7))
  for (let n = 2; n < 18; n++) await small.begin(hashOf(n), 256 * KIB)
  assert.equal(small.heldBytes, 4096 * KIB)
  await small.begin(hashOf(18), 1)
  assert.deepEqual(calls, [`begin ${256 * KIB + 1}`, 'put 3', 'begin 1'])
  await small.begin(hashOf(2), 100)
  assert.equal(small.heldBytes, 3840 * KIB + 100)
  await small.begin(hashOf(18), 1)
  await small.store(hashOf(3), new Uint8Array(5))
  assert.equal(small.heldBytes, 3584 * KIB + 101)
  assert.equal(calls.length, 4)
})
