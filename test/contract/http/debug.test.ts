// The debug routes over a real socket: their parameters are checked, the dump goes out as an attachment and is let go
// of whatever the client does.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { KEY, type Running, ask, envelope, startServer, until } from './harness.ts'

let server: Running
before(async () => {
  server = await startServer({}, 4)
})
after(() => server.stop())
beforeEach(() => {
  server.double.failure = null
  server.double.calls.length = 0
})

test('the log takes core and gui and up to 10,000 lines, nothing else', async () => {
  const get = (query: string) => ask(server.port, `/debug/log?${query}`)
  assert.deepEqual((await get('process=core&max_lines=7')).json(), { content: 'a line\n', max_lines: 7 })
  assert.deepEqual((await get('process=gui&max_lines=')).json(), { content: 'a line\n', max_lines: 100 })
  assert.deepEqual((await get('')).json(), { content: 'a line\n', max_lines: 100 })
  assert.deepEqual(server.double.calls, [
    ['log', 'core', 7],
    ['log', 'gui', 100],
    ['log', 'core', 100],
  ])
  const wrong = ['process=../../etc/passwd', 'process=core%00', 'process=core/../gui', 'process=CORE', 'max_lines=0']
  for (const query of [...wrong, 'max_lines=10001', 'max_lines=-1', 'max_lines=x', 'max_lines=1.5', 'max_lines=1e3']) {
    const answer = await get(query)
    assert.equal(answer.status, 400, query)
    assert.equal(envelope(answer).code, 'InvalidParameter')
  }
  assert.equal(server.double.calls.length, 3)
})

test('the memory dump is an attachment, whole and in order', async () => {
  const content = Buffer.alloc(3_000_000)
  for (let at = 0; at < content.length; at += 4) content.writeUInt32LE(at, at)
  server.double.content = content
  const answer = await ask(server.port, '/debug/memory/dump', { headers: { Range: 'bytes=0-9' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="tributary.heapsnapshot"')
  assert.ok(answer.body.equals(content))
  assert.equal(server.double.openReaders, 0)
  assert.equal(server.arena.freeCount, server.arena.slotCount)
})

test('HEAD of the memory dump makes none', async () => {
  const answer = await ask(server.port, '/debug/memory/dump', { method: 'HEAD' })
  assert.equal(answer.status, 200)
  assert.deepEqual(server.double.calls, [])
})

test('a dump that cannot be made is an error, not half an answer', async () => {
  server.double.failure = new AppError('DiskFull')
  const answer = await ask(server.port, '/debug/memory/dump')
  assert.equal(answer.status, 500)
  assert.equal(envelope(answer).code, 'DiskFull')
})

test('a client that does not read holds little, and one that goes frees the dump', async () => {
  server.double.content = Buffer.alloc(64 * 1024 * 1024)
  const reads = server.double.reads
  const client = connect(server.port, '127.0.0.1')
  client.write(`GET /debug/memory/dump HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  client.pause()
  await until(() => server.double.reads > reads && server.arena.freeCount === server.arena.slotCount)
  let before = -1
  // Until it stands still: the buffers of the system are full.
  await until(() => {
    const same = before === server.double.reads
    before = server.double.reads
    return same
  })
  assert.ok((server.double.reads - reads) * 256 * 1024 < server.double.content.length / 2, 'it waits for its client')
  assert.equal(server.double.openReaders, 1)
  client.destroy()
  await until(() => server.double.openReaders === 0)
})

test('a client that goes while the dump is made leaves none behind', async () => {
  let made: () => void = () => undefined
  server.double.dumpMade = new Promise(resolve => {
    made = resolve
  })
  const readers = server.double.readers.length
  const { reads } = server.double
  const client = connect(server.port, '127.0.0.1')
  client.write(`GET /debug/memory/dump HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await until(() => server.double.calls.length > 0)
  client.destroy()
  // The server has seen it go when it has answered another one that came later.
  await ask(server.port, '/state')
  made()
  await until(() => server.double.readers.length > readers)
  assert.equal(server.double.openReaders, 0)
  assert.equal(server.double.reads, reads)
})

test('the profiler', async () => {
  const call = (method: string) => ask(server.port, '/debug/profiler', { method })
  assert.deepEqual((await call('PUT')).json(), { success: true })
  assert.deepEqual((await call('DELETE')).json(), { success: true, profiler_file: '/srv/state/x.cpuprofile' })
  server.double.failure = new AppError('StateConflict')
  for (const method of ['PUT', 'DELETE']) assert.equal((await call(method)).status, 409)
})
