// Every route with a key of every scope, over a real socket: which are opened and which are not. What each route should
// ask for is said here once more, in the words of decisions part 1, so that a wrong column of the table is found too.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import type { Route } from '../../../src/http/route.ts'
import { routeTable } from '../../kit/all-routes.ts'
import { KEY_SCOPES, type StoredKey } from '../../../src/ports/key-list.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { ask, envelope, KEY, type Running, startServer } from './harness.ts'
import { HASH } from './service-double.ts'

const keyOf = (scope: string): string => `key-of-${scope}-${'x'.repeat(40)}`
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
let stored: StoredKey[] = KEY_SCOPES.map(scope => ({
  name: scope,
  hash: hashOf(keyOf(scope)),
  scopes: [scope],
  label: null,
}))

let server: Running
/** What doors demand beside a key. */
let doorSession = ''
before(async () => {
  server = await startServer({ furtherKeys: { current: () => stored } })
  server.double.content = Buffer.from('film')
  const { headers } = await ask(server.port, '/transmission/rpc', { method: 'POST' })
  doorSession = String(headers['x-transmission-session-id'])
})
after(() => server.stop())

/** What decisions part 1 says. */
function scopeOf({ method, path }: Route): string {
  if (path === '/' || path === '/healthz' || /^\/(docs|dashboard)(\/|$)/.test(path)) return 'open'
  // Whoever has a code has no key yet.
  if (path === '/login' && method === 'POST') return 'open'
  if (/^\/(wallets|market)(\/|$)/.test(path)) return 'spend'
  // Stops the node, reads any file, or shows what only its owner may see.
  if (/^\/(settings|debug|keys|login|links|shutdown|createtorrent|import|dlna)(\/|$)/.test(path)) return 'admin'
  // Changes settings (decision 0557).
  if (path === '/slowmode' && method !== 'GET') return 'admin'
  // A ban is of all downloads (decision 0564).
  if (path === '/peers/banned' && method !== 'GET') return 'admin'
  // Signs with a key of this node.
  if (/^\/(channels|mychannel)(\/|$)/.test(path) && method !== 'GET') return 'admin'
  if (path.startsWith('/updates/published') && method !== 'GET') return 'admin'
  if (/^\/(torrentinfo|folders)(\/|$)/.test(path)) return 'add'
  // Whoever plays a file says where it is.
  if (path.includes('{infohash}/watching')) return 'stream'
  // Asking for facts or segments of a film makes its download run (decisions 0533 and 0543).
  if (/\/(stream|media|hls)\//.test(path) || path.endsWith('/playlist.m3u')) return 'stream'
  return method === 'GET' ? 'read' : 'add'
}

/** What no scope opens: it stops the node for seconds, and what it gives holds everything (decision 0455). */
const FIRST_KEY_ALONE: ReadonlySet<string> = new Set(['GET /debug/memory/dump'])

/** The status and, of an error, the code; the rest of the answer is not waited for. */
function outcome(route: Route, headers: Record<string, string>): Promise<string> {
  const { sample, method } = route
  const body = sample.rawBody ?? (sample.body === undefined ? undefined : JSON.stringify(sample.body))
  const path = `${sample.path}${sample.query === undefined ? '' : `?${sample.query}`}`
  const length: Record<string, string> = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const options = {
    host: '127.0.0.1',
    port: server.port,
    method,
    path,
    headers: { ...headers, ...length, ...(route.door && { 'X-Transmission-Session-Id': doorSession }) },
    agent: false,
  }
  return new Promise((resolve, reject) => {
    const asked = request(options, answer => {
      const status = answer.statusCode ?? 0
      if (status < 400) {
        resolve(String(status))
        asked.destroy()
        return
      }
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve(`${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

test('the table asks for the scopes that the decisions name', () => {
  assert.deepEqual(
    routeTable.map(route => `${route.method} ${route.path}: ${route.scope}`),
    routeTable.map(route => `${route.method} ${route.path}: ${scopeOf(route)}`),
  )
})

for (const scope of [...KEY_SCOPES, 'first', 'none'] as const) {
  test(`every route with ${scope === 'none' ? 'no key' : `the key ${scope}`}`, async () => {
    const key = scope === 'first' ? KEY : keyOf(scope)
    const headers: Record<string, string> = scope === 'none' ? {} : { 'X-Api-Key': key }
    for (const route of routeTable) {
      const needed = scopeOf(route)
      const byScope = needed === 'open' || scope === needed || (scope === 'admin' && needed !== 'spend')
      const opens =
        scope === 'first' || scope === 'owner' || (byScope && !FIRST_KEY_ALONE.has(`${route.method} ${route.path}`))
      const refused = scope === 'none' ? '401 Unauthorized' : '403 ScopeMissing'
      const expected = opens ? String(route.sample.status) : refused
      const calls = server.double.calls.length
      assert.equal(await outcome(route, headers), expected, `${route.method} ${route.path}`)
      if (!opens) assert.equal(server.double.calls.length, calls, `${route.method} ${route.path} did something`)
    }
  })
}

test('a key stands in Bearer and in the query too; a path that is not there is 404, another method 405', async () => {
  const path = `/downloads?key=${keyOf('read')}`
  assert.equal((await ask(server.port, path, { key: false })).status, 200)
  const headers = { Authorization: `Bearer ${keyOf('read')}` }
  assert.equal((await ask(server.port, '/downloads', { key: false, headers })).status, 200)
  assert.equal((await ask(server.port, '/nothing', { key: false, headers })).status, 404)
  assert.equal((await ask(server.port, '/state', { key: false, headers, method: 'DELETE' })).status, 405)
})

test('a signed link opens its stream whatever the scope of the key beside it, and nothing else', async () => {
  const files = await ask(server.port, `/downloads/${HASH}/files`)
  const link = (files.json() as { files: { stream_url: string }[] }).files[0]?.stream_url ?? ''
  const headers = { 'X-Api-Key': keyOf('read') }
  assert.equal((await ask(server.port, link, { key: false, headers })).status, 206)
  const wrong = await ask(server.port, link.replace(/.$/, '!'), { key: false, headers })
  assert.equal(envelope(wrong).code, 'LinkInvalid')
  const token = link.slice(link.indexOf('?'))
  assert.equal((await ask(server.port, `/settings${token}`, { key: false, headers })).status, 403)
})

test('a key that is taken back opens nothing any more', async () => {
  const all = stored
  const headers = { 'X-Api-Key': keyOf('admin') }
  assert.equal((await ask(server.port, '/settings', { key: false, headers })).status, 200)
  stored = stored.filter(({ name }) => name !== 'admin')
  assert.equal((await ask(server.port, '/settings', { key: false, headers })).status, 401)
  stored = all
})

test('services learn which key names a path: the first may name any, admin files as sources', async () => {
  const { callers } = server.double
  callers.length = 0
  const body = JSON.stringify({ uri: '/etc/x.torrent' })
  for (const key of [KEY, keyOf('admin'), keyOf('add')])
    await ask(server.port, '/downloads', { key: false, headers: { 'X-Api-Key': key }, method: 'PUT', body })
  assert.deepEqual(callers, [
    { anyPath: true, localFiles: true, spends: true },
    { anyPath: false, localFiles: true, spends: false },
    { anyPath: false, localFiles: false, spends: false },
  ])
})

test('admin cannot make itself a key that spends; services learn which key changes settings', async () => {
  const put = (key: string, method: string, path: string, body: object) =>
    ask(server.port, path, { key: false, headers: { 'X-Api-Key': key }, method, body: JSON.stringify(body) })
  const spending = { name: 'purse', scopes: ['read', 'spend'] }
  const calls = server.double.calls.length
  const refused = await put(keyOf('admin'), 'PUT', '/keys', spending)
  assert.deepEqual([refused.status, envelope(refused).code], [403, 'ScopeMissing'])
  assert.equal(server.double.calls.length, calls, 'it did something')
  assert.equal((await put(KEY, 'PUT', '/keys', spending)).status, 200)
  assert.equal((await put(keyOf('admin'), 'PUT', '/keys', { name: 'n', scopes: ['read'] })).status, 200)
  const { callers } = server.double
  callers.length = 0
  for (const key of [KEY, keyOf('admin')]) await put(key, 'POST', '/settings', { api: { key: 'another-key' } })
  assert.deepEqual(
    callers.map(({ anyPath }) => anyPath),
    [true, false],
  )
})

test('streams and events of a key that is taken back are cut; those of others go on', { timeout: 60_000 }, async () => {
  const clock = new VirtualClock()
  let keys = stored
  const other = await startServer({ furtherKeys: { current: () => keys } }, 8, { clock })
  other.double.content = Buffer.alloc(64 * 1024 * 1024, 'film')
  const open = (scope: string, path: string): { answer: IncomingMessage | null } => {
    const state: { answer: IncomingMessage | null } = { answer: null }
    const headers = { 'X-Api-Key': scope === 'first' ? KEY : keyOf(scope) }
    const asked = request({ host: '127.0.0.1', port: other.port, path, headers, agent: false }, answer => {
      // Not read: neither ends by itself.
      state.answer = answer.on('error', () => undefined)
    })
    asked.on('error', () => undefined).end()
    return state
  }
  const film = `/downloads/${HASH}/stream/0`
  const theirs = [open('read', '/events'), open('stream', film)]
  const mine = [open('first', '/events'), open('first', film)]
  await waitFor('all to begin', () => [...theirs, ...mine].every(({ answer }) => answer !== null), 20_000)
  await clock.advance(10_000)
  keys = keys.filter(({ name }) => name !== 'read' && name !== 'stream')
  await clock.advance(2_000)
  for (const { answer } of theirs) answer?.resume()
  await waitFor('the cut', () => theirs.every(({ answer }) => answer?.closed), 20_000)
  assert.deepEqual(
    theirs.map(({ answer }) => answer?.complete),
    [false, false],
  )
  for (const { answer } of mine) answer?.resume()
  await waitFor('the whole film', () => mine[1]?.answer?.closed, 20_000)
  assert.equal(mine[1]?.answer?.complete, true)
  assert.equal(mine[0]?.answer?.closed, false)
  await other.stop(0)
  assert.equal(clock.pending, 0)
})

test('the door: a key of scope add adds and lists, but does not change the session; its paths are asked about', async () => {
  const rpc = async (scope: string, method: string, args: object): Promise<string> => {
    const answer = await ask(server.port, '/transmission/rpc', {
      key: false,
      headers: {
        'X-Transmission-Session-Id': doorSession,
        Authorization: `Basic ${Buffer.from(`x:${keyOf(scope)}`).toString('base64')}`,
      },
      method: 'POST',
      body: JSON.stringify({ method, arguments: args }),
    })
    return answer.status === 200 ? (answer.json() as { result: string }).result : String(answer.status)
  }
  const { callers } = server.double
  callers.length = 0
  assert.equal(await rpc('add', 'torrent-add', { filename: 'magnet:?x' }), 'success')
  assert.equal(await rpc('add', 'torrent-set-location', { ids: [], location: '/x', move: true }), 'success')
  assert.deepEqual(callers, [
    { anyPath: false, localFiles: false, spends: false },
    { anyPath: false, localFiles: false, spends: false },
  ])
  for (const method of ['session-set', 'session-close']) {
    assert.match(await rpc('add', method, { 'dht-enabled': false }), /scope/)
  }
  assert.equal(await rpc('admin', 'session-set', { 'dht-enabled': false }), 'success')
  assert.equal(await rpc('read', 'torrent-get', { fields: ['id'] }), '403')
})
