// Who may pass: the key in all its places, signed links, Host, foreign pages (decisions part 1).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { type Ask, KEY, type Running, ask, envelope, startServer } from './harness.ts'
import { HASH } from './service-double.ts'

let server: Running
before(async () => {
  server = await startServer()
  server.double.content = Buffer.from('film')
})
after(() => server.stop())

const status = async (path: string, options: Ask = {}) => (await ask(server.port, path, options)).status

test('a missing or wrong key is 401 with the envelope, on unknown paths too', async () => {
  for (const path of ['/state', '/nothing/here', '/downloads', '/doc', '/docs/../state']) {
    const answer = await ask(server.port, path, { key: false })
    assert.equal(answer.status, 401, path)
    assert.equal(envelope(answer).code, 'Unauthorized')
    assert.equal(envelope(answer).handled, true)
  }
  assert.equal(await status('/state', { key: false, headers: { 'X-Api-Key': `${KEY}x` } }), 401)
  assert.equal(await status('/state', { key: false, headers: { 'X-Api-Key': KEY.slice(1) } }), 401)
  assert.equal(server.double.calls.length, 0)
})

test('the key is taken from the header, Bearer, and the query of GET and HEAD', async () => {
  const bearer = { Authorization: `Bearer ${KEY}` }
  assert.equal(await status('/state', { key: false, headers: { 'X-Api-Key': KEY } }), 200)
  assert.equal(await status('/state', { key: false, headers: bearer }), 200)
  assert.equal(await status(`/state?key=${KEY}`, { key: false }), 200)
  assert.equal(await status(`/state?apikey=${KEY}`, { key: false, method: 'HEAD' }), 200)
  assert.equal(await status('/settings', { key: false, method: 'POST', body: '{}', headers: bearer }), 200)
  assert.equal(await status(`/settings?key=${KEY}`, { key: false, method: 'POST', body: '{}' }), 401)
  assert.equal(await status('/state', { key: false, headers: { Cookie: `api_key=${KEY}` } }), 401)
})

test('no key is asked for when it is switched off', async () => {
  const open = await startServer({ apiKey: Secret.none })
  assert.equal((await ask(open.port, '/state', { key: false })).status, 200)
  await open.stop()
})

test('the open paths need no key and show nothing of the core', async () => {
  for (const path of ['/healthz', '/docs', '/docs/', '/docs/openapi.json', '/docs/swagger-ui.css']) {
    assert.equal(await status(path, { key: false }), 200, path)
  }
  assert.equal(await status('/docs', { key: false, method: 'POST' }), 401)
})

test('a key never reaches the log or an answer', async () => {
  server.double.failure = new TypeError('broken')
  const answer = await ask(server.port, `/state?key=${KEY}`, { key: false })
  server.double.failure = null
  assert.equal(answer.status, 500)
  assert.ok(server.log.lines.length > 0)
  assert.doesNotMatch(server.log.lines.join('\n') + answer.body.toString(), new RegExp(KEY))
})

const streamUrl = async (): Promise<string> => {
  const answer = await ask(server.port, `/downloads/${HASH}/files`)
  const { files } = answer.json() as { files: { stream_url: string }[] }
  return files[0]?.stream_url ?? ''
}

test('a signed link opens GET and HEAD of its file and nothing else', async () => {
  const url = await streamUrl()
  assert.match(url, /^\/downloads\/[0-9a-f]{40}\/stream\/0\?token=[0-9]+\.[A-Za-z0-9_-]+$/)
  const token = url.slice(url.indexOf('?'))
  assert.equal((await ask(server.port, url, { key: false })).body.toString(), 'film')
  assert.equal(await status(url, { key: false, method: 'HEAD' }), 200)
  assert.equal(await status(`/downloads/${HASH}/stream/0/film.mp4${token}`, { key: false }), 206)
  assert.equal(await status(`/downloads/${HASH.toUpperCase()}/stream/0${token}`, { key: false }), 206)
  assert.equal(await status(`/downloads/${HASH}/stream/1${token}`, { key: false }), 403)
  assert.equal(await status(`/downloads/${'f'.repeat(40)}/stream/0${token}`, { key: false }), 403)
  assert.equal(await status(`/downloads/${HASH}/files${token}`, { key: false }), 401)
  assert.equal(await status(`/state${token}`, { key: false }), 401)
  assert.equal(await status(url, { key: false, method: 'DELETE' }), 401)
})

