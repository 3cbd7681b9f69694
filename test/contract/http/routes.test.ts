// Every route of the table, over a real socket: its sample reaches the service double and comes back as documented.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from '@sinclair/typebox/value'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/downloads.ts'
import { routeTable } from '../../../src/http/table.ts'
import { type Running, ask, startServer, until } from './harness.ts'

let server: Running
before(async () => {
  server = await startServer()
  server.double.content = Buffer.from('the content of the film')
})
after(() => server.stop())

const plainKinds = routeTable.filter(route => route.kind !== 'events')

for (const route of plainKinds) {
  const { sample } = route
  const path = sample.query === undefined ? sample.path : `${sample.path}?${sample.query}`
  const body = sample.body === undefined ? undefined : JSON.stringify(sample.body)

  test(`${route.id} answers its sample`, async () => {
    const answer = await ask(server.port, path, { method: route.method, ...(body === undefined ? {} : { body }) })
    assert.equal(answer.status, sample.status)
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    if (route.reply !== null) {
      assert.equal(answer.headers['content-type'], 'application/json')
      assert.deepEqual([...Value.Errors(route.reply, answer.json())], [])
    }
  })

  if (route.method === 'GET') {
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
