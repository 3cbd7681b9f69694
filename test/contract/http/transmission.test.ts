// The door for clients of Transmission over a real socket: who gets in, what reaches the services, what comes back, and
// that nonsense ends in a sentence.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, ask, KEY, type Running, startServer } from './harness.ts'
import type { Json } from '../../../src/services/api.ts'
import { HASH } from './service-double.ts'

const PATH = '/transmission/rpc'
const SESSION = 'x-transmission-session-id'

let server: Running
let session = ''
before(async () => {
  server = await startServer()
  session = String((await ask(server.port, PATH)).headers[SESSION])
})
after(() => server.stop())

const basic = (password: string, user = 'anyone'): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return ask(server.port, PATH, { method: 'POST', body: text, headers: { [SESSION]: session, ...headers } })
}

interface Answered {
  arguments: Record<string, unknown>
  result: string
  tag?: number
}

async function call(method: string, args?: object): Promise<Answered> {
  const answer = await post({ method, ...(args !== undefined && { arguments: args }), tag: 3 })
  assert.equal(answer.status, 200, answer.body.toString())
  const value = answer.json() as Answered
  assert.equal(value.tag, 3)
  return value
}

async function get(method: string, args?: object): Promise<Record<string, unknown>> {
  const answer = await call(method, args)
  assert.equal(answer.result, 'success')
  return answer.arguments
}

test('the key is the password of Basic, here and nowhere else; who has none is asked for it', async () => {
  const body = '{"method":"session-get"}'
  for (const path of [PATH, `${PATH}/`]) {
    const open = { method: 'POST', body, key: false, headers: { [SESSION]: session, ...basic(KEY) } }
    assert.equal((await ask(server.port, path, open)).status, 200)
    for (const headers of [{}, basic('wrong'), basic(''), { Authorization: 'Basic !!!' }, { Authorization: 'Basic' }]) {
      const refused = await ask(server.port, path, { ...open, headers: { [SESSION]: session, ...headers } })
      assert.equal(refused.status, 401)
      assert.match(String(refused.headers['www-authenticate']), /^Basic realm=/)
    }
  }
  const elsewhere = await ask(server.port, '/downloads', { key: false, headers: basic(KEY) })
  assert.equal(elsewhere.status, 401)
  assert.equal(elsewhere.headers['www-authenticate'], undefined)
})

test('every method without the session id is answered with it, and a key comes first', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT']) {
    const answer = await ask(server.port, PATH, { method, key: false, headers: { ...basic(KEY), [SESSION]: 'x' } })
    assert.equal(answer.status, 409, method)
    assert.equal(answer.headers[SESSION], session)
    const stranger = await ask(server.port, PATH, { method, key: false })
    assert.equal(stranger.status, 401)
    assert.equal(stranger.headers[SESSION], undefined)
  }
  const known = await ask(server.port, PATH, { headers: { [SESSION]: session } })
  assert.equal(known.status, 405)
  assert.equal(known.headers['allow'], 'POST')
})

test('pages of other origins are refused, whatever they send', async () => {
  const answer = await post({ method: 'session-get' }, { Origin: 'http://evil.example' })
  assert.equal(answer.status, 403)
})

test('torrent-get answers the fields asked for, as objects and as a table', async () => {
  const fields = ['id', 'name', 'status', 'percentDone', 'unknown', 'name', 'labels', 'eta', 'rateUpload']
  const { torrents } = await get('torrent-get', { fields })
  assert.deepEqual(torrents, [
    { id: 1, name: 'Film', status: 4, percentDone: 0.5, labels: ['films'], eta: 60, rateUpload: 2 },
  ])
  const table = await get('torrent-get', { fields: ['id', 'hashString'], format: 'table', ids: [HASH.toUpperCase()] })
  assert.deepEqual(table['torrents'], [
    ['id', 'hashString'],
    [1, HASH],
  ])
})

