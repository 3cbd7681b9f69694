// Pages of the list: what a query means, in its order; nothing that stays is skipped or shown twice while others come
// and go; what did not change is not looked at again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/base/errors.ts'
import type { DownloadRecord } from '../../../src/services/downloads/download-records-api.ts'
import { ListPages } from '../../../src/services/downloads/list/list-pages.ts'
import type { ListPage, ListQuery } from '../../../src/services/downloads/list/list-query-api.ts'
import { hashOf, ListedDoubles } from '../../kit/doubles/listed-downloads.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { HandClock } from './service-doubles.ts'

const ALL: ListQuery = {
  only: null,
  filter: '',
  sort: null,
  descending: false,
  after: null,
  offset: 0,
  limit: null,
  totals: false,
  facets: false,
}

function rig(records: readonly Partial<DownloadRecord>[] = []) {
  const clock = new HandClock()
  const set = new ListedDoubles()
  const all = records.map(fields => set.add(fields))
  const pages = new ListPages(set, clock)
  const numbers = ({ infohashes }: ListPage) => infohashes.map(infohash => Number.parseInt(infohash.slice(0, 8), 16))
  const find = (query: Partial<ListQuery>) => pages.find({ ...ALL, ...query })
  const found = async (query: Partial<ListQuery>) => numbers(await find(query))
  return { clock, set, all, pages, find, found, numbers }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: unknown) => (error instanceof AppError ? error.code : 'bug'),
  )

test('without parameters all come in the order they were added', async () => {
  const { find, numbers } = rig([{}, {}, {}])
  const page = await find({})
  assert.deepEqual(numbers(page), [1, 2, 3])
  assert.equal(page.total, 3)
  assert.equal(page.next, '')
})

test('a page ends with the cursor of the next, the last one with none', async () => {
  const { find, numbers } = rig([{}, {}, {}, {}])
  const first = await find({ limit: 2 })
  assert.deepEqual([numbers(first), first.total, first.next], [[1, 2], 4, hashOf(2)])
  const last = await find({ limit: 2, after: first.next.toUpperCase() })
  assert.deepEqual([numbers(last), last.total, last.next], [[3, 4], 4, ''])
  const none = await find({ limit: 2, after: hashOf(4) })
  assert.deepEqual([numbers(none), none.total, none.next], [[], 4, ''])
})

test('an offset passes over so many, behind the cursor where there is one', async () => {
  const { find, found, numbers } = rig([{ size: 5 }, { size: 4 }, { size: 3 }, { size: 2 }, { size: 1 }])
  assert.deepEqual(await found({ offset: 2, limit: 2 }), [3, 4])
  assert.deepEqual(await found({ offset: 1, limit: 2, sort: 'size' }), [4, 3])
  assert.deepEqual(await found({ offset: 1, limit: 2, after: hashOf(2) }), [4, 5])
  const first = await find({ offset: 1, limit: 2 })
  assert.deepEqual([first.total, first.next], [5, hashOf(3)])
  assert.deepEqual(await found({ limit: 2, after: first.next }), [4, 5])
  const behind = await find({ offset: 5, limit: 2 })
  assert.deepEqual([numbers(behind), behind.total, behind.next], [[], 5, ''])
  assert.deepEqual(await found({ offset: 3, only: [hashOf(1), hashOf(3), hashOf(4), hashOf(5)] }), [5])
})

test('totals are of all downloads, whatever is asked for, and follow what comes, goes and changes', async () => {
  const random = new SeededRandom(11)
  const { clock, set, pages, find } = rig([{ speed_down: 10.4, speed_up: 2 }, { status: 'DLSTATUS_STOPPED' }])
  assert.equal((await find({})).totals, null)
  for (let round = 0; round < 60; round++) {
    const all = [...set.entries.values()]
    const one = all[random.below(all.length)]
    const status = random.below(2) === 0 ? 'DLSTATUS_STOPPED' : 'DLSTATUS_DOWNLOADING'
    if (random.below(3) === 0 || one === undefined) pages.changed(set.add({ status }).stored.infoHash)
    else if (random.below(4) === 0) {
      set.remove(one.stored.infoHash)
      pages.changed(one.stored.infoHash)
    } else one.change({ status, progress: random.below(2), speed_down: random.below(3) * 100 })
    clock.advance(3000)
    const query = [{ filter: 'stopped' }, { limit: 1, offset: 1 }, { only: [hashOf(1)] }][random.below(3)]
    const { totals } = await find({ ...query, totals: true })
    const records = [...set.entries.values()].map(({ record }) => record)
    const count = (is: (record: DownloadRecord) => boolean) => records.filter(is).length
    assert.equal(totals?.count, records.length, `round ${round}`)
    assert.equal(totals.states.all, records.length)
    assert.equal(
      totals.states.stopped,
      count(({ status }) => status === 'DLSTATUS_STOPPED'),
    )
    assert.equal(
      totals.states.active,
      count(({ speed_down: down, speed_up: up }) => down >= 1 || up >= 1),
    )
    assert.equal(
      totals.states.downloading,
      count(one => one.progress < 1 && one.status !== 'DLSTATUS_STOPPED'),
    )
    assert.equal(
      totals.speed_down,
      records.reduce((sum, one) => sum + Math.round(one.speed_down), 0),
    )
  }
  clock.advance(600_000)
  assert.equal((await find({ totals: true })).totals?.count, set.entries.size, 'after all rows were forgotten')
})

