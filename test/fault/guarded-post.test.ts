// POSTs of webhooks: what arrives, which addresses are never connected to, and servers that misbehave.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../src/base/errors.ts'
import { GuardedPost } from '../../src/io/net/guarded-post.ts'
import type { HttpPost } from '../../src/ports/http-post.ts'
import { endless, loopbackWorld, serve } from './hostile-http.ts'

const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code
const order = (url: string, more: Partial<HttpPost> = {}): HttpPost => ({
  url,
  headers: { 'content-type': 'application/json', 'x-test': 'yes' },
  body: Buffer.from('{"ä":1}'),
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  ...more,
})
const poster = (): GuardedPost => new GuardedPost({ userAgent: 'x', localIp: null }, loopbackWorld())

test('body, headers and credentials arrive; the status comes back', async () => {
  const bodies: string[] = []
  const server = await serve((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      reply.statusCode = 202
      reply.end('thanks')
    })
  })
  const http = poster()
  const url = `http://user:p%40ss@127.0.0.1:${server.port}/hook?a=1`
  assert.equal(await http.post(order(url)), 202)
  assert.equal(await http.post(order(url)), 202)
  assert.deepEqual(bodies, ['{"ä":1}', '{"ä":1}'])
  const [request] = server.requests
  assert.equal(request?.method, 'POST')
  assert.equal(request?.url, '/hook?a=1')
  assert.equal(request?.headers['x-test'], 'yes')
  assert.equal(request?.headers['content-length'], '8')
  assert.equal(request?.headers.authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  assert.equal(server.opened, 1, 'the connection is kept')
  await http.close()
  await server.stop()
})

test('private and refused addresses are not even connected to, however they are named', async () => {
  const server = await serve((_, reply) => void reply.end(), '127.0.0.2')
  const http = poster()
  for (const host of ['127.0.0.2', 'priv.test', '[::ffff:127.0.0.2]', '0.0.0.0', '224.0.0.1', '10.1.2.3']) {
    await assert.rejects(http.post(order(`http://${host}:${server.port}/`)), refuses('AddressRefused'), host)
  }
  assert.equal(server.opened, 0)
  await assert.rejects(http.post(order('ftp://127.0.0.1/')), refuses('BadScheme'))
  await assert.rejects(http.post(order('nonsense')), refuses('SourceFailed'))
  await http.close()
  await server.stop()
})

test('a redirect is an answer and is not followed', async () => {
  const server = await serve((_, reply) => {
    reply.writeHead(307, { location: 'http://127.0.0.2/' })
    reply.end()
  })
  const http = poster()
  assert.equal(await http.post(order(server.url('/'))), 307)
  assert.equal(server.requests.length, 1)
  await http.close()
  await server.stop()
})

test('silence ends by time, an endless answer is cut, a refused connection and an abort are errors', async () => {
  const silent = await serve(() => undefined)
  const long = await serve((_, reply) => endless(reply))
  const http = poster()
  await assert.rejects(http.post(order(silent.url('/'), { timeoutMs: 300 })), refuses('SourceFailed'))
  assert.equal(await http.post(order(long.url('/'))), 200)
  const abort = new AbortController()
  const asked = http.post(order(silent.url('/'), { signal: abort.signal }))
  abort.abort()
  await assert.rejects(asked, refuses('Aborted'))
  const { port } = silent
  await Promise.all([silent.stop(), long.stop()])
  await assert.rejects(http.post(order(`http://127.0.0.1:${port}/`)), refuses('SourceFailed'))
  await http.close()
})