test('files, peers and trackers', async () => {
  const fields = ['files', 'fileStats', 'wanted', 'priorities', 'peers', 'trackers', 'trackerStats', 'peersConnected']
  const { torrents } = await get('torrent-get', { fields, ids: 1 })
  const [torrent] = torrents as Record<string, Record<string, unknown>[]>[]
  assert.deepEqual(torrent?.['files'], [{ bytesCompleted: 500, length: 1000, name: 'Film/Film/film.mp4' }])
  assert.deepEqual(torrent?.['fileStats'], [{ bytesCompleted: 500, wanted: true, priority: 0 }])
  assert.deepEqual([torrent?.['wanted'], torrent?.['priorities'], torrent?.['peersConnected']], [[true], [0], 1])
  const [peer] = torrent?.['peers'] ?? []
  assert.equal(peer?.['address'], '192.0.2.1')
  assert.equal(peer?.['clientName'], 'Transmission 4.0')
  assert.equal(peer?.['isDownloadingFrom'], true)
  assert.equal(torrent?.['trackers']?.[0]?.['announce'], 'http://t.example/announce')
  assert.equal(torrent?.['trackers']?.[0]?.['scrape'], 'http://t.example/scrape')
  assert.equal(torrent?.['trackerStats']?.[0]?.['lastAnnounceSucceeded'], true)
})

test('actions reach the services', async () => {
  const { calls } = server.double
  const last = (): unknown => calls.at(-1)
  await get('torrent-stop', { ids: [1] })
  assert.deepEqual(last(), ['patch', HASH, { state: 'stop' }])
  await get('torrent-start-now', { ids: HASH })
  assert.deepEqual(last(), ['patch', HASH, { state: 'resume' }])
  await get('torrent-verify')
  assert.deepEqual(last(), ['patch', HASH, { state: 'recheck' }])
  await get('torrent-reannounce', { ids: 'recently-active' })
  assert.deepEqual(last(), ['forceAnnounce', HASH, undefined])
  await get('torrent-remove', { ids: [HASH], 'delete-local-data': true })
  assert.deepEqual(last(), ['remove', HASH, true])
  await get('torrent-set-location', { ids: [1], location: '/srv/b', move: true })
  assert.deepEqual(last(), ['patch', HASH, { destination: '/srv/b' }])
  await get('torrent-rename-path', { ids: [1], path: 'Film/a/b.mkv', name: 'c.mkv' })
  assert.deepEqual(last(), ['renameFile', HASH, { path: 'a/b.mkv', name: 'c.mkv' }])
  await get('torrent-rename-path', { ids: [1], path: 'Film', name: 'New' })
  assert.deepEqual(last(), ['renameFile', HASH, { path: '', name: 'New' }])
  const before = calls.filter(([name]) => name === 'patch').length
  await get('torrent-stop', { ids: [99] })
  await get('torrent-stop', { ids: [] })
  assert.equal(calls.filter(([name]) => name === 'patch').length, before, 'nobody was meant')
})

test('the queue is moved, and positions are set', async () => {
  const { calls } = server.double
  for (const step of ['top', 'up', 'down', 'bottom']) {
    await get(`queue-move-${step}`, { ids: [1] })
    assert.deepEqual(calls.at(-1), ['moveInQueue', [HASH], { step }])
  }
  await get('torrent-set', { ids: [HASH], queuePosition: 3 })
  assert.deepEqual(calls.at(-1), ['moveInQueue', [HASH], { position: 3 }])
  const before = calls.filter(([name]) => name === 'moveInQueue').length
  await get('queue-move-up', { ids: [99] })
  assert.equal(calls.filter(([name]) => name === 'moveInQueue').length, before, 'nobody was meant')
  const { result } = (
    await post({ method: 'torrent-set', arguments: { ids: [1], queuePosition: -1 } })
  ).json() as Answered
  assert.match(result, /queuePosition/)
})

