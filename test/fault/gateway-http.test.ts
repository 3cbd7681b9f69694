// HTTP to gateways: only the address that was named, no redirect followed, bounded in time and bytes, given up at once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import { GatewayHttpClient } from '../../src/io/net/gateway-http-client.ts'
import type { GatewayRequest } from '../../src/ports/gateway-http.ts'
import { endless, type HostileServer, serve } from './hostile-http.ts'

const http = new GatewayHttpClient()
let server: HostileServer

before(async () => {
  server = await serve((request, reply) => {
    if (request.url === '/echo') return void request.pipe(reply)
    if (request.url === '/moved') return void reply.writeHead(302, { location: '/echo' }).end('moved')
    if (request.url === '/flood') return endless(reply)
    if (request.url === '/cut') return void request.socket.destroy()
    // '/silent': nothing is ever sent.
  })
})

after(() => server.stop())

function order(path: string, more: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    method: 'GET',
    url: server.url(path),
    ip: '127.0.0.1',
    localIp: '127.0.0.1',
    maxBytes: 1000,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    ...more,
  }
}

const code = (name: string) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, name)
  return true
}

test('a body goes and comes', async () => {
  const answer = await http.send(order('/echo', { method: 'POST', body: 'grüße', headers: { 'x-test': 'yes' } }))
  assert.deepEqual(answer, { status: 200, body: 'grüße' })
  assert.equal(server.requests.at(-1)?.headers['x-test'], 'yes')
})

test('redirects are answers, not ways', async () => {
  const before = server.requests.length
  assert.deepEqual(await http.send(order('/moved')), { status: 302, body: 'moved' })
  assert.equal(server.requests.length - before, 1)
})

test('another host, a name, or another scheme is refused', async () => {
  const before = server.requests.length
  for (const url of [
    `http://127.0.0.2:${server.port}/echo`,
    `http://localhost:${server.port}/echo`,
    `https://127.0.0.1:${server.port}/echo`,
    'file:///etc/passwd',
    'nonsense',
  ])
    await assert.rejects(http.send(order('/echo', { url })), code('AddressRefused'), url)
  await assert.rejects(http.send(order('/echo', { ip: '127.0.0.2' })), code('AddressRefused'))
  assert.equal(server.requests.length, before)
})

test('servers that flood, hang or cut', async () => {
  await assert.rejects(http.send(order('/flood')), code('SourceFailed'))
  await assert.rejects(http.send(order('/silent', { timeoutMs: 100 })), code('SourceFailed'))
  await assert.rejects(http.send(order('/cut')), code('SourceFailed'))
})

test('given up: before and while it waits', async () => {
  await assert.rejects(http.send(order('/silent', { signal: AbortSignal.abort() })), code('Aborted'))
  const abort = new AbortController()
  const waiting = assert.rejects(http.send(order('/silent', { signal: abort.signal })), code('Aborted'))
  abort.abort()
  await waiting
})
