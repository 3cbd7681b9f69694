// Keys that are bound to a label (decision 0572): every route of the node with the key of somebody who shares it, over
// real downloads. What others have is as if it did not exist: not in lists, sums, errors, events or headers.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { watchedHolder } from '../../../src/http/bound-callers.ts'
import { OWNER } from '../../../src/http/auth.ts'
import type { Route, RouteContext } from '../../../src/http/route.ts'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/infohash.ts'
import type { StoredKey } from '../../../src/ports/key-list.ts'
import { BoundEvents } from '../../../src/services/events/bound-events.ts'
import { boundExplanation, boundRecord } from '../../../src/services/downloads/bound/bound-records.ts'
import type { Explanation } from '../../../src/services/downloads/download-records-api.ts'
import { Sharing } from '../../../src/services/downloads/bound/sharing.ts'
import { routeTable } from '../../kit/all-routes.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { type DownloadsBench, startDownloads } from '../../unit/services/service-doubles.ts'
import { type Answer, ask, envelope, type Running, startServer, until } from './harness.ts'

/** Said once more: a route that is opened to bound keys is opened here too. */
const OPENED: ReadonlySet<string> = new Set([
  ...['downloads.list', 'downloads.remove', 'downloads.patch', 'downloads.files', 'downloads.playlist'],
  ...['downloads.torrent', 'downloads.torrentSingular', 'downloads.stream', 'downloads.streamNamed'],
  ...['downloads.read', 'downloads.explain', 'downloads.rates', 'downloads.addTracker', 'downloads.removeTracker'],
  ...['downloads.forceAnnounce', 'downloads.magnet', 'events.follow', 'downloads.media', 'downloads.subtitles'],
  ...['downloads.hlsMaster', 'downloads.hlsSegments', 'downloads.hlsSegment', 'downloads.hlsTexts'],
  'downloads.hlsTextSegment',
])

const torrentOf = (name: string) =>
  makeTorrent({
    name,
    files: [{ path: `${name}.mkv`, length: 40_000 }],
    announce: [[`http://${name}.tracker.example/announce`]],
  })
const [hers, his, nobodys, both] = [
  torrentOf('annasfilm'),
  torrentOf('benssong'),
  torrentOf('hidden'),
  torrentOf('both'),
]
const UNKNOWN = 'ee'.repeat(20)
/** What must be in no answer to Anna. */
const SECRETS = [his.infoHash, nobodys.infoHash, 'benssong', 'hidden', 'ben', 'films']

const keyOf = (label: string): string => `key-of-${label === 'ben' ? 'b' : label}-${'x'.repeat(40)}`
const stored = ['anna', 'ben'].map((label): StoredKey => {
  const hash = createHash('sha256').update(keyOf(label)).digest()
  return { name: label, hash, scopes: ['read', 'stream', 'add'], label }
})

let server: Running
let bench: DownloadsBench
let doorSession = ''

before(async () => {
  bench = await startDownloads()
  const { downloads, clock, settings } = bench
  await downloads.addFile(hers.torrent, { labels: ['anna'] })
  await downloads.addFile(his.torrent, { labels: ['ben'] })
  await downloads.addFile(nobodys.torrent, {})
  await downloads.addFile(both.torrent, { labels: ['films', 'anna', 'ben'] })
  server = await startServer({ furtherKeys: { current: () => stored } }, 8, { services: { downloads } })
  const { events } = server.double
  const sharing = new Sharing({
    downloads,
    labelled: downloads.byLabel,
    clock,
    log: silentLog,
    eventsOf: has => new BoundEvents(events, has),
    settings: () => settings,
  })
  Object.assign(server.double, { sharing })
  server.double.content = Buffer.from('film')
  const { headers } = await ask(server.port, '/transmission/rpc', { method: 'POST' })
  doorSession = String(headers['x-transmission-session-id'])
})
after(() => server.stop())

function anna(path: string, options: { method?: string; body?: string | Buffer } = {}): Promise<Answer> {
  const headers = { 'X-Api-Key': keyOf('anna'), 'X-Transmission-Session-Id': doorSession }
  return ask(server.port, path, { ...options, key: false, headers })
}

