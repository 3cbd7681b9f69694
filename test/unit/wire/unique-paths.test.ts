// Clashes within one torrent: case, composition, repeats, file against folder; and that resolving them stays cheap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UniquePaths } from '../../../src/wire/metainfo/unique-paths.ts'

function unique(...paths: string[]): string[] {
  const names = new UniquePaths()
  return paths.map(path => names.add(path.split('/')).join('/'))
}

test('repeats and case clashes get numbers before the ending', () => {
  assert.deepEqual(unique('t/a.txt', 't/A.TXT', 't/a.txt', 't/b'), ['t/a.txt', 't/A (1).TXT', 't/a (2).txt', 't/b'])
})

test('composition does not tell names apart', () => {
  assert.deepEqual(unique('é', 'e\u0301'), ['é', 'e\u0301 (1)'])
})

test('a number that is taken is passed over', () => {
  assert.deepEqual(unique('a (1)', 'a', 'a', 'A'), ['a (1)', 'a', 'a (2)', 'A (3)'])
})

test('folders of one name are one folder; files in folders that differ in case clash', () => {
  assert.deepEqual(unique('d/x', 'd/y', 'D/z', 'D/x'), ['d/x', 'd/y', 'D/z', 'D/x (1)'])
})

test('a file and a folder never share a path', () => {
  assert.deepEqual(unique('a', 'a/b', 'a/c', 'A/d'), ['a', 'a (1)/b', 'a (1)/c', 'a (1)/d'])
  assert.deepEqual(unique('a/b', 'a'), ['a/b', 'a (1)'])
})

test('a new name fits into a file system too', () => {
  const long = `${'x'.repeat(251)}.mkv`
  const [, second] = unique(long, long)
  assert.ok(Buffer.byteLength(second ?? '') <= 255)
  assert.match(second ?? '', /^x+ \(1\)\.mkv$/)
})

test('many clashes cost no more than their number', () => {
  const names = new UniquePaths()
  const given = new Set<string>()
  const start = performance.now()
  // Stems that differ only where they are cut, each twice: without shared counters this takes 40 s.
  for (let index = 0; index < 20_000; index++) {
    const stem = 'x'.repeat(248) + String(Math.floor(index / 2)).padStart(7, '0')
    given.add(names.add([stem])[0] as string)
  }
  assert.equal(given.size, 20_000)
  assert.ok(performance.now() - start < 5_000)
})
