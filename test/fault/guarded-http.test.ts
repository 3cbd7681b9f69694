// What trackers need of the guarded client beside the address rules: both families, the chosen local address, and
// connections that died while they were kept.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import { GuardedHttp } from '../../src/io/net/guarded-http.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import type { HttpGet } from '../../src/ports/http-get.ts'
import { loopbackWorld, serve } from './hostile-http.ts'

const order = (url: string): HttpGet => ({ url, maxBytes: 1_000, timeoutMs: 5_000, privateRule: 'tracker-paths' })

test('a local address is the one requests leave from, and its family is the only one used', async () => {
  const server = await serve((request, reply) => void reply.end(request.socket.remoteAddress))
  const http = new GuardedHttp({ userAgent: 'x', localIp: '127.0.0.9' }, loopbackWorld())
  const answer = await http.get(order(server.url('/announce')))
  assert.equal(Buffer.from(answer.body).toString(), '127.0.0.9')
  assert.equal(answer.remoteIp, '127.0.0.1')
  const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'AddressRefused'
  await assert.rejects(http.get(order(`http://[::1]:${server.port}/announce`)), refused)
  await http.close()
  await server.stop()
})

test('a tracker on IPv6', async () => {
  const server = await serve((_, reply) => void reply.end('six'), '::1')
  const http = new GuardedHttp({ userAgent: 'x', localIp: null }, loopbackWorld())
  const answer = await http.get(order(server.url('/announce', '[::1]')))
  assert.equal(Buffer.from(answer.body).toString(), 'six')
  assert.equal(answer.remoteIp, '::1')
  await http.close()
  await server.stop()
})

test('a request that meets a dead connection is sent once more, and only once', async () => {
  let cuts = 1
  const server = await serve((request, reply) => {
    if (cuts-- > 0) request.socket.destroy()
    else reply.end('again')
  })
  const http = new GuardedHttp({ userAgent: 'x', localIp: null }, loopbackWorld())
  assert.equal(Buffer.from((await http.get(order(server.url('/')))).body).toString(), 'again')
  cuts = 2
  await assert.rejects(http.get(order(server.url('/'))), AppError)
  assert.equal(server.requests.length, 4)
  await http.close()
  await server.stop()
})

test('datagrams of both families come with the canonical sender; a closed socket is silent', async () => {
  for (const [family, ip] of [
    [4, '127.0.0.1'],
    [6, '::1'],
  ] as const) {
    const echo = createSocket(family === 4 ? 'udp4' : 'udp6')
    echo.on('message', (bytes, from) => echo.send(bytes, from.port, from.address))
    echo.bind(0, ip)
    await once(echo, 'listening')
    const at = { ip, port: echo.address().port }
    const got: string[] = []
    let arrived: () => void = () => undefined
    const socket = await new DgramNetwork().bind({ family, ip, port: 0 }, (bytes, from) => {
      got.push(`${Buffer.from(bytes).toString()} ${from.ip} ${from.port}`)
      arrived()
    })
    const echoed = new Promise<void>(resolve => {
      arrived = resolve
    })
    socket.send(Buffer.from('ping'), at)
    await echoed
    assert.deepEqual(got, [`ping ${ip} ${at.port}`])
    await socket.close()
    await socket.close()
    socket.send(Buffer.from('late'), at)
    echo.close()
    await once(echo, 'close')
  }
})

test('a taken UDP port and an address that is not here are errors with a code', async () => {
  const first = await new DgramNetwork().bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined)
  const taken = { family: 4, ip: '127.0.0.1', port: first.address.port } as const
  const code = (name: string) => (error: unknown) => error instanceof AppError && error.code === name
  await assert.rejects(
    new DgramNetwork().bind(taken, () => undefined),
    code('PortTaken'),
  )
  const foreign = { family: 4, ip: '203.0.113.1', port: 0 } as const
  await assert.rejects(
    new DgramNetwork().bind(foreign, () => undefined),
    code('SourceFailed'),
  )
  await first.close()
})