test('sorted by numbers and texts, both ways; equal ones by infohash', async () => {
  const { found } = rig([
    { size: 5, name: 'b' },
    { size: 9, name: 'A' },
    { size: 5, name: 'C' },
    { size: 10, name: 'a' },
  ])
  assert.deepEqual(await found({ sort: 'size' }), [1, 3, 2, 4])
  assert.deepEqual(await found({ sort: 'size', descending: true }), [4, 2, 1, 3])
  assert.deepEqual(await found({ sort: 'name' }), [2, 4, 1, 3])
  assert.deepEqual(await found({ sort: 'name', descending: true }), [3, 1, 2, 4])
})

test('states, labels and texts', async () => {
  const { found } = rig([
    { name: 'Big Film', labels: ['films', 'my own'] },
    { name: 'seeding for beginners', status: 'DLSTATUS_STOPPED', progress: 0.5 },
    { name: 'three', status: 'DLSTATUS_DOWNLOADING', progress: 0.5, speed_down: 9 },
    { name: 'four', status: 'DLSTATUS_STOPPED', queued: true, labels: ['films'] },
    { name: 'five', status: 'DLSTATUS_STOPPED_ON_ERROR', error: 'no', progress: 0 },
    { name: 'six', status: 'DLSTATUS_HASHCHECKING', stalled_volume: '/mnt', moving_to: '/x' },
  ])
  const rows: readonly (readonly [string, readonly number[]])[] = [
    ['', [1, 2, 3, 4, 5, 6]],
    ['all', [1, 2, 3, 4, 5, 6]],
    ['seeding', [1]],
    ['"seeding"', [2]],
    ['stopped', [2, 4]],
    ['paused', [2]],
    ['queued', [4]],
    ['active', [3]],
    ['inactive', [1, 2, 4, 5, 6]],
    ['downloading', [3]],
    ['completed', [1, 4]],
    ['errored', [5]],
    ['trouble', [5, 6]],
    ['checking', [6]],
    ['moving', [6]],
    ['stalled', [6]],
    ['seeding,errored', [1, 5]],
    ['state:Seeding status:errored', [1, 5]],
    ['FILM', [1, 4]],
    ['big film', [1]],
    ['film big', [1]],
    ['"film big"', []],
    ['label:films', [1, 4]],
    ['label:films stopped', [4]],
    ['label:"my own"', [1]],
    ['label:film', []],
    [hashOf(3).slice(0, 8), [3]],
    ['nothing:here', []],
    ['"unclosed', []],
    [' , ,', [1, 2, 3, 4, 5, 6]],
  ]
  for (const [filter, expected] of rows) assert.deepEqual(await found({ filter }), expected, filter)
  assert.equal(await codeOf(found({ filter: 'state:sleeping' })), 'InvalidParameter')
  assert.equal(await codeOf(found({ filter: 'x '.repeat(33) })), 'InvalidParameter')
  assert.equal(await codeOf(found({ filter: 'x'.repeat(5001) })), 'InvalidParameter')
})

