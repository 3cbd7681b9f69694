// The table of the dashboard against a plain one: after any updates it shows the same rows in the same order with the
// same sums; what moves among ten thousand costs few comparisons.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { groups, isIn } from '../../../src/web/model/download-groups.ts'
import { mergeOrdered } from '../../../src/web/model/merge-ordered.ts'
import { DownloadTable } from '../../../src/web/model/download-table.ts'
import { allDownloads, type SortColumn, type View } from '../../../src/web/model/list-view.ts'
import { download } from '../../contract/http/sample-records.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const statuses = ['DLSTATUS_DOWNLOADING', 'DLSTATUS_SEEDING', 'DLSTATUS_STOPPED', 'DLSTATUS_STOPPED_ON_ERROR'] as const
const columns: readonly SortColumn[] = [
  ...(['name', 'progress', 'status', 'size', 'speed_down', 'num_peers', 'time_added'] as const),
  ...(['labels', 'trackers', 'availability'] as const),
]

function record(number: number, change: Partial<DownloadRecord> = {}): DownloadRecord {
  const infohash = number.toString(16).padStart(40, '0')
  return { ...download, infohash, name: `Film ${number}`, time_added: number, speed_down: 0, speed_up: 0, ...change }
}

/** What a column is sorted by: of trackers their hosts, not the addresses, which hold keys. */
function shownIn(sort: SortColumn, { labels, trackers, ...others }: DownloadRecord): string | number {
  if (sort === 'labels') return labels.join(', ')
  if (sort === 'trackers') return trackers.map(({ url }) => new URL(url).hostname).join(', ')
  return others[sort]
}

/** What the table should show, the slow way. */
function expected(all: ReadonlyMap<string, DownloadRecord>, view: View): string[] {
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const words = view.query.toLowerCase().split(/\s+/).filter(Boolean)
  return [...all.values()]
    .filter(each => isIn(view.group, each))
    .filter(each => {
      const text = `${each.name} ${each.labels.join(' ')} ${each.infohash}`.toLowerCase()
      return words.every(word => text.includes(word))
    })
    .sort((a, b) => {
      const [x, y] = [shownIn(view.sort, a), shownIn(view.sort, b)]
      const order = typeof x === 'string' && typeof y === 'string' ? collator.compare(x, y) : Number(x) - Number(y)
      if (order !== 0) return view.descending ? -order : order
      return a.infohash < b.infohash ? -1 : 1
    })
    .map(each => each.infohash)
}

const shown = (table: DownloadTable) => table.visible.map(row => row.record.infohash)

test('any updates: the same rows, order and sums as a plain list', () => {
  const random = new SeededRandom(7)
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T
  const table = new DownloadTable()
  const all = new Map<string, DownloadRecord>()
  for (let round = 0; round < 300; round++) {
    const changed = Array.from({ length: random.below(12) }, () =>
      record(random.below(80), {
        status: pick(statuses),
        speed_down: random.below(3) * 1000,
        speed_up: random.below(2) * 500,
        progress: random.below(11) / 10,
        size: random.below(5) * 1e9,
        labels: pick([[], ['films'], ['films', 'old'], ['Films']]),
        availability: random.below(4) / 2,
        trackers: pick([[], ['http://b.example/z'], ['udp://a.example:1/9', 'http://b.example/a']]).map(url => ({
          url,
          status: 'Working',
          peers: 1,
        })),
      }),
    )
    // One update never names a download twice.
    const records = [...new Map(changed.map(each => [each.infohash, each])).values()]
    const names = new Set(records.map(each => each.infohash))
    const removed = [...all.keys()].filter(hash => !names.has(hash) && random.below(40) === 0)
    for (const hash of removed) all.delete(hash)
    for (const each of records) all.set(each.infohash, each)
    table.apply(records, removed)
    if (random.below(4) === 0) {
      const group = pick(groups)
      const query = pick(['', '', 'film 1', 'old', 'FILMS 7', 'nothing'])
      table.setView({ ...allDownloads, sort: pick(columns), descending: random.below(2) === 0, group, query })
    }
    assert.deepEqual(shown(table), expected(all, table.view), `round ${round}`)
    const { totals } = table
    assert.equal(totals.count, all.size)
    assert.equal(
      totals.down,
      [...all.values()].reduce((sum, each) => sum + each.speed_down, 0),
    )
    for (const group of groups)
      assert.equal(totals.groups[group], [...all.values()].filter(each => isIn(group, each)).length, group)
  }
})

test('a new synchronisation forgets what it does not name', () => {
  const table = new DownloadTable()
  table.apply([record(1), record(2), record(3)], [])
  table.begin()
  table.apply([record(3), record(1, { name: 'Renamed' })], [])
  assert.equal(table.totals.count, 3, 'nothing is forgotten before it is whole')
  table.finish()
  assert.deepEqual(
    table.visible.map(row => row.record.name),
    ['Film 3', 'Renamed'],
  )
})

test('ten thousand rows: a hundred that move cost few comparisons, not a sort', () => {
  const kept = Array.from({ length: 10_000 }, (_, i) => i * 10)
  const coming = Array.from({ length: 100 }, (_, i) => i * 997)
  let comparisons = 0
  const merged = mergeOrdered(kept, coming, (a, b) => {
    comparisons++
    return a - b
  })
  assert.deepEqual(
    merged,
    [...kept, ...coming].toSorted((a, b) => a - b),
  )
  assert.ok(comparisons <= 100 * 15, `${comparisons} comparisons`)
})

test('what is equal stays before what comes; empty lists are lists', () => {
  const by = (a: readonly [number, string], b: readonly [number, string]): number => a[0] - b[0]
  const merged = mergeOrdered(
    [
      [1, 'a'],
      [2, 'b'],
      [2, 'c'],
    ],
    [
      [0, 'x'],
      [2, 'y'],
      [3, 'z'],
    ],
    by,
  )
  assert.deepEqual(merged.map(([, name]) => name).join(''), 'xabcyz')
  assert.deepEqual(mergeOrdered([], [[1, 'a']], by), [[1, 'a']])
  assert.deepEqual(mergeOrdered([[1, 'a']], [], by), [[1, 'a']])
})
