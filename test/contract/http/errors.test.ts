// Failures: every one is the envelope of spec part 7 with the status of the table, and the server lives on.

import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { AppError, type ErrorCode, errorTable } from '../../../src/base/errors.ts'
import { type Running, ask, envelope, startServer, until } from './harness.ts'
import { HASH } from './service-double.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

for (const code of Object.keys(errorTable) as ErrorCode[]) {
  test(`${code} thrown by a service keeps its code and status`, async () => {
    server.double.failure = new AppError(code, `about ${code}`)
    const answer = await ask(server.port, '/downloads', { method: 'PUT', body: 'uri=magnet' })
    server.double.failure = null
    assert.equal(answer.status, errorTable[code].status)
    assert.deepEqual(envelope(answer), { handled: true, code, message: `about ${code}` })
    assert.equal(answer.headers['retry-after'] !== undefined, answer.status === 503)
    assert.equal(server.exceptions.length, 0)
  })
}

test('an unexpected error is 500, unhandled, without its stack, and is reported', async () => {
  const bug = new RangeError('it broke\n    at somewhere (file.js:1:1)')
  for (const path of ['/state', '/torrentinfo?torrent=x', '/events', `/downloads/${HASH}/stream/0`]) {
    server.double.failure = bug
    const answer = await ask(server.port, path)
    server.double.failure = null
    assert.equal(answer.status, 500, path)
    assert.deepEqual(envelope(answer), { handled: false, code: 'RangeError', message: 'it broke' })
    assert.equal(server.exceptions.splice(0)[0], bug)
    assert.match(server.log.lines.splice(0).join(), /at somewhere/)
  }
})

test('what is thrown need not be an error', async () => {
  for (const thrown of ['text', undefined, { name: 5 }, Object.assign(new Error(''), { name: 'a b' })]) {
    server.double.failure = thrown ?? 0
    const answer = await ask(server.port, '/state')
    server.double.failure = null
    assert.equal(answer.status, 500)
    assert.equal(envelope(answer).code, 'Error')
  }
  server.exceptions.length = 0
})

test('unknown paths are 404, other methods 405 with Allow', async () => {
  for (const path of [
    '/nothing',
    '/dashboard',
    '/downloads/',
    '//downloads',
    '/downloads/%zz/files',
    '/state/x',
    '/docs/a/b',
  ]) {
    const answer = await ask(server.port, path)
    assert.equal(answer.status, 404, path)
    assert.equal(envelope(answer).handled, true)
  }
  const wrong = await ask(server.port, '/downloads', { method: 'DELETE' })
  assert.equal(wrong.status, 405)
  assert.equal(envelope(wrong).code, 'MethodNotAllowed')
  assert.equal(wrong.headers.allow, 'GET, HEAD, POST, PUT')
  assert.equal(
    (await ask(server.port, `/downloads/${HASH}`, { method: 'PUT' })).headers.allow,
    'DELETE, GET, HEAD, PATCH',
  )
})

test('an infohash that is not hexadecimal is an unknown one', async () => {
  for (const hash of ['x', 'g'.repeat(40), HASH.slice(1), `${HASH}00`]) {
    const answer = await ask(server.port, `/downloads/${hash}/files`)
    assert.equal(answer.status, 404)
    assert.equal(envelope(answer).code, 'DownloadNotFound')
  }
  assert.equal(server.double.calls.filter(call => call[0] === 'files').length, 0)
})

test('HEAD of an error tells its status without a body', async () => {
  const answer = await ask(server.port, '/nothing', { method: 'HEAD' })
  assert.equal(answer.status, 404)
  assert.equal(answer.body.length, 0)
})

test('a body over its limit is 413, and the connection can be used again', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const [method, path, bytes, fitting] of [
    ['POST', '/settings', 1024 * 1024, 200],
    ['PUT', '/downloads', 16 * 1024 * 1024, 400],
  ] as const) {
    const fits = await ask(server.port, path, { method, body: Buffer.alloc(bytes, 0x20), agent })
    assert.equal(fits.status, fitting, path)
    const tooMuch = await ask(server.port, path, { method, body: Buffer.alloc(bytes + 1, 0x20), agent })
    assert.equal(tooMuch.status, 413, path)
    assert.equal(envelope(tooMuch).code, 'BodyTooLarge')
    assert.equal((await ask(server.port, '/state', { agent })).status, 200)
  }
  agent.destroy()
})

test('a refused upload does not disturb the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = Buffer.alloc(4 * 1024 * 1024, 0x61)
  assert.equal((await ask(server.port, '/settings', { method: 'POST', body, agent, key: false })).status, 401)
  assert.equal((await ask(server.port, '/state', { agent })).status, 200)
  agent.destroy()
})

test('a magnet of 60 KB in a path is read, not refused by the native limit', async () => {
  const answer = await ask(server.port, `/torrentinfo?torrent=${'a'.repeat(60_000)}`)
  assert.equal(answer.status, 200)
})

test('garbage on the wire does not end the server', async () => {
  for (const bytes of [
    '\x16\x03\x01\x02\x00\x01',
    'GET / HTTP/1.1\r\n\r\n',
    'PUT /downloads HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  ]) {
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.end(Buffer.from(bytes, 'latin1'))
    await new Promise(resolve => socket.once('close', resolve).resume())
  }
  assert.equal((await ask(server.port, '/state')).status, 200)
})

test('a second server on the same port is refused with PortTaken', async () => {
  await assert.rejects(startServer({ port: server.port }), (error: AppError) => error.code === 'PortTaken')
})

test('stop lets an answer under way finish and refuses what comes after', async () => {
  const own = await startServer()
  const finishers: (() => void)[] = []
  own.double.torrentInfo.read = () =>
    new Promise(resolve => {
      finishers.push(() => resolve({ metainfo: [Buffer.from('{}')], infohash: HASH, download_exists: true }))
    })
  const agent = new Agent({ keepAlive: true })
  await ask(own.port, '/state', { agent })
  const answer = ask(own.port, '/torrentinfo?torrent=x')
  await until(() => finishers.length === 1)
  const stopped = own.stop(5000)
  const late = await ask(own.port, '/state', { agent })
  assert.equal(late.status, 503)
  finishers[0]?.()
  assert.equal((await answer).status, 200)
  await stopped
  agent.destroy()
  await assert.rejects(ask(own.port, '/state'))
})