test('trackers, folders and sizes narrow the list, and numbers by label, tracker and folder follow all changes', async () => {
  const { clock, all, pages, find, found } = rig([
    { size: 10, destination: '/srv/films', labels: ['films'] },
    { size: 2000, destination: '/srv/my own', labels: ['films', 'old'] },
    { size: 3000 },
  ])
  all[0]?.announceTo('http://a.example/secret/announce', 'udp://b.example:80')
  all[1]?.announceTo('https://a.example/x')
  assert.deepEqual(await found({ filter: 'tracker:"a.example"' }), [1, 2])
  assert.deepEqual(await found({ filter: 'tracker:b.ex size<1k' }), [1])
  assert.deepEqual(await found({ filter: 'tracker:""' }), [3])
  assert.deepEqual(await found({ filter: 'folder:"/srv/my own" size>1k' }), [2])
  const none = await find({ limit: 1 })
  assert.equal(none.facets, null)
  const { facets } = await find({ limit: 1, facets: true, filter: 'size>2500' })
  assert.deepEqual(facets, {
    labels: [
      { value: '', count: 1 },
      { value: 'films', count: 2 },
      { value: 'old', count: 1 },
    ],
    trackers: [
      { value: '', count: 1 },
      { value: 'a.example', count: 2 },
      { value: 'b.example', count: 1 },
    ],
    folders: [
      { value: '/srv', count: 1 },
      { value: '/srv/films', count: 1 },
      { value: '/srv/my own', count: 1 },
    ],
  })
  all[1]?.announceTo('udp://c.example:1')
  all[0]?.change({ labels: [] })
  clock.advance(3000)
  pages.changed(null)
  assert.deepEqual(await found({ filter: 'tracker:"a.example"' }), [1])
  const after = (await find({ facets: true })).facets
  assert.deepEqual(after?.labels, [
    { value: '', count: 2 },
    { value: 'films', count: 1 },
    { value: 'old', count: 1 },
  ])
  assert.deepEqual(
    after?.trackers.map(({ value }) => value),
    ['', 'a.example', 'b.example', 'c.example'],
  )
})

test('only those named, as they are now, with filter, order and pages', async () => {
  const { found, find, numbers, all } = rig([{ size: 3 }, { size: 2 }, { size: 1 }])
  const only = [hashOf(1), hashOf(3), hashOf(3), hashOf(99)]
  assert.deepEqual(await found({ only }), [1, 3])
  assert.deepEqual(await found({ only, sort: 'size' }), [3, 1])
  const page = await find({ only, sort: 'size', limit: 1 })
  assert.deepEqual([numbers(page), page.total, page.next], [[3], 2, hashOf(3)])
  assert.deepEqual(await found({ only, sort: 'size', after: page.next }), [1])
  all[0]?.change({ size: 0 })
  assert.deepEqual(await found({ only, sort: 'size' }), [1, 3])
  assert.deepEqual(await found({ only: [hashOf(99)] }), [])
})

test('a cursor holds its place when its download goes, moves or leaves the filter', async () => {
  const { pages, set, all, find, found } = rig([1, 2, 3, 4, 5, 6].map(size => ({ size })))
  const page = { sort: 'size', filter: 'seeding', limit: 2 } as const
  const { next } = await find(page)
  assert.equal(next, hashOf(2))
  all[1]?.change({ size: 100 })
  pages.changed(hashOf(2))
  assert.deepEqual(await found({ ...page, after: next }), [3, 4])
  all[1]?.change({ size: 2, status: 'DLSTATUS_STOPPED' })
  pages.changed(hashOf(2))
  assert.deepEqual(await found({ ...page, after: next }), [3, 4])
  set.remove(hashOf(2))
  pages.changed(hashOf(2))
  assert.deepEqual(await found({ ...page, after: next }), [3, 4])
  // In another order it was on no page.
  assert.equal(await codeOf(found({ limit: 2, after: next })), 'DownloadNotFound')
  assert.equal(await codeOf(found({ after: hashOf(77) })), 'DownloadNotFound')
})

test('what a request changed is in the next answer; the rest two seconds later', async () => {
  const { pages, set, all, found, clock } = rig([{}, {}, {}])
  assert.deepEqual(await found({ filter: 'seeding' }), [1, 2, 3])
  all[1]?.change({ status: 'DLSTATUS_STOPPED' })
  pages.changed(hashOf(2))
  assert.deepEqual(await found({ filter: 'seeding' }), [1, 3])
  set.add()
  pages.changed(hashOf(4))
  set.remove(hashOf(1))
  pages.changed(hashOf(1))
  assert.deepEqual(await found({ filter: 'seeding' }), [3, 4])
  all[2]?.change({ status: 'DLSTATUS_STOPPED' })
  set.remove(hashOf(4))
  pages.changed(hashOf(4))
  assert.deepEqual(await found({ filter: 'seeding' }), [3])
  clock.advance(2000)
  assert.deepEqual(await found({ filter: 'seeding' }), [])
  all[2]?.change({ status: 'DLSTATUS_SEEDING' })
  set.add()
  pages.changed(null)
  assert.deepEqual(await found({ filter: 'seeding' }), [3, 5])
})

