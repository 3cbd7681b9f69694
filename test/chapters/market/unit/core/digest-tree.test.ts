// Digests over statements: they say the same for the same set however it came about, and where two sets differ, walking
// down finds it.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DIGEST_DEPTH } from '../../../../../src/chapters/market/core/book-digests.ts'
import { DigestTree } from '../../../../../src/chapters/market/core/digest-tree.ts'
import type { OrderStatement } from '../../../../../src/chapters/market/wire/types.ts'
import { TestTrader } from '../../kit/market-orders.ts'

const trader = new TestTrader('one')
const statements = Array.from({ length: 500 }, () => trader.order())
const EMPTY = { count: 0, digest: '0000000000000000' }

function treeOf(all: readonly OrderStatement[]): DigestTree {
  const tree = new DigestTree()
  for (const each of all) tree.add(each)
  return tree
}

function sha256(hexadecimal: string): string {
  return createHash('sha256').update(Buffer.from(hexadecimal, 'hex')).digest('hex').slice(0, 16)
}

test('digests are as book-digests.ts says', () => {
  const tree = treeOf(statements)
  const below = (prefix: string): string[] =>
    statements
      .map(({ hash }) => hash)
      .filter(hash => hash.startsWith(prefix))
      .toSorted()
  const expected = (prefix: string): { count: number; digest: string } => {
    const hashes = below(prefix)
    if (hashes.length === 0) return EMPTY
    if (prefix.length === DIGEST_DEPTH) return { count: hashes.length, digest: sha256(hashes.join('')) }
    const digits = [...'0123456789abcdef'].map(digit => expected(prefix + digit).digest)
    return { count: hashes.length, digest: sha256(digits.join('')) }
  }
  const { hash } = statements[3] as OrderStatement
  for (let digits = 0; digits <= DIGEST_DEPTH; digits++) {
    const prefix = hash.slice(0, digits)
    assert.deepEqual(tree.digest(prefix), expected(prefix), prefix)
    assert.deepEqual(tree.hashes(prefix, 1000), below(prefix))
    assert.deepEqual(tree.hashes(prefix, 2), below(prefix).slice(0, 2))
  }
  const prefixes = statements.map(each => each.hash.slice(0, DIGEST_DEPTH))
  const twice = prefixes.find((prefix, at) => prefixes.indexOf(prefix) < at) as string
  assert.deepEqual(tree.hashes(twice, 1), below(twice).slice(0, 1))
  const [lower = '', higher = ''] = below(twice)
  for (const each of [lower, higher]) assert.deepEqual(tree.hashes(each.slice(0, 12), 5), [each])
  assert.deepEqual(tree.hashes(hash, 5), [hash])
  assert.deepEqual(new DigestTree().digest(''), EMPTY)
})

test('what is put in and taken out leaves nothing', () => {
  const tree = treeOf(statements.slice(0, 300))
  const before = tree.digest('')
  for (const each of statements.slice(300)) tree.add(each)
  assert.notEqual(tree.digest('').digest, before.digest)
  for (const each of statements.slice(300)) tree.remove(each)
  for (const each of statements.slice(300)) tree.remove(each)
  assert.deepEqual(tree.digest(''), before)
  for (const each of statements.slice(0, 300)) tree.remove(each)
  assert.deepEqual([tree.digest(''), tree.hashes('', 9)], [EMPTY, []])
})

test('one statement more is found by going down', () => {
  const [one, other] = [treeOf(statements.slice(1).reverse()), treeOf(statements)]
  let prefix = ''
  while (prefix.length < DIGEST_DEPTH) {
    const digit = [...'0123456789abcdef'].filter(
      each => one.digest(prefix + each).digest !== other.digest(prefix + each).digest,
    )
    assert.equal(digit.length, 1)
    prefix += digit[0]
  }
  const { hash } = statements[0] as OrderStatement
  assert.ok(hash.startsWith(prefix))
  assert.equal(other.statement(hash), statements[0])
  assert.equal(one.statement(hash), null)
})

test('prefixes that are none', () => {
  const tree = treeOf(statements)
  for (const prefix of ['0'.repeat(DIGEST_DEPTH + 1), 'x', 'A', '-1'])
    assert.throws(() => tree.digest(prefix), RangeError)
  assert.throws(() => tree.hashes('zz', 1), RangeError)
  for (const hash of ['', 'abc', 'zzzz', '0'.repeat(64)]) assert.equal(tree.statement(hash), null)
})

test('digests are made beforehand, a few at a time, and are the same', () => {
  const tree = treeOf(statements)
  const buckets = new Set(statements.map(({ hash }) => hash.slice(0, DIGEST_DEPTH))).size
  assert.equal(tree.stale, buckets)
  tree.refresh(10)
  assert.equal(tree.stale, buckets - 10)
  tree.refresh(buckets)
  assert.equal(tree.stale, 0)
  assert.deepEqual(tree.digest(''), treeOf(statements).digest(''))
  tree.remove(statements[0] as OrderStatement)
  assert.equal(tree.stale, 1)
  assert.deepEqual(tree.digest(''), treeOf(statements.slice(1)).digest(''))
  assert.equal(tree.stale, 0)
})