test('torrent-set says it in the words of this node', async () => {
  const patched = async (args: object): Promise<unknown> => {
    await get('torrent-set', { ids: [1], ...args })
    return server.double.calls.findLast(([name]) => name === 'patch')?.[2]
  }
  assert.deepEqual(await patched({ downloadLimited: true, downloadLimit: 50, uploadLimited: true }), {
    max_download_speed: 50_000,
    max_upload_speed: 100_000,
  })
  assert.deepEqual(await patched({ seedRatioMode: 1, seedRatioLimit: 1.5, seedIdleMode: 1, seedIdleLimit: 90 }), {
    seeding_ratio: 1.5,
    seeding_time: 90,
  })
  assert.deepEqual(await patched({ seedRatioMode: 0, seedIdleMode: 2 }), { seeding_ratio: -2, seeding_time: -1 })
  assert.deepEqual(await patched({ labels: ['a', 'b'] }), { labels: ['a', 'b'] })
  assert.deepEqual(await patched({ 'files-unwanted': [0] }), { file_priorities: [0] })
  assert.deepEqual(await patched({ 'priority-high': [] }), { file_priorities: [7] })
  assert.deepEqual(await patched({ 'priority-normal': [0], 'files-wanted': [] }), { file_priorities: [-1] })
  await get('torrent-set', { ids: [1], trackerAdd: ['udp://new.example:1'], trackerRemove: [0] })
  assert.deepEqual(server.double.calls.at(-2), ['addTracker', HASH, 'udp://new.example:1'])
  assert.deepEqual(server.double.calls.at(-1), ['removeTracker', HASH, 'http://t.example/announce'])
  await get('torrent-set', { ids: [1], trackerList: 'http://t.example/announce\n\nudp://x.example:2\n' })
  assert.deepEqual(server.double.calls.at(-1), [
    'setTrackers',
    HASH,
    [['http://t.example/announce'], ['udp://x.example:2']],
  ])
  await get('torrent-set', { ids: [1], trackerReplace: [0, 'udp://y.example:3'] })
  assert.deepEqual(server.double.calls.at(-1), [
    'changeTracker',
    HASH,
    'http://t.example/announce',
    { newUrl: 'udp://y.example:3' },
  ])
})

test('torrent-add takes links and files', async () => {
  const link = await get('torrent-add', {
    filename: 'magnet:?a',
    paused: true,
    labels: ['x'],
    'download-dir': '/srv/tv',
  })
  assert.deepEqual(link, { 'torrent-duplicate': { id: 1, name: 'Film', hashString: HASH } })
  const add = server.double.calls.find(([name]) => name === 'add')
  assert.deepEqual(add, ['add', { uri: 'magnet:?a', paused: true, labels: ['x'], destination: '/srv/tv' }])
  const bytes = Buffer.from('d4:infod4:name4:Filmee')
  const unwanted = { 'files-unwanted': [1, 3], 'priority-high': [2], 'files-wanted': [3] }
  await get('torrent-add', { metainfo: bytes.toString('base64'), ...unwanted })
  const [, sent, request] = server.double.calls.find(([name]) => name === 'addFile') ?? []
  assert.deepEqual(Buffer.from(sent as Uint8Array), bytes)
  assert.deepEqual(request, { file_priorities: [-1, 0, 7, 4] })
})

test('the session: what is there, what can be changed, what cannot', async () => {
  const session = await get('session-get')
  assert.equal(session['version'], '4.0.0 (Tributary 1.2.3)')
  assert.equal(session['rpc-version'], 17)
  assert.equal(session['peer-port'], 6881)
  assert.equal(session['config-dir'], '/srv/state')
  assert.deepEqual(Object.keys(await get('session-get', { fields: ['version', 'nothing'] })), ['version'])
  await get('session-set', { 'speed-limit-down': 200, 'speed-limit-down-enabled': true, 'dht-enabled': false })
  assert.deepEqual(server.double.calls.at(-1), [
    'changeSettings',
    { libtorrent: { max_download_rate: 200_000, dht: false } },
  ])
  await get('session-set', { seedRatioLimited: true, seedRatioLimit: 1.5, 'start-added-torrents': true })
  assert.deepEqual(server.double.calls.at(-1), [
    'changeSettings',
    { download_defaults: { seeding_mode: 'ratio', seeding_ratio: 1.5 } },
  ])
  const before = server.double.calls.length
  const refused = await call('session-set', { 'dht-enabled': true, 'script-torrent-done-enabled': true })
  assert.match(refused.result, /script-torrent-done-enabled cannot be changed/)
  assert.ok(!server.double.calls.slice(before).some(([name]) => name === 'changeSettings'))
  assert.equal((await get('session-stats'))['torrentCount'], 1)
  assert.deepEqual(await get('free-space', { path: '/srv' }), {
    path: '/srv',
    'size-bytes': 123_456_789,
    total_size: -1,
  })
  await get('session-close')
  assert.deepEqual(server.double.calls.at(-1), ['shutDown'])
})