/** The sample of a route about another download, by the key of Anna. */
function sampleOf({ sample, method }: Route, infohash: string, asked = method as string): Promise<Answer> {
  const about = (text: string): string => text.replaceAll(SAMPLE_INFOHASH, infohash)
  const body =
    sample.rawBody === undefined ? sample.body && about(JSON.stringify(sample.body)) : Buffer.from(sample.rawBody)
  const path = about(sample.query === undefined ? sample.path : `${sample.path}?${sample.query}`)
  return anna(path, { method: asked, ...(body === undefined ? {} : { body }) })
}

/** All that a client sees of an answer but its time, about one download as about another. */
function seen({ status, headers, body }: Answer, infohash: string): string {
  const { date: _date, ...others } = headers
  return `${status} ${JSON.stringify(others)} ${body.toString('latin1')}`.replaceAll(infohash, '<infohash>')
}

function assertSilent(answer: Answer, of: string): void {
  const text = seen(answer, '-').toLowerCase()
  for (const secret of SECRETS) assert.ok(!text.includes(secret), `${of} tells of ${secret}: ${text.slice(0, 400)}`)
}

const closed = routeTable.filter(({ bound, scope }) => bound === null && scope !== 'open')
const opened = routeTable.filter(({ bound }) => bound !== null)
const ofADownload = opened.filter(({ path }) => path.includes('{infohash}'))

test('the table opens to bound keys what the decision names; more services than the label has are for a download alone', () => {
  // Where a chapter is taken out, its routes are not there.
  const there = routeTable.map(({ id }) => id).filter(id => OPENED.has(id))
  assert.deepEqual(new Set(opened.map(({ id }) => id)), new Set(there))
  for (const { id, bound, path } of opened)
    if (bound?.length !== 0) assert.ok(path.includes('{infohash}'), `${id} has services that know all downloads`)
  for (const { id, scope } of opened) assert.ok(['read', 'stream', 'add'].includes(scope), id)
})

test('every other route refuses them before it does anything, about whatever download', async () => {
  const { calls } = server.double
  assert.ok(closed.length > 40)
  for (const route of closed)
    for (const infohash of [hers.infoHash, his.infoHash]) {
      const before = calls.length
      const answer = await sampleOf(route, infohash)
      assert.deepEqual([answer.status, envelope(answer).code], [403, 'ScopeMissing'], route.id)
      assert.equal(calls.length, before, `${route.id} did something`)
    }
})

test('every route about a download answers for that of somebody else as for one that does not exist', async () => {
  const before = JSON.stringify([...bench.records.rows])
  const { calls } = server.double
  const count = calls.length
  for (const route of ofADownload)
    for (const method of route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])
      for (const infohash of [his.infoHash, nobodys.infoHash, his.infoHash.toUpperCase()]) {
        const [theirs, none] = [await sampleOf(route, infohash, method), await sampleOf(route, UNKNOWN, method)]
        assert.equal(theirs.status, 404, `${route.id} ${method}`)
        if (method !== 'HEAD') assert.equal(envelope(theirs).code, 'DownloadNotFound', route.id)
        assert.equal(seen(theirs, infohash), seen(none, UNKNOWN), `${route.id} ${method}`)
      }
  assert.equal(calls.length, count, 'a chapter was asked')
  assert.equal(JSON.stringify([...bench.records.rows]), before, 'something was changed')
})

test('what they open tells of nothing else', async () => {
  for (const route of opened) {
    // The sample of a change names labels and folders.
    if (['downloads.remove', 'downloads.patch', 'events.follow'].includes(route.id) || route.kind === 'stream') continue
    for (const { infoHash } of [hers, both]) {
      const answer = await sampleOf(route, infoHash)
      assert.notEqual(answer.status, 403, route.id)
      if (answer.status === 404) assert.notEqual(envelope(answer).code, 'DownloadNotFound', route.id)
      assertSilent(answer, route.id)
    }
  }
})

test('a film of the label streams', async () => {
  const answer = await anna(`/downloads/${hers.infoHash}/stream/0`, { method: 'HEAD' })
  assert.deepEqual([answer.status, answer.headers['content-length']], [200, '40000'])
})

