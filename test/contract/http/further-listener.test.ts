// Listeners beside those of the interface: who is answered, with what, and that files go as those of /stream do.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { FurtherAnswer, FurtherRequest, FurtherService } from '../../../src/http/further-listener.ts'
import { StreamedFile } from '../../../src/http/stream-plan.ts'
import type { StreamableFile } from '../../../src/services/api.ts'
import { type Answer, ask, KEY, type Running, startServer, until } from './harness.ts'
import { HASH } from './service-double.ts'

const content = randomBytes(1_000_003)

/** Answers what a test wants, and notes what it was asked. */
class NotingService implements FurtherService {
  readonly headers = ['callback', 'soapaction']
  readonly maxBodyBytes = 1000
  readonly maxConnections = 4
  admitted = true
  heard = true
  readonly seen: { ip: string; host: string }[] = []
  readonly requests: FurtherRequest[] = []
  ended = 0
  file: StreamableFile | null = null

  hears(ip: string): boolean {
    return this.heard && ip === '127.0.0.1'
  }

  admits(ip: string, host: string): boolean {
    this.seen.push({ ip, host })
    return this.admitted
  }

  answer(request: FurtherRequest): FurtherAnswer {
    this.requests.push(request)
    if (request.path === '/wrong') throw new AppError('NotFound')
    if (request.path.startsWith('/bug')) throw new Error('a bug')
    if (request.path === '/film' && this.file !== null) {
      const { size } = this.file
      const shown = new StreamedFile({ size, tag: 'own', contentType: 'video/x-matroska' }, [['X-More', 'yes']])
      return { kind: 'stream', file: this.file, shown, ended: () => (this.ended += 1) }
    }
    return {
      kind: 'bytes',
      status: 207,
      contentType: 'text/x',
      parts: [Buffer.from('ab'), Buffer.from('c')],
      headers: [['X-Own', 'a']],
    }
  }
}

let server: Running
let port = 0
let service: NotingService
before(async () => {
  server = await startServer()
})
after(() => server.stop())
beforeEach(async () => {
  service = new NotingService()
  server.double.content = content
  server.double.makeAvailable(Number.POSITIVE_INFINITY)
  const file = server.double.downloads.streamable(HASH, '0', { signal: new AbortController().signal })
  service.file = await file
  port = (await server.listening.listenFor({ host: '127.0.0.1', port: 0 }, service)).port
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  ask(port, path, { key: false, headers, method })

test('requests come as they were sent, whatever their method, with the headers that were named', async () => {
  const answer = await get('/a/b%20c?d=e', { Callback: '<x>', Other: 'y' }, 'SUBSCRIBE')
  assert.deepEqual([answer.status, answer.body.toString(), answer.headers['x-own']], [207, 'abc', 'a'])
  const [request] = service.requests as [FurtherRequest]
  assert.deepEqual([request.method, request.path, request.remoteIp], ['SUBSCRIBE', '/a/b%20c', '127.0.0.1'])
  assert.deepEqual([request.header('callback'), request.header('other')], ['<x>', ''])
  assert.deepEqual(service.seen, [{ ip: '127.0.0.1', host: `127.0.0.1:${port}` }])
})

test('bodies are bounded', async () => {
  const small = await ask(port, '/', { method: 'POST', key: false, body: 'x'.repeat(1000) })
  assert.equal(small.status, 207)
  assert.equal(service.requests[0]?.body.length, 1000)
  assert.equal((await ask(port, '/', { method: 'POST', key: false, body: 'x'.repeat(1001) })).status, 413)
})

test('who is not admitted gets not a byte', async () => {
  service.admitted = false
  for (const path of ['/', '/film']) await assert.rejects(get(path), { code: 'ECONNRESET' })
  assert.equal(service.requests.length, 0)
})

test('failures are answered, and bugs reported', async () => {
  assert.equal((await get('/wrong')).status, 404)
  const before = server.exceptions.length
  assert.equal((await get('/bug')).status, 500)
  assert.equal(server.exceptions.length, before + 1)
})

test('of the path of a request that met a bug only the first part is logged: a key may follow', async () => {
  assert.equal((await get('/bug/device/k-e-y/film.mkv')).status, 500)
  const line = server.log.lines.find(text => text.includes('/bug"'))
  assert.ok(line !== undefined)
  assert.ok(!server.log.lines.some(text => text.includes('k-e-y')))
})

test('files go whole, in ranges and as heads, with what the service says of them', async () => {
  const whole = await get('/film')
  assert.equal(whole.status, 200)
  assert.ok(whole.body.equals(content))
  const { headers } = whole
  assert.deepEqual([headers['content-type'], headers['etag'], headers['x-more']], ['video/x-matroska', '"own"', 'yes'])
  assert.equal(headers['transfermode.dlna.org'], 'Streaming')
  const part = await get('/film', { Range: 'bytes=1000-1999' })
  assert.deepEqual([part.status, part.headers['content-range']], [206, `bytes 1000-1999/${content.length}`])
  assert.ok(part.body.equals(content.subarray(1000, 2000)))
  const head = await get('/film', {}, 'HEAD')
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, String(content.length), 0])
  assert.equal((await get('/film', { Range: `bytes=${content.length}-` })).status, 416)
  await until(() => service.ended === 4)
})

