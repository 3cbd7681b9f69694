// The machine code that hashes: every path gets the same inputs, and answers what node:crypto answers.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CONTEXT_BYTES, digestBytes, type HashAlgorithm, type NativeHash } from '../../../src/pools/jobs/native-hash.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { nativeHashes, nativeMissing } from '../../kit/native-hashes.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const MIB = 1024 * 1024
const lengths = [0, 1, 55, 56, 57, 63, 64, 65, 100, 119, 120, 127, 128, 16_384, 16_385, MIB]
const algorithms = ['sha1', 'sha256'] as const

/** Bytes that another thread could have written: shared memory. */
const shared = new Uint8Array(new SharedArrayBuffer(2 * MIB))
shared.set(seededBytes(2 * MIB, 7))

/** A part of `shared`; offset -1: zeroes. */
type Part = readonly [offset: number, length: number]

function expected(algorithm: HashAlgorithm, parts: readonly Part[]): string {
  const hash = createHash(algorithm)
  for (const [offset, length] of parts)
    hash.update(offset < 0 ? new Uint8Array(length) : shared.subarray(offset, offset + length))
  return hash.digest('hex')
}

/** The digests of messages, made by so many calls of update. */
function digests(
  sha: NativeHash,
  algorithm: HashAlgorithm,
  messages: readonly (readonly Part[])[],
  calls = 1,
): string[] {
  const contexts = new Uint8Array(messages.length * CONTEXT_BYTES)
  for (let call = 0; call < calls; call++) {
    const parts = messages.flatMap((message, i) =>
      message.filter((_, at) => Math.floor((at * calls) / message.length) === call).flatMap(part => [i, ...part]),
    )
    sha.update(algorithm, contexts, shared, Float64Array.from(parts))
  }
  const size = digestBytes[algorithm]
  const out = Buffer.alloc(messages.length * size)
  sha.finish(algorithm, contexts, messages.length, out)
  assert.ok(
    contexts.every(byte => byte === 0),
    'a message that has ended can begin again',
  )
  return messages.map((_, i) => out.toString('hex', i * size, (i + 1) * size))
}

function check(sha: NativeHash, messages: readonly (readonly Part[])[], calls = 1): void {
  for (const algorithm of algorithms) {
    const wanted = messages.map(message => expected(algorithm, message))
    assert.deepEqual(digests(sha, algorithm, messages, calls), wanted, `${sha.path} ${algorithm}`)
  }
}

test('the paths of this processor are there', { skip: nativeMissing }, () => {
  const names = nativeHashes().map(({ path }) => path)
  assert.ok(names.includes('portable'))
  assert.equal(names.includes('avx2'), names.includes('avx2-alone'))
})

test('one or two messages pay only where the SHA instructions are', { skip: nativeMissing }, () => {
  for (const sha of nativeHashes()) {
    const single = ['sha-ni', 'avx2', 'avx512'].includes(sha.path)
    assert.deepEqual(
      [1, 2, 3].map(count => sha.pays(count)),
      [sha.single, sha.single, true],
      sha.path,
    )
    if (single)
      assert.equal(
        sha.single,
        nativeHashes().some(({ path }) => path === 'sha-ni'),
        sha.path,
      )
  }
})

test('messages of every length, alone and 40 side by side', { skip: nativeMissing }, () => {
  for (const sha of nativeHashes()) {
    for (const length of lengths) {
      check(sha, [[[5, length]]])
      check(sha, [[[-1, length]]])
      const side = Array.from({ length: length === MIB ? 17 : 40 }, (_, i): Part[] => [[i * 64, length]])
      check(sha, side)
    }
    check(
      sha,
      lengths.map((length): Part[] => [[0, length]]),
    )
  }
})

test('at every alignment, within shared memory', { skip: nativeMissing }, () => {
  for (const sha of nativeHashes())
    check(
      sha,
      Array.from({ length: 64 }, (_, offset): Part[] => [[offset, 1000 + offset]]),
    )
})

test('thousands of random batches, in parts and over several calls', { skip: nativeMissing }, () => {
  const random = new SeededRandom(Number(process.env['SEED'] ?? 21))
  const below = (count: number): number => random.below(count)
  const length = (): number => [lengths[below(lengths.length - 1)] ?? 0, below(300), below(20_000)][below(3)] ?? 0
  const part = (): Part => [below(8) === 0 ? -1 : below(MIB), length()]
  for (const sha of nativeHashes())
    for (let round = 0; round < 300; round++) {
      const messages = Array.from({ length: 1 + below(below(4) === 0 ? 40 : 6) }, () =>
        Array.from({ length: below(5) }, part),
      )
      check(sha, messages, 1 + below(3))
    }
})

test('layers of hash trees', { skip: nativeMissing }, () => {
  for (const sha of nativeHashes())
    for (let count = 1; count < 70; count++) {
      const nodes = seededBytes(count * 64, count)
      const out = Buffer.alloc(count * 32)
      sha.pairs(nodes, out)
      const wanted = Array.from({ length: count }, (_, i) =>
        createHash('sha256')
          .update(nodes.subarray(i * 64, (i + 1) * 64))
          .digest('hex'),
      )
      assert.equal(out.toString('hex'), wanted.join(''), `${sha.path} ${count}`)
    }
})
