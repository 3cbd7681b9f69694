// GET /downloads of a built node with limit, after, filter, sort, infohash and fields: each alone, together, and wrong.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { hashOf } from '../../kit/doubles/listed-downloads.ts'

interface Page {
  readonly downloads: readonly Record<string, unknown>[]
  readonly total: number
  readonly next: string
}

interface Totals {
  readonly count: number
  readonly speed_down: number
  readonly speed_up: number
  readonly states: Readonly<Record<string, number>>
}

const COUNT = 12
/** Of some: two downloads are sorted by their hosts, not by what stands before them. */
const TRACKERS: ReadonlyMap<number, string> = new Map([
  [5, '&tr=http%3A%2F%2Faa%3Akey%40b.example%2F1'],
  [7, '&tr=http%3A%2F%2Fa.example%2F2'],
])

let node: NodeProcess
before(async () => {
  node = await startNode({ settings: { 'libtorrent.dht': false } })
  for (let number = 1; number <= COUNT; number++) await add(number)
})
after(() => node.stop())

async function add(number: number): Promise<void> {
  const labels = number % 3 === 0 ? ['third', 'my own'] : []
  const name = number % 2 === 0 ? `Even film ${number}` : `odd film ${number}`
  const tracker = TRACKERS.get(number) ?? ''
  const uri = `magnet:?xt=urn:btih:${hashOf(number)}&dn=${encodeURIComponent(name)}${tracker}`
  const reply = await node.request('PUT', '/downloads', { uri, paused: true, labels })
  assert.equal(reply.status, 200, reply.body.toString())
}

async function page(query: string): Promise<Page> {
  const reply = await node.request('GET', `/downloads?${query}`)
  assert.equal(reply.status, 200, `${query}: ${reply.body.toString()}`)
  return reply.json<Page>()
}

/** The first eight digits are the number. */
const numbers = (found: Page) =>
  found.downloads.map(({ infohash }) => Number.parseInt(String(infohash).slice(0, 8), 16))
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('without them the answer has no other member than before', async () => {
  const whole = await page('')
  assert.deepEqual(Object.keys(whole), ['downloads'])
  const { downloads } = await page('limit=1000')
  // Where they stand in the queue is of pages alone.
  const placed = whole.downloads.map((download, at) => ({ ...download, queue_position: at }))
  assert.deepEqual(placed, downloads)
})

test('limit and after page through all', async () => {
  const seen: number[] = []
  let query = 'limit=5'
  for (const length of [5, 5, 2]) {
    const found = await page(query)
    assert.equal(found.downloads.length, length)
    assert.equal(found.total, COUNT)
    seen.push(...numbers(found))
    query = `limit=5&after=${found.next}`
    assert.equal(found.next === '', length === 2)
  }
  assert.deepEqual(seen, upTo(COUNT))
})

test('offset: the part of the list that is in view', async () => {
  assert.deepEqual(numbers(await page('offset=3&limit=4')), [4, 5, 6, 7])
  assert.deepEqual(numbers(await page('offset=10&sort=-infohash')), [2, 1])
  const behind = await page('offset=500&limit=5&filter=label:third')
  assert.deepEqual([numbers(behind), behind.total, behind.next], [[], 4, ''])
})

test('get_totals: of all downloads, whatever else is asked for', async () => {
  const plain = await page('limit=1')
  assert.deepEqual(Object.keys(plain), ['downloads', 'total', 'next'])
  for (const query of ['limit=1&filter=label:third', 'get_files=1&limit=2', `infohash=${hashOf(4)}`]) {
    const { totals } = (await page(`${query}&get_totals=1`)) as Page & { totals: Totals }
    assert.deepEqual([totals.count, totals.states['all'], totals.states['stopped']], [COUNT, COUNT, COUNT], query)
    assert.deepEqual([totals.speed_down, totals.speed_up, totals.states['seeding']], [0, 0, 0])
  }
  assert.deepEqual(Object.keys(await page('get_totals=1')), ['downloads', 'total', 'next', 'totals'])
  assert.deepEqual(Object.keys(await page('get_totals=0')), ['downloads'])
})