test('a changed or expired link is LinkInvalid', async () => {
  const url = await streamUrl()
  const longer = url.replace(/token=([0-9]+)/, (_whole, expiry: string) => `token=${Number(expiry) + 1}`)
  for (const bad of [longer, `${url}x`, url.slice(0, -1), url.replace(/token=.*/, 'token=x')]) {
    const answer = await ask(server.port, bad, { key: false })
    assert.equal(answer.status, 403)
    assert.equal(envelope(answer).code, 'LinkInvalid')
  }
  const brief = await startServer({ linkLifetimeMs: -1000 })
  const { files } = (await ask(brief.port, `/downloads/${HASH}/files`)).json() as { files: { stream_url: string }[] }
  const expired = await ask(brief.port, files[0]?.stream_url ?? '', { key: false })
  await brief.stop()
  assert.equal(envelope(expired).code, 'LinkInvalid')
})

test('the Host must be localhost, a literal or a configured name, before the key', async () => {
  for (const host of [
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1:80',
    '10.0.0.7',
    '[::1]:5',
    'node.example',
    'Node.Example:443',
  ]) {
    assert.equal(await status('/healthz', { headers: { Host: host } }), 200, host)
  }
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '300.1.1.1', '2130706433']) {
    const answer = await ask(server.port, '/healthz', { key: false, headers: { Host: host } })
    assert.equal(answer.status, 403, host)
    assert.equal(envelope(answer).code, 'ForeignHost')
  }
})

test('a foreign page may not change anything, whatever key it carries', async () => {
  const post = (headers: Record<string, string>) => status('/settings', { method: 'POST', body: '{}', headers })
  assert.equal(await post({}), 200)
  assert.equal(await post({ Origin: `http://127.0.0.1:${server.port}`, 'Sec-Fetch-Site': 'same-origin' }), 200)
  assert.equal(await post({ Origin: 'http://app.example:8080', 'Sec-Fetch-Site': 'cross-site' }), 200)
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', 'http://app.example']) {
    assert.equal(await post({ Origin: origin }), 403, origin)
  }
  assert.equal(await post({ 'Sec-Fetch-Site': 'cross-site' }), 403)
  assert.equal(await post({ 'Sec-Fetch-Site': 'same-site' }), 403)
  const forged = { Origin: `http://127.0.0.1:${server.port}`, 'Sec-Fetch-Site': 'cross-site' }
  assert.equal(await post(forged), 403)
  const get = await ask(server.port, '/state', { headers: { Origin: 'http://evil.example' } })
  assert.equal(get.status, 200)
  assert.equal(get.headers['access-control-allow-origin'], undefined)
})

test('a key that a foreign page puts into an address is refused unread and is no guess of ours', async () => {
  const other = await startServer({ origins: ['http://page.example'] })
  const from = async (headers: Record<string, string>, path = `/state?key=${KEY}x`): Promise<string> => {
    const answer = await ask(other.port, path, { key: false, headers })
    return answer.status === 200 ? 'done' : (envelope(answer).code ?? '')
  }
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site', Authorization: `Basic ${Buffer.from('x:y').toString('base64')}` },
  ]
  for (const headers of foreign) {
    const path = 'Authorization' in headers ? '/transmission/rpc' : undefined
    // Wrong keys beyond the first are answered late: these are not.
    for (let n = 0; n < 12; n++) assert.equal(await from(headers, path), 'ForeignOrigin', JSON.stringify(headers))
    if (path === undefined)
      assert.equal(await from(headers, `/state?apikey=${KEY}`), 'ForeignOrigin', 'the right one too')
  }
  assert.equal(
    await from({ Origin: 'http://page.example', 'Sec-Fetch-Site': 'cross-site' }, `/state?key=${KEY}`),
    'done',
  )
  assert.equal(await from({ 'Sec-Fetch-Site': 'same-origin' }, `/state?key=${KEY}`), 'done')
  assert.equal(await from({}), 'Unauthorized')
  await other.stop()
})

test('a configured page is answered with the headers its browser asks for', async () => {
  const headers = { Origin: 'http://app.example:8080', 'Access-Control-Request-Method': 'PUT' }
  const preflight = await ask(server.port, '/downloads', { method: 'OPTIONS', key: false, headers })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers['access-control-allow-origin'], 'http://app.example:8080')
  assert.match(String(preflight.headers['access-control-allow-headers']), /X-Api-Key/)
  const answer = await ask(server.port, '/state', { headers })
  assert.equal(answer.headers['access-control-allow-origin'], 'http://app.example:8080')
  const foreign = { Origin: 'http://evil.example' }
  assert.equal(await status('/downloads', { method: 'OPTIONS', key: false, headers: foreign }), 403)
  assert.equal(await status('/downloads', { method: 'OPTIONS', key: false }), 401)
  assert.equal(await status('/downloads', { method: 'OPTIONS' }), 405)
})
