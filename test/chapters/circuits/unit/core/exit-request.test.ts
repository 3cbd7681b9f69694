// What an exit sends by HTTP for strangers: one GET to a port of web servers, nothing else that fits into a connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExitHttp } from '../../../../../src/chapters/circuits/core/exit-http.ts'
import type { EndingCircuit } from '../../../../../src/chapters/circuits/core/ending-circuit.ts'
import { isAskedPort, isOneGet } from '../../../../../src/chapters/circuits/core/exit-request.ts'
import type { TcpNetwork } from '../../../../../src/ports/tcp.ts'
import { PEER_FLAG } from '../../../../../src/chapters/overlay/wire/peer-flags.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const GET = 'GET /announce?info_hash=%01%02&port=1 HTTP/1.1\r\nHost: t.example\r\nUser-Agent: x/1\r\n\r\n'

test('the requests of clients pass: with and without fields, of a range, of HTTP 1.0', () => {
  for (const text of [
    GET,
    'GET / HTTP/1.0\r\n\r\n',
    'GET /a?b=%20 HTTP/1.1\r\nHost: [2001:db8::1]:80\r\nRange: bytes=0-1\r\nAccept-Encoding:\r\n\r\n',
  ])
    assert.ok(isOneGet(bytes(text)), text)
})

test('mail, commands of databases, two requests, bodies, unfinished and odd heads stay here', () => {
  for (const text of [
    'EHLO me\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n\r\nhello\r\n.\r\n',
    'FLUSHALL\r\n',
    '*1\r\n$8\r\nFLUSHALL\r\n\r\n\r\n',
    `${GET}${GET}`,
    `${GET}x`,
    GET.slice(0, -2),
    '',
    '\r\n\r\n',
    GET.replace('GET', 'POST'),
    GET.replace('GET', 'get'),
    GET.replace('HTTP/1.1', 'HTTP/2.0'),
    GET.replace('/announce', 'http://other.example/announce'),
    GET.replace('/announce', '/anno unce'),
    GET.replace('\r\nHost', '\nHost'),
    GET.replace('Host: t.example', 'Host: t.example\nFLUSHALL'),
    GET.replace('Host: t.example', 'Host: t\0'),
    GET.replace('Host:', ' Host:'),
    GET.replace('User-Agent: x/1', 'Content-Length: 5'),
    GET.replace('User-Agent: x/1', 'transfer-encoding: chunked'),
    GET.replace('User-Agent: x/1', 'Upgrade: websocket'),
    GET.replace('x/1', 'x'.repeat(17_000)),
  ])
    assert.ok(!isOneGet(bytes(text)), text.slice(0, 60))
})

test('ports: 80, 443, and from 1024 up what is not on the list', () => {
  const refused = new Set([6379])
  for (const port of [80, 443, 1024, 6969, 8080, 65_535]) assert.ok(isAskedPort(port, refused), String(port))
  for (const port of [0, 22, 25, 110, 465, 587, 1023, 6379, 65_536])
    assert.ok(!isAskedPort(port, refused), String(port))
})

/** An exit on a network that notes whom it connects to. */
function exitThat() {
  const asked: string[] = []
  const counts = { up: 0, down: 0, refused: 0 }
  const stream = { write: () => true, destroy: () => undefined }
  const tcp = {
    connect: (to: { ip: string; port: number }) => {
      asked.push(`${to.ip}:${to.port}`)
      return stream
    },
  } as unknown as TcpNetwork
  const resolver = { resolve: (ip: string) => Promise.resolve([{ ip, family: 4, class: 'public' } as const]) }
  const http = new ExitHttp({
    clock: new VirtualClock(),
    tcp,
    resolver,
    counts,
    flags: () => PEER_FLAG.exitHttp,
    mayReach: () => true,
    refusedPorts: new Set([9200]),
  })
  const circuit = { gone: false, onEnd: () => undefined } as unknown as EndingCircuit
  const ask = async (port: number, text: string): Promise<void> => {
    http.request(circuit, { identifier: 1, target: { ip: '9.9.9.9', port }, request: bytes(text) })
    await new Promise(resolve => setImmediate(resolve))
  }
  return { asked, counts, ask }
}

test('an exit connects for such a request alone', async () => {
  const { asked, counts, ask } = exitThat()
  await ask(25, GET)
  await ask(9200, GET)
  await ask(6969, 'FLUSHALL\r\n')
  assert.deepEqual([asked, counts.refused, counts.up], [[], 3, 0])
  await ask(6969, GET)
  await ask(80, GET)
  assert.deepEqual(asked, ['9.9.9.9:6969', '9.9.9.9:80'])
  assert.equal(counts.refused, 3)
})