test('a file that is still missing is waited for, and its answer can be cut', async () => {
  server.double.makeAvailable(300_000)
  let got = 0
  const closed = new Promise<void>(resolve => {
    const request = httpRequest({ host: '127.0.0.1', port, path: '/film', agent: false }, answer => {
      answer.on('data', (chunk: Buffer) => (got += chunk.length))
      answer.on('error', () => undefined)
      answer.on('close', resolve)
    })
    request.on('error', () => undefined)
    request.end()
  })
  await until(() => got === 300_000)
  service.requests[0]?.cut()
  await closed
  await until(() => service.ended === 1)
})

test('connections are bounded, for this listener alone', async () => {
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))))
  const late = connect(port, '127.0.0.1')
  late.on('error', () => undefined)
  await new Promise(resolve => late.once('close', resolve))
  assert.ok(
    sockets.every(socket => !socket.destroyed),
    'those that were there stay',
  )
  assert.equal((await ask(server.port, '/state', { headers: { 'X-Api-Key': KEY } })).status, 200)
  for (const socket of sockets) socket.destroy()
})

test('who is not heard is closed before a word of it, and takes no place of others', async () => {
  service.heard = false
  const begun = performance.now()
  const sockets = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await until(() => sockets.every(socket => socket.closed))
  // The native server closes silent ones after ten seconds by itself.
  assert.ok(performance.now() - begun < 5000)
  service.heard = true
  assert.equal((await get('/')).status, 207)
})

test('a closed listener answers nobody; one on a taken port is refused', async () => {
  const another = new NotingService()
  const listener = await server.listening.listenFor({ host: '127.0.0.1', port: 0 }, another)
  await assert.rejects(server.listening.listenFor({ host: '127.0.0.1', port: listener.port }, another), {
    code: 'PortTaken',
  })
  assert.equal((await ask(listener.port, '/', { key: false })).status, 207)
  listener.close()
  listener.close()
  await assert.rejects(ask(listener.port, '/', { key: false }), { code: 'ECONNREFUSED' })
})

test('a port that was free is listened at again at once, though a connection was open at the end', async () => {
  const first = await server.listening.listenFor({ host: '127.0.0.1', port: 0 }, new NotingService())
  const client = connect(first.port, '127.0.0.1')
  client.on('error', () => undefined)
  const ended = new Promise(resolve => client.once('close', resolve))
  await new Promise(resolve => client.once('connect', resolve))
  assert.equal((await ask(first.port, '/', { key: false })).status, 207)
  first.close()
  await ended
  const again = await server.listening.listenFor({ host: '127.0.0.1', port: first.port }, new NotingService())
  assert.equal((await ask(again.port, '/', { key: false })).status, 207)
  again.close()
})

test('listeners end with the server, and none is opened after it', async () => {
  const own = await startServer()
  const { port: further } = await own.listening.listenFor({ host: '127.0.0.1', port: 0 }, new NotingService())
  await own.stop()
  await assert.rejects(ask(further, '/', { key: false }), { code: 'ECONNREFUSED' })
  await assert.rejects(own.listening.listenFor({ host: '127.0.0.1', port: 0 }, new NotingService()), {
    code: 'NotReady',
  })
})