test('sort, both ways', async () => {
  assert.deepEqual(numbers(await page('sort=-infohash')), upTo(COUNT).toReversed())
  assert.deepEqual(numbers(await page('sort=name&limit=3')), [10, 12, 2])
  assert.deepEqual(numbers(await page('sort=-name&limit=3')), [9, 7, 5])
  assert.deepEqual(numbers(await page('sort=size&limit=3')), [1, 2, 3])
  assert.deepEqual(numbers(await page('sort=-labels&limit=5')), [3, 6, 9, 12, 1])
  assert.deepEqual(numbers(await page('sort=labels&limit=3&offset=7')), [11, 3, 6])
  assert.deepEqual(numbers(await page('sort=-trackers&limit=3')), [5, 7, 1])
  assert.deepEqual(numbers(await page('sort=trackers&limit=2&offset=10')), [7, 5])
  assert.deepEqual(numbers(await page('sort=availability&limit=2')), [1, 2])
})

test('filter: states, labels, texts', async () => {
  assert.equal((await page('filter=stopped&limit=1')).total, COUNT)
  assert.equal((await page('filter=seeding')).total, 0)
  assert.deepEqual(numbers(await page('filter=label:third')), [3, 6, 9, 12])
  assert.deepEqual(numbers(await page(`filter=${encodeURIComponent('label:"my own" EVEN')}`)), [6, 12])
  assert.deepEqual(numbers(await page('filter=paused,odd+11')), [11])
})

test('infohash: these alone, by any form of a list; unknown ones are passed over', async () => {
  assert.deepEqual(numbers(await page(`infohash=${hashOf(7)}`)), [7])
  assert.deepEqual(numbers(await page(`infohash=${hashOf(9)},${hashOf(2).toUpperCase()},${hashOf(500)}`)), [2, 9])
  assert.deepEqual(numbers(await page(`infohash[]=${hashOf(9)}&infohash[]=${hashOf(2)}&sort=-infohash`)), [9, 2])
  const none = await page(`infohash=${hashOf(500)}`)
  assert.deepEqual(none, { downloads: [], total: 0, next: '' })
})

test('fields: these alone, and what get_* adds', async () => {
  const { downloads } = await page('fields=name,labels&limit=1&filter=label:third')
  assert.deepEqual(downloads, [{ name: 'odd film 3', labels: ['third', 'my own'] }])
  const [listed] = (await page('fields[]=infohash&fields[]=files&limit=1')).downloads
  assert.deepEqual(Object.keys(listed ?? {}).sort(), ['files', 'infohash'])
  const [peers] = (await page('fields=size&get_peers=1&limit=1')).downloads
  assert.deepEqual(Object.keys(peers ?? {}).sort(), ['peers', 'size'])
})

test('together', async () => {
  const query = 'filter=label:third&sort=-name&fields=infohash&limit=2'
  const first = await page(query)
  assert.deepEqual([numbers(first), first.total], [[9, 3], 4])
  const second = await page(`${query}&after=${first.next}`)
  assert.deepEqual([numbers(second), second.next], [[6, 12], ''])
  const parts = await page('sort=-infohash&limit=2&get_files=1&get_pieces=1')
  assert.deepEqual([numbers(parts), parts.total, parts.next], [[12, 11], COUNT, hashOf(11)])
  assert.ok(parts.downloads.every(one => Array.isArray(one['files']) && one['pieces'] === ''))
})

test('what a request changed is in the next page; a cursor that was removed holds its place', async () => {
  await page('sort=name&filter=film')
  await add(99)
  assert.equal((await page('filter=film&limit=1')).total, COUNT + 1)
  const first = await page('sort=name&limit=2&filter=film')
  assert.deepEqual(numbers(first), [10, 12])
  await node.request('DELETE', `/downloads/${hashOf(12)}`, { remove_data: true })
  const second = await page(`sort=name&limit=2&filter=film&after=${first.next}`)
  assert.deepEqual([numbers(second), second.total], [[2, 4], COUNT])
  await node.request('PATCH', `/downloads/${hashOf(2)}`, { labels: ['new'] })
  assert.deepEqual(numbers(await page('filter=label:new')), [2])
  await add(12)
  // As they were added, whatever their names.
  assert.deepEqual(numbers(await page('limit=1000')).slice(-3), [11, 99, 12])
  assert.deepEqual(numbers(await page('')).slice(-3), [11, 99, 12])
  await node.request('DELETE', `/downloads/${hashOf(99)}`, { remove_data: true })
  assert.deepEqual(numbers(await page('limit=1&sort=-infohash')), [12])
})

