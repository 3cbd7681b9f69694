// Every route of the table, over a real socket: its sample reaches the service double and comes back as documented.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from '@sinclair/typebox/value'
import { errorTable } from '../../../src/base/errors.ts'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/infohash.ts'
import { routes, routeTable } from '../../kit/all-routes.ts'
import { type Running, ask, startServer, until } from './harness.ts'

let server: Running
before(async () => {
  server = await startServer()
  server.double.content = Buffer.from('the content of the film')
})
after(() => server.stop())

/** What a door demands, as its first answer has it. */
async function doorHeaders(path: string): Promise<Record<string, string>> {
  const { headers } = await ask(server.port, path, { method: 'POST' })
  return { 'x-transmission-session-id': String(headers['x-transmission-session-id']) }
}

/** Some path is one of both. */
function meet(one: string, other: string): boolean {
  const [ours, theirs] = [one.split('/'), other.split('/')]
  const named = (part: string | undefined): boolean => part?.startsWith('{') === true
  return (
    ours.length === theirs.length && ours.every((part, at) => part === theirs[at] || named(part) || named(theirs[at]))
  )
}

test('no route that comes later is at a path of the first ones, which would hide it', () => {
  // A sample is one path of many: this one would be hidden, and so would that which hides a part of it.
  assert.ok(meet('/downloads/{infohash}', '/downloads/later') && meet('/a/{x}/b', '/a/c/{y}'))
  assert.ok(!meet('/downloads/{infohash}', '/downloads/{infohash}/later') && !meet('/a/{x}/b', '/a/{x}/c'))
  const hidden = routes
    .later()
    .flatMap(({ path }) => routes.atStart.filter(first => meet(first.path, path)).map(first => `${first.path} ${path}`))
  assert.deepEqual(hidden, [])
  assert.equal(routes.atStart.length + routes.later().length, routeTable.length)
})

const plainKinds = routeTable.filter(route => route.kind !== 'events')