test('turtle mode is slow mode, in kB/s', async () => {
  const shown = ['alt-speed-enabled', 'alt-speed-down', 'alt-speed-up']
  const at = (slow_mode: Record<string, Json>) => {
    server.double.sections = { slow_mode }
    return get('session-get', { fields: shown })
  }
  assert.deepEqual(await at({ enabled: true, max_download_rate: 70_400, max_upload_rate: 400 }), {
    'alt-speed-enabled': true,
    'alt-speed-down': 70,
    'alt-speed-up': 1,
  })
  const none = await at({ enabled: false, max_download_rate: 0, max_upload_rate: 0 })
  assert.deepEqual(none, {
    'alt-speed-enabled': false,
    'alt-speed-down': 1_000_000_000,
    'alt-speed-up': 1_000_000_000,
  })
  const changed = async (args: object): Promise<unknown> => {
    await get('session-set', args)
    return server.double.calls.at(-1)?.[1]
  }
  assert.deepEqual(await changed({ 'alt-speed-enabled': true, 'alt-speed-down': 40, 'alt-speed-up': 0 }), {
    slow_mode: { enabled: true, max_download_rate: 40_000, max_upload_rate: 1000 },
  })
  // What was read says the same when it is sent back.
  assert.deepEqual(await changed(none), { slow_mode: { enabled: false, max_download_rate: 0, max_upload_rate: 0 } })
  const times = ['alt-speed-time-enabled', 'alt-speed-time-begin', 'alt-speed-time-end', 'alt-speed-time-day']
  const shownAt = async (schedule: string[]): Promise<unknown[]> => {
    server.double.sections = { slow_mode: { schedule, schedule_enabled: true } }
    return Object.values(await get('session-get', { fields: times }))
  }
  assert.deepEqual(await shownAt(['sun,mon 22:00-06:30']), [true, 1320, 390, 3])
  assert.deepEqual(await changed({ 'alt-speed-time-day': 64 }), { slow_mode: { schedule: ['sat 22:00-06:30'] } })
  assert.deepEqual(await shownAt(['daily 00:00-24:00']), [true, 0, 1440, 127])
  assert.deepEqual(await changed({ 'alt-speed-time-begin': 60, 'alt-speed-time-end': 60, 'alt-speed-time-day': 62 }), {
    slow_mode: { schedule: ['mon,tue,wed,thu,fri 00:00-24:00'] },
  })
  assert.deepEqual(await shownAt([]), [true, 540, 1020, 127])
  assert.deepEqual(await changed({ 'alt-speed-time-enabled': true }), {
    slow_mode: { schedule_enabled: true, schedule: ['daily 09:00-17:00'] },
  })
  for (const bad of [{ 'alt-speed-time-day': 0 }, { 'alt-speed-time-day': 128 }, { 'alt-speed-time-end': 1441 }])
    assert.match((await call('session-set', bad)).result, /alt-speed-time-(day|end) must be from/)
  await shownAt(['mon 01:00-02:00', 'tue 01:00-02:00'])
  assert.match((await call('session-set', { 'alt-speed-time-begin': 1 })).result, /several lines/)
  const refused = await call('session-set', { 'alt-speed-enabled': 'yes' })
  assert.match(refused.result, /alt-speed-enabled must be true or false/)
})