test('labels, trackers and folders are told with their numbers, and find what they count; a folder of 4,096 bytes may be named', async () => {
  interface Facet {
    readonly value: string
    readonly count: number
  }
  const { facets } = (await page('limit=1&get_facets=1')) as Page & { facets: Record<string, readonly Facet[]> }
  assert.deepEqual(Object.keys(facets), ['labels', 'trackers', 'folders'])
  for (const [kind, word] of [
    ['labels', 'label'],
    ['trackers', 'tracker'],
    ['folders', 'folder'],
  ] as const)
    for (const { value, count } of facets[kind] ?? [])
      assert.equal((await page(`limit=1&filter=${encodeURIComponent(`${word}:"${value}"`)}`)).total, count, value)
  assert.ok((facets['labels'] ?? []).some(({ value }) => value === 'my own'))
  assert.equal((await page(`filter=${encodeURIComponent(`folder:"/${'\u05d0'.repeat(2047)}"`)}`)).total, 0)
})

test('what is wrong is refused with its name', async () => {
  const rows: readonly (readonly [string, number, string, RegExp])[] = [
    ['limit=0', 400, 'InvalidParameter', /limit/],
    ['limit=1001', 400, 'InvalidParameter', /limit/],
    ['limit=-1', 400, 'InvalidParameter', /limit/],
    ['limit=1.5', 400, 'InvalidParameter', /limit/],
    ['limit=x', 400, 'InvalidParameter', /limit/],
    ['limit=1&limit=2', 400, 'InvalidParameter', /limit/],
    ['offset=-1', 400, 'InvalidParameter', /offset/],
    ['offset=x', 400, 'InvalidParameter', /offset/],
    ['offset=1000000001', 400, 'InvalidParameter', /offset/],
    ['get_totals=maybe', 400, 'InvalidParameter', /get_totals/],
    ['after=x', 400, 'InvalidParameter', /after/],
    [`after=${hashOf(3)}0`, 400, 'InvalidParameter', /after/],
    [`after=${hashOf(3000)}`, 404, 'DownloadNotFound', /after/],
    ['sort=colour', 400, 'InvalidParameter', /sort.*colour/],
    ['sort=-', 400, 'InvalidParameter', /sort/],
    ['sort=--name', 400, 'InvalidParameter', /sort/],
    ['sort=__proto__', 400, 'InvalidParameter', /sort/],
    ['sort=details', 400, 'InvalidParameter', /sort/],
    ['fields=name,colour', 400, 'InvalidParameter', /fields.*colour/],
    ['fields=constructor', 400, 'InvalidParameter', /fields.*constructor/],
    ['fields=,', 400, 'InvalidParameter', /fields/],
    ['infohash=,', 400, 'InvalidParameter', /infohash/],
    ['infohash=abc', 400, 'InvalidParameter', /infohash.*abc/],
    ['filter=size>big', 400, 'InvalidParameter', /filter.*size>big/],
    ['get_facets=maybe', 400, 'InvalidParameter', /get_facets/],
    ['filter=state:asleep', 400, 'InvalidParameter', /filter.*asleep/],
    [`filter=${'x'.repeat(5001)}`, 400, 'InvalidParameter', /filter/],
    [`filter=${'x,'.repeat(40)}`, 400, 'InvalidParameter', /filter/],
  ]
  for (const [query, status, code, message] of rows) {
    const reply = await node.request('GET', `/downloads?${query}`)
    assert.equal(reply.status, status, query)
    const { error } = reply.json<{ error: { code: string; message: string } }>()
    assert.equal(error.code, code, query)
    assert.match(error.message, message, query)
  }
  // An empty value counts as absent, here as everywhere.
  assert.deepEqual(Object.keys(await page('limit=&after=&offset=&get_totals=&filter=&sort=&infohash=&fields=')), [
    'downloads',
  ])
})
