// Numbers by label, tracker and folder: the same as counted from all rows after any changes, and never more than there
// may be.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FacetRow, FacetCounts, MAX_FACETS } from '../../../../src/wire/list/facet-counts.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'

test('after any changes as counted from all rows', () => {
  const random = new SeededRandom(5)
  const some = (of: readonly string[]) => of.filter(() => random.below(2) === 0)
  const counts = new FacetCounts()
  const rows: FacetRow[] = []
  for (let round = 0; round < 500; round++) {
    const now: FacetRow = { labels: some(['a', 'b']), hosts: some(['x', 'y']), folder: `/${random.below(3)}` }
    const at = random.below(rows.length + 1)
    const before = rows[at]
    if (before !== undefined && random.below(3) === 0) {
      counts.replace(before, null)
      rows.splice(at, 1)
    } else {
      counts.replace(before ?? null, now)
      rows[at] = now
    }
    const numbers = (of: (row: FacetRow) => readonly string[]) => {
      const all = rows.flatMap(row => (of(row).length === 0 ? [''] : of(row)))
      return [...new Set(all)].toSorted().map(value => ({ value, count: all.filter(one => one === value).length }))
    }
    const expected = {
      labels: numbers(({ labels }) => labels),
      trackers: numbers(({ hosts }) => hosts),
      folders: numbers(({ folder }) => [folder]),
    }
    assert.deepEqual(counts.read(), expected)
  }
  assert.equal(counts.read(), counts.read(), 'told again without counting')
  counts.clear()
  assert.deepEqual(counts.read(), { labels: [], trackers: [], folders: [] })
})

test('of many values those that most have', () => {
  const counts = new FacetCounts()
  for (let at = 0; at < 1000; at++) {
    const row = { labels: [`label ${at}`], hosts: [], folder: '/' }
    for (let times = 0; times <= at % 5; times++) counts.replace(null, row)
  }
  const { labels } = counts.read()
  assert.equal(labels.length, MAX_FACETS)
  assert.ok(labels.every(({ count }) => count === 5))
})