test('nonsense is answered with what is wrong, and reaches nobody', async () => {
  const wrong: [string, unknown][] = [
    ['nothing', {}],
    ['torrent-get', {}],
    ['torrent-get', { fields: 'id' }],
    ['torrent-get', { fields: [1] }],
    ['torrent-get', { fields: ['id'], format: 'x' }],
    ['torrent-get', { fields: ['id'], ids: null }],
    ['torrent-stop', { ids: {} }],
    ['torrent-stop', { ids: [true] }],
    ['torrent-remove', { ids: null }],
    ['torrent-remove', { ids: [1], 'delete-local-data': 'yes' }],
    ['torrent-add', {}],
    ['torrent-add', { metainfo: '%%%' }],
    ['torrent-add', { filename: 7 }],
    ['torrent-add', { filename: 'magnet:?a', 'download-dir': 'relative' }],
    ['torrent-add', { filename: 'magnet:?a', 'files-unwanted': [1e9] }],
    ['torrent-add', { filename: 'magnet:?a', 'files-unwanted': [-1] }],
    ['torrent-set', { ids: [1], seedRatioMode: 7 }],
    ['torrent-set', { ids: [1], seedRatioMode: 1 }],
    ['torrent-set', { ids: [1], downloadLimit: -1 }],
    ['torrent-set', { ids: [1], bandwidthPriority: 1 }],
    ['torrent-set', { ids: [1], trackerRemove: [5] }],
    ['torrent-set', { ids: [1], trackerReplace: [0] }],
    ['torrent-set-location', { ids: [1], location: '/x' }],
    ['torrent-set-location', { ids: [1], move: true }],
    ['torrent-rename-path', { ids: [1], path: 'a', name: 'b' }],
    ['torrent-rename-path', { ids: [1], path: '../a' }],
    ['torrent-rename-path', { ids: [99], path: 'a', name: 'b' }],
    ['free-space', { path: 'x' }],
    ['session-set', { 'dht-enabled': 'maybe' }],
    ['session-set', { 'peer-port': null }],
    ['session-get', []],
    ['session-get', 'x'],
  ]
  const changes = /^(add|addFile|patch|remove|renameFile|changeSettings|addTracker|removeTracker)$/
  const before = server.double.calls.length
  for (const [method, args] of wrong) {
    const answer = await post({ method, arguments: args })
    assert.equal(answer.status, 200)
    const { result, arguments: none } = answer.json() as Answered
    assert.notEqual(result, 'success', `${method} ${JSON.stringify(args)}`)
    assert.ok(result.length > 5)
    assert.deepEqual(none, {})
  }
  const reached = server.double.calls.slice(before).map(([name]) => String(name))
  assert.deepEqual(
    reached.filter(name => changes.test(name)),
    [],
  )
  assert.equal((await post('{"method":')).status, 400)
  assert.equal((await post('[1]')).status, 400)
  assert.equal(((await post('')).json() as Answered).result, 'no method name')
  assert.equal(((await post({ method: ['x'] })).json() as Answered).result, 'no method name')
  assert.deepEqual(server.exceptions, [])
})

test('a list of 10,000 comes whole, in turns', async () => {
  server.double.downloadCount = 10_000
  const { torrents } = await get('torrent-get', { fields: ['id', 'name', 'file-count', 'comment'] })
  server.double.downloadCount = 1
  assert.equal((torrents as unknown[]).length, 10_000)
})

test('what the services say becomes the result; what must be tried again stays an HTTP error', async () => {
  const { AppError } = await import('../../../src/base/errors.ts')
  server.double.failure = new AppError('StateConflict', 'not now')
  assert.equal((await call('torrent-set-location', { ids: [1], location: '/b', move: true })).result, 'not now')
  server.double.failure = new AppError('NotReady')
  assert.equal((await post({ method: 'torrent-stop', arguments: { ids: [HASH] } })).status, 503)
  server.double.failure = null
})

test('wrong keys by Basic are answered slower and slower, like others', async () => {
  const slow = await startServer()
  try {
    const ask1 = (): Promise<Answer> => ask(slow.port, PATH, { method: 'POST', key: false, headers: basic('wrong') })
    const begun = performance.now()
    for (let i = 0; i < 6; i++) assert.equal((await ask1()).status, 401)
    const wrong = performance.now() - begun
    const fine = performance.now()
    for (let i = 0; i < 6; i++) assert.equal((await ask(slow.port, PATH, { method: 'POST', key: false })).status, 401)
    assert.ok(wrong > 2 * (performance.now() - fine), `${wrong} ms`)
  } finally {
    await slow.stop()
  }
})
