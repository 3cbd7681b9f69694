// Sums of payload beyond 2 GiB are right, and change nothing that machine code was made for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { ByteSums } from '../../../src/base/byte-sums.ts'

// First: the kind would change once only.
test('a sum that passes 2^31 leaves its object of the same kind as all others', () => {
  setFlagsFromString('--allow-natives-syntax')
  const sameKind = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (a: object, b: object) => boolean
  const [large, small] = [new ByteSums(), new ByteSums()]
  assert.ok(sameKind(large, small))
  // Compiled by now.
  setFlagsFromString('--no-allow-natives-syntax')
  for (const way of ['down', 'up'] as const) {
    small[way] += 16_384
    large[way] += 2 ** 31
    large[way] += 2 ** 31
    assert.ok(sameKind(large, small), `${way} has changed its kind`)
    assert.ok(sameKind(large, new ByteSums()), `${way}: new ones are of another kind`)
  }
})

test('counts both ways, beyond 2^31 and what a disk holds', () => {
  const sums = new ByteSums()
  assert.deepEqual([sums.down, sums.up], [0, 0])
  sums.down += 2 ** 31 - 1
  sums.down += 16_384
  sums.up += 2 ** 45
  sums.up += 1
  assert.deepEqual([sums.down, sums.up], [2 ** 31 + 16_383, 2 ** 45 + 1])
})
