// Compressed answers over a real socket: by Accept-Encoding, with Vary and an ETag that stays right, and of no route
// that answers secrets.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { offeredCodings } from '../../../src/http/coded-bodies.ts'
import { routeTable } from '../../kit/all-routes.ts'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/infohash.ts'
import { type Answer, type Ask, type Running, ask, startServer } from './harness.ts'
import { download } from './sample-records.ts'

/** Every route whose answers may be compressed. To add one: no secret stands in them beside what others write. */
const MAY_BE_COMPRESSED = [
  'downloads.list',
  'downloads.read',
  'docs.openapi',
  'docs.asset',
  'dashboard.page',
  'dashboard.part',
]

let server: Running
before(async () => {
  server = await startServer()
  server.double.downloadCount = 200
})
after(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}, more: Ask = {}): Promise<Answer> =>
  ask(server.port, path, { ...more, headers })
// The harness lets pages of another origin in, so that there is a Vary before ours.
const VARY = 'Origin, Accept-Encoding'
const GZIP = { 'Accept-Encoding': 'gzip' }

test('routes that may be compressed are named, and none of them answers secrets or without end', () => {
  const marked = routeTable.filter(({ compressed }) => compressed)
  assert.deepEqual(marked.map(({ id }) => id).sort(), MAY_BE_COMPRESSED.toSorted())
  for (const { kind, scope, signedLinks, door, method, path } of marked) {
    assert.ok(kind === 'json' || kind === 'bytes')
    assert.ok(scope === 'open' || scope === 'read')
    assert.ok(!signedLinks && !door && method === 'GET')
    assert.doesNotMatch(path, /settings|keys|wallets|stream|playlist|files|events|magnet|feed/)
  }
})

test('gzip for those who take it: the same bytes, Vary, a weak ETag', async () => {
  const plain = await get('/downloads')
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers['vary'], VARY)
  assert.equal(plain.headers['etag'], undefined)
  const coded = await get('/downloads', GZIP)
  assert.equal(coded.status, 200)
  assert.equal(coded.headers['content-encoding'], 'gzip')
  assert.equal(coded.headers['content-type'], 'application/json')
  assert.equal(coded.headers['vary'], VARY)
  assert.match(coded.headers['etag'] ?? '', /^W\/"[\w-]{22}"$/)
  assert.equal(coded.headers['cache-control'], 'private, no-cache')
  assert.equal(Number(coded.headers['content-length']), coded.body.length)
  assert.ok(coded.body.length < plain.body.length / 10)
  assert.ok(gunzipSync(coded.body).equals(plain.body))
})

test('a long body that is made in turns too', async () => {
  const plain = await get('/downloads?get_peers=1')
  const coded = await get('/downloads?get_peers=1', GZIP)
  assert.equal(coded.headers['content-encoding'], 'gzip')
  assert.ok(gunzipSync(coded.body).equals(plain.body))
  const page = await get('/downloads?limit=100', GZIP)
  assert.equal((JSON.parse(gunzipSync(page.body).toString()) as { downloads: [] }).downloads.length, 100)
})

test('weights are kept to', async () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['gzip;q=0.5, identity;q=1', undefined],
    ['br, deflate', undefined],
    ['br;q=1, gzip;q=0.1', 'gzip'],
    ['*', offeredCodings[0]],
    ['gzip, zstd', offeredCodings[0]],
    ['zstd;q=0.1, gzip', 'gzip'],
  ]
  for (const [header, coding] of rows) {
    const answer = await get('/downloads', { 'Accept-Encoding': header })
    assert.equal(answer.headers['content-encoding'], coding, header)
    assert.equal(answer.headers['vary'], VARY)
  }
})

test('304 for the present ETag, whatever the coding; another body has another one', async () => {
  const { headers } = await get('/downloads', GZIP)
  const tag = headers['etag'] ?? ''
  for (const coding of [GZIP, {}, { 'Accept-Encoding': 'identity' }] as Record<string, string>[]) {
    const same = await get('/downloads', { ...coding, 'If-None-Match': `"x", ${tag}` })
    assert.equal(same.status, 304)
    assert.equal(same.body.length, 0)
    assert.equal(same.headers['etag'], tag)
    assert.equal(same.headers['vary'], VARY)
    assert.equal(same.headers['content-encoding'], undefined)
  }
  server.double.downloadCount = 201
  const other = await get('/downloads', { ...GZIP, 'If-None-Match': tag })
  assert.equal(other.status, 200)
  assert.notEqual(other.headers['etag'], tag)
  const plain = await get('/downloads', { 'If-None-Match': tag })
  assert.equal(plain.status, 200)
  assert.equal(plain.headers['etag'], other.headers['etag'])
  assert.equal(plain.headers['content-encoding'], undefined)
  server.double.downloadCount = 200
})

test('HEAD has the headers of GET and no body', async () => {
  for (const headers of [GZIP, {}] as Record<string, string>[]) {
    const whole = await get('/downloads', headers)
    const head = await get('/downloads', headers, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
    for (const name of ['content-length', 'content-encoding', 'etag', 'vary', 'content-type'])
      assert.equal(head.headers[name], whole.headers[name], name)
  }
  const { etag = '' } = (await get('/downloads', GZIP)).headers
  const none = await get('/downloads', { ...GZIP, 'If-None-Match': etag }, { method: 'HEAD' })
  assert.equal(none.status, 304)
})

test('what is short, no text, or an error goes as it is', async () => {
  server.double.downloadCount = 1
  const { trackers } = download
  download.trackers = []
  const short = await get('/downloads', GZIP)
  download.trackers = trackers
  assert.ok(short.body.length > 700 && short.body.length < 1400)
  assert.equal(short.headers['content-encoding'], undefined)
  assert.equal(short.headers['vary'], VARY)
  server.double.downloadCount = 200
  const wrong = await get(`/downloads?sort=${'x'.repeat(100)}`, GZIP)
  assert.equal(wrong.status, 400)
  assert.equal(wrong.headers['content-encoding'], undefined)
  const picture = await get('/dashboard/picture.png', GZIP, { key: false })
  assert.equal(picture.status, 200)
  assert.equal(picture.headers['content-encoding'], undefined)
  const script = await get('/docs/swagger-ui-bundle.js', GZIP, { key: false })
  assert.equal(script.headers['content-encoding'], 'gzip')
  assert.equal(script.headers['cache-control'], 'max-age=3600')
})

test('answers of all other routes are never compressed', async () => {
  server.double.content = Buffer.alloc(100_000, 'a')
  const paths = routeTable
    .filter(({ compressed, kind, method }) => !compressed && kind !== 'events' && method === 'GET')
    .map(({ sample }) => (sample.query === undefined ? sample.path : `${sample.path}?${sample.query}`))
  assert.ok(paths.length > 40)
  for (const path of [...paths, `/downloads/${SAMPLE_INFOHASH}/stream/0`]) {
    const answer = await get(path, { 'Accept-Encoding': 'gzip, zstd, *' })
    assert.ok(answer.status < 300, path)
    assert.equal(answer.headers['content-encoding'], undefined, path)
  }
  server.double.listedFiles = () =>
    Array.from({ length: 2000 }, (_, index) => ({
      index,
      name: 'f',
      size: 1,
      included: true,
      progress: 1,
      priority: 4,
    }))
  const files = await get(`/downloads/${SAMPLE_INFOHASH}/files`, GZIP)
  assert.ok(files.body.length > 100_000)
  assert.equal(files.headers['content-encoding'], undefined)
})