test('the list, its pages, sums and facets are those of the label', async () => {
  const named = async (query: string): Promise<unknown> => {
    const answer = await anna(`/downloads${query}`)
    assertSilent(answer, query)
    return (answer.json() as { downloads: { infohash: string }[] }).downloads.map(({ infohash }) => infohash)
  }
  const mine = [hers.infoHash, both.infoHash]
  for (const query of ['', '?get_files=1&get_peers=1&get_pieces=1', '?limit=10', '?limit=10&fields=infohash,labels'])
    assert.deepEqual(await named(query), mine, query)
  assert.deepEqual(await named(`?infohash=${his.infoHash},${hers.infoHash}`), [hers.infoHash])
  for (const filter of ['label:ben', 'label:films', 'benssong', 'tracker:benssong', his.infoHash])
    assert.deepEqual(await named(`?filter=${encodeURIComponent(filter)}`), [], filter)
  const page = (await anna('/downloads?limit=1&get_totals=1&get_facets=1')).json() as Record<string, object>
  assert.deepEqual(page['total'], 2)
  assert.equal((page['totals'] as { count: number }).count, 2)
  assert.ok(JSON.stringify(page['facets']).includes('"anna"'))
  assert.ok(!/ben|films|hidden/.test(JSON.stringify(page)))
  const [theirs, none] = [
    await anna(`/downloads?limit=1&after=${his.infoHash}`),
    await anna(`/downloads?limit=1&after=${UNKNOWN}`),
  ]
  assert.equal(theirs.status, 404)
  assert.equal(seen(theirs, his.infoHash), seen(none, UNKNOWN))
})

test('labels, folders and what else reaches further are not theirs to change', async () => {
  const before = JSON.stringify(bench.records.rows.get(hers.infoHash))
  const changes = [
    ...[{ labels: [] }, { labels: ['anna'] }, { overwrite: true }],
    // Whether there are such folders, and whether other keys may name them, is not told.
    ...['/data/default', '/nowhere', '/etc', 'x'].map(destination => ({ destination })),
  ]
  for (const change of [...changes, { watch_and_forget: true }, { anon_hops: 0 }]) {
    const answer = await anna(`/downloads/${hers.infoHash}`, { method: 'PATCH', body: JSON.stringify(change) })
    assert.deepEqual([answer.status, envelope(answer).code], [403, 'ScopeMissing'], JSON.stringify(change))
  }
  assert.equal(JSON.stringify(bench.records.rows.get(hers.infoHash)), before)
  const body = JSON.stringify({ state: 'stop', max_upload_speed: 7 })
  assert.equal((await anna(`/downloads/${hers.infoHash}`, { method: 'PATCH', body })).status, 200)
})

test('events and the list that comes with them are those of the label; one that loses it is removed from there', async () => {
  let text = ''
  const options = { host: '127.0.0.1', port: server.port, path: '/events?downloads=1&since=0', agent: false }
  const sent = request({ ...options, headers: { 'X-Api-Key': keyOf('anna') } }, answer =>
    answer.on('error', () => undefined).on('data', (part: Buffer) => (text += part.toString())),
  )
  sent.on('error', () => undefined).end()
  await until(() => text.includes('"complete":true'))
  for (const [id, { infoHash }] of [his, nobodys, hers].entries())
    server.double.emit({ id: 900 + id, type: 'torrent_finished', event: { infohash: infoHash, name: 'x' } })
  server.double.emit({ id: 950, type: 'downloads_added', event: { count: 1, downloads: [{ infohash: his.infoHash }] } })
  server.double.emit({ id: 951, type: 'channel_found', event: { infohash: hers.infoHash } })
  const error = `This is the torrent of another download: ${his.infoHash}.`
  server.double.emit({ id: 952, type: 'torrent_error', event: { infohash: hers.infoHash, error } })
  await until(() => text.includes('torrent_error'))
  const events = text.split('\n').flatMap(line => (line.startsWith('{"type":"downloads') || line === '' ? [] : [line]))
  const told = events.map(line => JSON.parse(line) as { id: number; type: string })
  assert.deepEqual(
    told.map(({ id, type }) => [id, type]),
    [
      [1, 'events_start'],
      [2, 'torrent_finished'],
      [3, 'torrent_error'],
    ],
  )
  await bench.downloads.patch(both.infoHash, { labels: ['films', 'ben'] })
  await until(() => {
    bench.clock.advance(1000)
    return text.includes(`"removed":["${both.infoHash}"]`)
  })
  for (const secret of SECRETS) assert.ok(!text.includes(`"${secret}`), secret)
  assert.ok(!text.includes(his.infoHash))
  assert.equal((await anna(`/downloads/${both.infoHash}`)).status, 404)
  await bench.downloads.patch(both.infoHash, { labels: ['films', 'anna', 'ben'] })
  sent.destroy()
})

