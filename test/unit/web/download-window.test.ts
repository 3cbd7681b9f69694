// The window of a long list: which rows are asked for, which answers count, and what the node is asked in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFilter } from '../../../src/services/downloads/list/list-filter.ts'
import {
  DownloadWindow,
  filterOf,
  sortOf,
  type WindowAnswer,
  type WindowQuery,
} from '../../../src/web/model/download-window.ts'
import { allDownloads, type View } from '../../../src/web/model/list-view.ts'
import { WholeList } from '../../../src/web/model/shown-list.ts'
import { download } from '../../contract/http/sample-records.ts'
import { hashOf } from '../../kit/doubles/listed-downloads.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const VIEW = allDownloads

const row = (number: number) => ({ ...download, infohash: hashOf(number), name: `Film ${number}` })

/** A node with so many downloads. */
function answerOf(count: number): (query: WindowQuery) => WindowAnswer {
  return ({ offset, limit }) => {
    const end = Math.min(count, offset + limit)
    return { downloads: Array.from({ length: Math.max(0, end - offset) }, (_, at) => row(offset + at)), total: count }
  }
}

function settled(count: number, first: number, end: number) {
  const answer = answerOf(count)
  const window = new DownloadWindow(VIEW)
  window.look(first, end)
  const query = window.query()
  assert.ok(window.take(query, answer(query)))
  return { window, answer }
}

test('rows in view and some beyond are held; the others are places without a row', () => {
  const { window } = settled(5000, 2000, 2040)
  assert.equal(window.length, 5000)
  assert.deepEqual(window.query(), { sort: '-time_added', filter: '', offset: 1940, limit: 160 })
  assert.equal(window.at(2000)?.name, 'Film 2000')
  assert.equal(window.indexOf(hashOf(2010)), 2010)
  assert.equal(window.find(hashOf(2010))?.name, 'Film 2010')
  assert.deepEqual([window.at(0), window.at(4999), window.at(-1), window.find(hashOf(7))], [null, null, null, null])
  assert.equal(window.indexOf(hashOf(7)), -1)
})

test('any scrolling: what is in view is asked for before it is missing, and is there after the answer', () => {
  const random = new SeededRandom(3)
  const { window, answer } = settled(3000, 0, 40)
  let asked = 0
  for (let step = 0, first = 0; step < 500; step++) {
    const jump = random.below(10) === 0 ? random.below(3000) : first + random.below(30) - 15
    first = Math.max(0, Math.min(2960, jump))
    if (window.look(first, first + 40)) {
      asked += 1
      const query = window.query()
      assert.ok(query.limit <= 200, 'few rows at a time')
      window.take(query, answer(query))
      assert.equal(window.look(first, first + 40), false, 'nothing more is to be asked for')
    }
    for (let at = first; at < first + 40; at++) assert.equal(window.at(at)?.infohash, hashOf(at), `step ${step}`)
  }
  assert.ok(asked < 250, `${asked} requests for 500 steps`)
})

test('an answer that comes late does not push out what is looked at by then', () => {
  const { window, answer } = settled(3000, 0, 40)
  window.look(1500, 1540)
  const late = window.query()
  window.look(0, 40)
  assert.ok(window.take(late, answer(late)))
  assert.equal(window.at(0)?.name, 'Film 0')
  assert.equal(window.at(1500), null)
})

test('an answer to another order or filter means nothing; the rows of before stay until the right one comes', () => {
  const { window, answer } = settled(3000, 0, 40)
  const old = window.query()
  window.setView({ ...VIEW, query: 'film' })
  assert.equal(window.take(old, answer(old)), false)
  assert.equal(window.at(0)?.name, 'Film 0')
  const query = window.query()
  assert.equal(query.filter, '"film"')
  assert.ok(window.take(query, answerOf(2)(query)))
  assert.deepEqual([window.length, window.at(1)?.name, window.at(2)], [2, 'Film 1', null])
})

test('a list that became shorter is asked for where it ends now', () => {
  const { window } = settled(3000, 2900, 2940)
  const answer = answerOf(100)
  const query = window.query()
  assert.ok(window.take(query, answer(query)))
  assert.deepEqual([window.length, window.at(50)], [100, null])
  assert.equal(window.look(60, 100), true)
  const again = window.query()
  window.take(again, answer(again))
  assert.equal(window.at(99)?.name, 'Film 99')
})

test('a row of which nothing changed stays the same object', () => {
  const { window, answer } = settled(3000, 0, 40)
  const [before, changed] = [window.at(5), window.at(6)]
  const query = window.query()
  const { downloads, total } = answer(query)
  const now = downloads.map(one => (one.infohash === hashOf(6) ? { ...one, progress: 0.25 } : one))
  window.take(query, { downloads: now, total })
  assert.equal(window.at(5), before)
  assert.notEqual(window.at(6), changed)
})

test('filters: what was chosen and what is searched for, in the words of the node', () => {
  const rows: readonly (readonly [Partial<View>, string])[] = [
    [{}, ''],
    [{ group: 'seeding' }, 'state:seeding'],
    [{ query: '  Big  film ' }, '"big" "film"'],
    [{ group: 'trouble', query: 'seeding label:x' }, 'state:trouble "seeding" label:"x"'],
    [{ group: 'trouble', query: 'film state:paused' }, 'state:paused "film"'],
    [
      { label: '', tracker: 'a.example', folder: '/srv/my films' },
      'label:"" tracker:"a.example" folder:"/srv/my films"',
    ],
    [{ query: 'size>1KiB folder:srv' }, 'size>1024 folder:srv'],
    [{ query: 'a"b' }, '"a" "b"'],
    [{ query: '"' }, ''],
  ]
  for (const [view, filter] of rows) assert.equal(filterOf({ ...VIEW, ...view }), filter)
  assert.equal(sortOf({ ...VIEW, sort: 'name', descending: false }), 'name')
  // The node takes whatever somebody types.
  const folder = `/${'\u05d0'.repeat(1300)}/"`
  for (const query of ['x '.repeat(500), 'y'.repeat(9000), 'a,b state:none', '" " "', 'size>x label:', 'tracker:a"b']) {
    const filter = filterOf({ ...VIEW, group: 'active', label: '"', folder, query })
    assert.ok(filter.length <= 5000)
    readFilter(filter)
  }
})

test('a whole list is read in the same way', () => {
  const columns = { bits: 1, text: '', labels: [], hosts: [], folder: '', size: 0 }
  const made = [1, 2, 3].map(number => ({ record: row(number), key: 0, shown: true, round: 0, ...columns }))
  const list = new WholeList(made)
  assert.deepEqual([list.length, list.at(1)?.name, list.at(3)], [3, 'Film 2', null])
  assert.deepEqual([list.indexOf(hashOf(3)), list.indexOf(hashOf(9))], [2, -1])
  assert.deepEqual(list.names(1, 3), [hashOf(2), hashOf(3)])
})