for (const route of plainKinds) {
  const { sample } = route
  const path = sample.query === undefined ? sample.path : `${sample.path}?${sample.query}`
  const json = sample.body === undefined ? undefined : JSON.stringify(sample.body)
  const body = sample.rawBody === undefined ? json : Buffer.from(sample.rawBody)

  test(`${route.id} answers its sample`, async () => {
    const headers = route.door ? await doorHeaders(path) : {}
    const answer = await ask(server.port, path, {
      method: route.method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    assert.equal(answer.status, sample.status)
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    if (route.reply !== null) {
      assert.equal(answer.headers['content-type'], 'application/json')
      assert.deepEqual([...Value.Errors(route.reply, answer.json())], [])
    }
  })

  // Without a length: what is made for one answer is not made for HEAD.
  if (route.method === 'GET' && route.kind !== 'file') {
    test(`${route.id} answers HEAD without a body`, async () => {
      const answer = await ask(server.port, path, { method: 'HEAD' })
      assert.equal(answer.status, 200)
      assert.equal(answer.body.length, 0)
      assert.ok(Number(answer.headers['content-length']) > 0)
    })
  }

  test(`${route.id} ${route.scope === 'open' ? 'needs no key' : 'needs a key'}`, async () => {
    const answer = await ask(server.port, path, {
      method: route.method,
      key: false,
      ...(body === undefined ? {} : { body }),
    })
    assert.equal(answer.status, route.scope === 'open' ? 200 : 401)
  })
}

test('parameters reach the services as the schema says', async () => {
  const { calls } = server.double
  const lastCall = () => calls.at(-1)
  await ask(server.port, '/downloads?get_peers=1&get_files=true&get_pieces=0')
  assert.deepEqual(lastCall(), ['list', { peers: true, pieces: false, files: true }])
  await ask(server.port, '/downloads', {
    method: 'PUT',
    body: JSON.stringify({ uri: 'magnet:?a', anon_hops: 0, extra: 1 }),
  })
  assert.deepEqual(lastCall(), ['add', { uri: 'magnet:?a', anon_hops: 0 }])
  await ask(server.port, `/downloads/${SAMPLE_INFOHASH.toUpperCase()}`, {
    method: 'DELETE',
    body: '{"remove_data":false}',
  })
  assert.deepEqual(lastCall(), ['remove', SAMPLE_INFOHASH, false])
  await ask(server.port, `/downloads/${SAMPLE_INFOHASH}?remove_data=1`, { method: 'DELETE' })
  assert.deepEqual(lastCall(), ['remove', SAMPLE_INFOHASH, true])
  await ask(server.port, '/torrentinfo?uri=magnet%3A%3Fxt%3D1')
  assert.deepEqual(lastCall(), ['torrentInfo', 'magnet:?xt=1'])
  await ask(server.port, '/settings', { method: 'POST', body: '{"a":{"b":[1,{"c":null}]}}' })
  assert.deepEqual(lastCall(), ['changeSettings', { a: { b: [1, { c: null }] } }])
})

test('what is looked at before adding: links, torrent files, folders', async () => {
  const lastCall = () => server.double.calls.at(-1)
  await ask(server.port, '/torrentinfo/files?uri=magnet%3A%3Fxt%3D1&anon_hops=2')
  assert.deepEqual(lastCall(), ['torrentFiles', 'magnet:?xt=1', 2])
  const body = Buffer.from('d4:infod4:name4:Filmee\0\xff', 'latin1')
  const sent = await ask(server.port, '/torrentinfo/files', { method: 'POST', body })
  assert.deepEqual(Buffer.from((lastCall()?.[1] ?? []) as Uint8Array), body)
  const { files, ...others } = sent.json() as { files: unknown[] }
  assert.deepEqual(files, [{ index: 1, name: 'Extras/<b>a</b>.txt', size: 5 }])
  assert.deepEqual(others, { name: 'Film', infohash: SAMPLE_INFOHASH, private: false, download_exists: true })
  await ask(server.port, '/folders')
  assert.deepEqual(lastCall(), ['folders', undefined])
  await ask(server.port, `/folders?path=${encodeURIComponent('/srv/../שלום/<b>')}`)
  assert.deepEqual(lastCall(), ['folders', '/srv/../שלום/<b>'])
  assert.equal((await ask(server.port, `/folders?path=${'/a'.repeat(3000)}`)).status, 400)
})

test('a torrent file that is sent reaches the service as it is, its parameters from the query', async () => {
  const body = Buffer.from('{"uri":"not read"} d4:infod4:name4:Filmee\0\xff', 'latin1')
  const query = 'destination=%2Fsrv&labels[]=a&labels[]=b&file_priorities[]=7&file_priorities[]=0&seeding_ratio=0.5'
  const answer = await ask(server.port, `/downloads?${query}&uri=magnet%3A`, { method: 'POST', body })
  assert.deepEqual(answer.json(), { started: true, infohash: SAMPLE_INFOHASH })
  const [method, bytes, request] = server.double.calls.at(-1) ?? []
  assert.equal(method, 'addFile')
  assert.deepEqual(Buffer.from(bytes as Uint8Array), body)
  assert.deepEqual(request, { destination: '/srv', labels: ['a', 'b'], file_priorities: [7, 0], seeding_ratio: 0.5 })
})

test('controls reach the service, and wrong ones do not', async () => {
  const patch = (body: object) =>
    ask(server.port, `/downloads/${SAMPLE_INFOHASH}`, { method: 'PATCH', body: JSON.stringify(body) })
  const change = {
    destination: '/srv/x',
    max_download_speed: 5,
    max_upload_speed: 0,
    seeding_ratio: -1,
    seeding_time: 90,
    file_priorities: [-1, 3],
    sequential: true,
    labels: [],
  }
  await patch(change)
  assert.deepEqual(server.double.calls.at(-1), ['patch', SAMPLE_INFOHASH, change])
  const wrong = [
    { max_download_speed: -1 },
    { max_upload_speed: 1.5 },
    { seeding_ratio: -3 },
    { seeding_time: 1.5 },
    { file_priorities: [8] },
    { file_priorities: 'x' },
    { sequential: 'maybe' },
    { anon_hops: 0, labels: ['x'] },
  ]
  const before = server.double.calls.length
  for (const body of wrong) assert.equal((await patch(body)).status, 400, JSON.stringify(body))
  assert.equal(server.double.calls.length, before)
})

test('trackers and explain reach the service', async () => {
  const url = 'udp://t.example:1'
  const path = `/downloads/${SAMPLE_INFOHASH.toUpperCase()}`
  const body = JSON.stringify({ url })
  await ask(server.port, `${path}/trackers`, { method: 'PUT', body })
  assert.deepEqual(server.double.calls.at(-1), ['addTracker', SAMPLE_INFOHASH, url])
  await ask(server.port, `${path}/trackers?url=${encodeURIComponent(url)}`, { method: 'DELETE' })
  assert.deepEqual(server.double.calls.at(-1), ['removeTracker', SAMPLE_INFOHASH, url])
  const change = JSON.stringify({ url, new_url: 'http://n.example/announce', tier: 1 })
  await ask(server.port, `${path}/trackers`, { method: 'PATCH', body: change })
  const told = { newUrl: 'http://n.example/announce', tier: 1 }
  assert.deepEqual(server.double.calls.at(-1), ['changeTracker', SAMPLE_INFOHASH, url, told])
  const peer = JSON.stringify({ address: '203.0.113.7:6881' })
  await ask(server.port, `${path}/peers`, { method: 'PUT', body: peer })
  assert.deepEqual(server.double.calls.at(-1), ['addPeer', SAMPLE_INFOHASH, '203.0.113.7:6881'])
  await ask(server.port, `${path}/tracker_force_announce`, { method: 'PUT' })
  assert.deepEqual(server.double.calls.at(-1), ['forceAnnounce', SAMPLE_INFOHASH, undefined])
  await ask(server.port, `${path}/explain`)
  assert.deepEqual(server.double.calls.at(-1), ['explain', SAMPLE_INFOHASH])
  await ask(server.port, `${path}/magnet`)
  assert.deepEqual(server.double.calls.at(-1), ['magnet', SAMPLE_INFOHASH])
  // Whatever has a v2 info hash is found by all of it too.
  await ask(server.port, `/downloads/${'AB'.repeat(32)}/magnet`)
  assert.deepEqual(server.double.calls.at(-1), ['magnet', 'ab'.repeat(32)])
  assert.equal((await ask(server.port, `/downloads/${'ab'.repeat(31)}/magnet`)).status, 404)
  assert.equal((await ask(server.port, `${path}/trackers`, { method: 'PUT' })).status, 400)
  assert.equal((await ask(server.port, '/downloads/xyz/explain')).status, 404)
})

test('an empty PATCH body changes nothing and is answered', async () => {
  const answer = await ask(server.port, `/downloads/${SAMPLE_INFOHASH}`, { method: 'PATCH' })
  assert.deepEqual(answer.json(), { infohash: SAMPLE_INFOHASH, modified: false })
})

test('the torrent file is offered under its infohash', async () => {
  const answer = await ask(server.port, `/download/${SAMPLE_INFOHASH}/torrent`)
  assert.equal(answer.headers['content-type'], 'application/x-bittorrent')
  assert.equal(answer.headers['content-disposition'], `attachment; filename="${SAMPLE_INFOHASH}.torrent"`)
  assert.equal(answer.body.toString(), 'd4:infod4:name4:Filmee')
})

test('a long list arrives whole', async () => {
  server.double.downloadCount = 10_000
  const answer = await ask(server.port, '/downloads')
  server.double.downloadCount = 1
  assert.equal((answer.json() as { downloads: unknown[] }).downloads.length, 10_000)
  assert.equal(Number(answer.headers['content-length']), answer.body.length)
})

test('the API browser loads nothing from another address', async () => {
  const page = await ask(server.port, '/docs', { key: false })
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /https?:|\*/)
  for (const [, reference] of page.body.toString().matchAll(/(?:src|href)="([^"]*)"/g)) {
    assert.doesNotMatch(reference ?? '', /^(?:https?:)?\/\//)
    if (reference === 'docs/') continue
    const part = await ask(server.port, `/docs/${reference}`, { key: false })
    assert.equal(part.status, 200, reference)
    assert.ok(part.body.length > 100)
  }
  assert.equal((await ask(server.port, '/docs/package.json', { key: false })).status, 404)
  assert.equal((await ask(server.port, '/docs/..%2Fpackage.json', { key: false })).status, 404)
})

test('the API browser links a page of all error codes, which the table makes', async () => {
  const document = (await ask(server.port, '/docs/openapi.json', { key: false })).json() as {
    info: { description: string }
  }
  assert.ok(document.info.description.includes('](errors.html)'))
  const page = await ask(server.port, '/docs/errors.html', { key: false })
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  const text = page.body.toString()
  assert.doesNotMatch(text, /<script|(?:src|href)="(?!\.\/")/)
  for (const [code, { status }] of Object.entries(errorTable))
    assert.ok(text.includes(`<tr id="${code}"><th scope="row"><code>${code}</code></th><td>${status}</td>`), code)
})

test('an answer that its client does not wait for ends the work', async () => {
  const signals: AbortSignal[] = []
  const original = server.double.torrentInfo.read
  server.double.torrentInfo.read = (_uri, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  }
  const { connect } = await import('node:net')
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET /torrentinfo?torrent=x&key=${'k'.repeat(64)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await until(() => signals.length === 1)
  socket.destroy()
  await until(() => signals[0]?.aborted === true)
  server.double.torrentInfo.read = original
})