test('followers of one key are bounded, and keep nobody else from following', async () => {
  const follow = (label: string): Promise<{ status: number | undefined; end: () => void }> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path: '/events', agent: false }
      const sent = request({ ...options, headers: { 'X-Api-Key': keyOf(label) } }, answer => {
        answer.on('error', () => undefined).resume()
        resolve({ status: answer.statusCode, end: () => sent.destroy() })
      })
      sent.on('error', reject).end()
    })
  const open = await Promise.all(Array.from({ length: 32 }, () => follow('anna')))
  const [more, his] = [await follow('anna'), await follow('ben')]
  assert.deepEqual([new Set(open.map(({ status }) => status)), more.status, his.status], [new Set([200]), 503, 200])
  for (const { end } of [...open, more, his]) end()
})

test('an error that names another download is told without it', () => {
  const error = `This is the torrent of another download: ${his.infoHash}.`
  const shown = boundRecord({ error, condition: { code: 'failed', trouble: true, parameters: { error } } }, 'anna')
  const reasons = ['failed', 'load_failed'].map(code => ({ code, message: `Text. ${error}`, parameters: { error } }))
  const explained = boundExplanation({ reasons } as unknown as Explanation)
  assert.ok(!JSON.stringify([shown, explained]).includes(his.infoHash))
  assert.deepEqual(
    explained.reasons.map(({ code }) => code),
    ['failed', 'load_failed'],
  )
  const plain = { code: 'failed', message: 'The disk is broken.', parameters: { error: 'The disk is broken.' } }
  assert.deepEqual(boundExplanation({ reasons: [plain] } as unknown as Explanation).reasons, [plain])
})

test('an answer about a download ends when that loses the label', () => {
  let has = true
  const services = { sharing: { view: () => ({ has: () => has }) } }
  const holder = { ...OWNER, label: 'anna', stillMay: () => true }
  const watched = watchedHolder({ services } as unknown as RouteContext, holder, { infohash: hers.infoHash })
  assert.equal(watched.stillMay?.('stream'), true)
  has = false
  assert.equal(watched.stillMay?.('stream'), false)
})

test('removing: what others have too loses the label and stays, what is of the label alone goes', async () => {
  const remove = (infohash: string) =>
    anna(`/downloads/${infohash}`, { method: 'DELETE', body: '{"remove_data":true}' })
  const answers = [await remove(both.infoHash), await remove(hers.infoHash)]
  assert.deepEqual(
    answers.map(answer => answer.json()),
    [both, hers].map(({ infoHash }) => ({ infohash: infoHash, removed: true })),
  )
  assert.deepEqual(bench.records.rows.get(both.infoHash)?.controls?.labels, ['films', 'ben'])
  assert.equal(bench.records.rows.has(hers.infoHash), false)
  assert.deepEqual((await anna('/downloads')).json(), { downloads: [] })
})

test('removing with files: those that lie where another download has its own stay', async () => {
  const { downloads, clock, engine } = bench
  const [mine, theirs] = [101, 102].map(seed => makeTorrent({ name: 'twins', length: 20_000, seed }))
  assert.ok(mine !== undefined && theirs !== undefined)
  const removed = async (): Promise<string | undefined> => {
    await downloads.addFile(mine.torrent, { labels: ['anna'] })
    const body = '{"remove_data":true}'
    const answer = await anna(`/downloads/${mine.infoHash}`, { method: 'DELETE', body })
    assert.deepEqual(answer.json(), { infohash: mine.infoHash, removed: true })
    return engine.log.findLast(line => line.startsWith(`remove ${mine.infoHash.slice(0, 4)}`))
  }
  await downloads.addFile(theirs.torrent, { labels: ['ben'] })
  assert.match((await removed()) ?? '', / false$/)
  await downloads.remove(theirs.infoHash, false)
  clock.advance(60_000)
  assert.match((await removed()) ?? '', / true$/)
})