test('an older state is answered at once while a look is under way', async () => {
  const { all, found, clock } = rig(Array.from({ length: 1000 }, () => ({})))
  await found({})
  all[0]?.change({ status: 'DLSTATUS_STOPPED' })
  clock.advance(1500)
  assert.equal((await found({ filter: 'seeding' })).length, 1000)
  await nextTurn()
  await nextTurn()
  assert.equal((await found({ filter: 'seeding' })).length, 999)
})

test('only what changed is looked at again', async () => {
  const { all, set, pages, found, clock } = rig(Array.from({ length: 500 }, (_, at) => ({ size: at })))
  await found({ sort: 'size', limit: 10 })
  set.takeSummed()
  await found({ sort: 'size', limit: 10, after: hashOf(100) })
  // The place of a cursor that was on no page.
  assert.equal(set.takeSummed(), 2)
  all[7]?.change({ size: 1000 })
  const awake = all[8]
  if (awake !== undefined) awake.mark = null
  clock.advance(2000)
  assert.deepEqual(await found({ sort: 'size', descending: true, limit: 2 }), [8, 500])
  set.takeSummed()
  clock.advance(2000)
  await found({ sort: 'size', limit: 10 })
  // The one that is awake for its row and its key; the one that moved, which this view had not read.
  assert.equal(set.takeSummed(), 4)
  pages.changed(null)
  await found({ sort: 'size', limit: 10 })
  assert.equal(set.takeSummed(), 2)
})

test('rows are forgotten a minute after the last query', async () => {
  const { set, found, clock } = rig([{}, {}])
  await found({})
  clock.advance(30_000)
  await found({})
  set.takeSummed()
  clock.advance(59_000)
  await found({})
  assert.equal(set.takeSummed(), 0)
  clock.advance(60_000)
  assert.equal(clock.pending, 0)
  assert.deepEqual(await found({}), [1, 2])
  assert.equal(set.takeSummed(), 2)
})

test('who asks together for one view is answered by one', async () => {
  const { set, found } = rig(Array.from({ length: 3000 }, (_, at) => ({ size: 3000 - at })))
  const pages = await Promise.all(Array.from({ length: 8 }, () => found({ sort: 'size', limit: 3 })))
  for (const page of pages) assert.deepEqual(page, [3000, 2999, 2998])
  // Once for the rows, once for their keys.
  assert.equal(set.takeSummed(), 6000)
})

test('one view is made at a time, 64 wait for that, 16 are kept', async () => {
  const { set, found } = rig(Array.from({ length: 100 }, (_, at) => ({ size: at })))
  await found({})
  const many = Array.from({ length: 70 }, (_, at) => codeOf(found({ filter: `film ${at}`, sort: 'size' })))
  const codes = await Promise.all(many)
  assert.equal(codes.filter(code => code === 'TooManyRequests').length, 70 - 64)
  set.takeSummed()
  await found({ filter: 'film 63', sort: 'size' })
  await found({ filter: 'film 49', sort: 'size' })
  assert.equal(set.takeSummed(), 0)
  // Made again: its one row, `Film 7`, and those of 70 to 79.
  await found({ filter: 'film 7', sort: 'size' })
  assert.ok(set.takeSummed() > 0)
})

for (const [seed, sort] of [
  [1, null],
  [2, 'name'],
  [3, 'size'],
] as const)
  test(`paging while others come, go and move: sorted by ${sort}`, async () => {
    const chance = new SeededRandom(seed)
    const fields = () => ({ name: `n${chance.below(50)}`, size: chance.below(50) })
    const { set, pages, find, clock } = rig(Array.from({ length: 700 }, fields))
    const staying = [...set.entries.values()].filter(() => chance.below(2) === 0)
    const stays = new Set(staying.map(({ stored }) => stored.infoHash))
    const seen: string[] = []
    let after: string | null = null
    for (let turn = 0; turn < 1000; turn++) {
      const page: ListPage = await find({ sort, descending: seed === 3, limit: 1 + chance.below(20), after })
      seen.push(...page.infohashes)
      if (page.next === '') break
      after = page.next
      for (const one of set.entries.values()) {
        if (stays.has(one.stored.infoHash) || chance.below(40) > 0) continue
        if (chance.below(2) === 0) {
          set.remove(one.stored.infoHash)
          pages.changed(one.stored.infoHash)
        } else one.change(fields())
      }
      if (set.entries.size < 900) pages.changed(set.add(fields()).stored.infoHash)
      clock.advance(chance.below(900))
    }
    const kept = seen.filter(infoHash => stays.has(infoHash as never))
    assert.equal(kept.length, stays.size)
    assert.equal(new Set(kept).size, stays.size)
  })
