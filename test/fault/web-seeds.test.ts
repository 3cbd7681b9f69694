// A whole engine and hostile web servers: each runs beside an honest one, and the download ends with the right bytes;
// alone, each is given up. Sockets, slots and files are checked for leaks when the engine closes.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { GuardedRanges } from '../../src/io/net/guarded-ranges.ts'
import { NetTcpNetwork } from '../../src/io/net/tcp-net.ts'
import type { TorrentHandle, WebSeedRow } from '../../src/torrent/index.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { waitFor } from '../kit/wait-for.ts'
import { endless, type Handler, type HostileServer, loopbackWorld, serve } from './hostile-http.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const MIB = 1024 * KIB
const torrent = makeTorrent({ length: 6 * MIB + 5, pieceLength: 64 * KIB })
const { content } = torrent
const total = content.length

/** First and last byte that were asked for. */
function asked(request: IncomingMessage): [number, number] {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  return [Number(match?.[1]), Number(match?.[2])]
}

function head(reply: ServerResponse, first: number, last: number, length = last - first + 1): void {
  reply.writeHead(206, { 'content-range': `bytes ${first}-${last}/${total}`, 'content-length': String(length) })
}

const honest: Handler = (request, reply) => {
  const [first, last] = asked(request)
  head(reply, first, last)
  reply.end(content.subarray(first, last + 1))
}

/** The first answers come at the pace of a slow line, so that the other server has its turn. */
const slowly: Handler = (request, reply) => void setTimeout(() => honest(request, reply), 100)

const hostile: Record<string, Handler> = {
  'other bytes': (request, reply) => {
    const [first, last] = asked(request)
    head(reply, first, last)
    reply.end(Buffer.from(content.subarray(first, last + 1)).fill(0x78, 100, 5000))
  },
  'a length that is not the file': (request, reply) => {
    const [first, last] = asked(request)
    reply.writeHead(206, { 'content-range': `bytes ${first}-${last}/${total + 1}` }).end('x'.repeat(100))
  },
  'half of what it announced': (request, reply) => {
    const [first, last] = asked(request)
    head(reply, first, last)
    reply.write(content.subarray(first, first + 1000), () => request.socket.destroy())
  },
  'another range': (request, reply) => {
    const [first, last] = asked(request)
    head(reply, first + 16_384, last + 16_384)
    reply.end(content.subarray(0, last - first + 1))
  },
  'a body without an end': (request, reply) => {
    const [first, last] = asked(request)
    reply.writeHead(206, { 'content-range': `bytes ${first}-${last}/${total}` })
    endless(reply)
  },
  'the whole file and more': (_, reply) => {
    reply.writeHead(200)
    endless(reply)
  },
  'a head without an end': (request, reply) => {
    const drip = setInterval(() => request.socket.write(`x-${Date.now()}: 1\r\n`), 20)
    request.socket.write('HTTP/1.1 206 Partial Content\r\n')
    request.socket.on('close', () => clearInterval(drip))
    reply.on('close', () => clearInterval(drip))
  },
  'a head too long': (request, reply) => {
    const field = `x-long: ${'y'.repeat(60_000)}\r\n`
    request.socket.write(`HTTP/1.1 206 Partial Content\r\n${field}${field}\r\n`)
    reply.on('close', () => undefined)
  },
  'no answer': () => undefined,
  'a byte now and then': (request, reply) => {
    const [first, last] = asked(request)
    head(reply, first, last)
    let at = first
    const drip = setInterval(() => reply.write(content.subarray(at, ++at)), 50)
    reply.on('close', () => clearInterval(drip))
  },
  'silence in the middle': (request, reply) => {
    const [first, last] = asked(request)
    head(reply, first, last)
    reply.write(content.subarray(first, first + 20_000))
  },
  'a circle of redirects': (request, reply) => void reply.writeHead(302, { location: request.url ?? '/' }).end(),
  'a redirect to a private address': (_, reply) =>
    void reply.writeHead(302, { location: 'http://127.0.0.2:9/file.bin' }).end(),
  'a redirect to the address of all': (_, reply) => void reply.writeHead(307, { location: 'http://0.0.0.0/' }).end(),
  'a redirect to a private address in IPv6': (_, reply) =>
    void reply.writeHead(308, { location: 'http://[::ffff:127.0.0.2]:9/' }).end(),
  'a redirect to a file': (_, reply) => void reply.writeHead(301, { location: 'file:///etc/passwd' }).end(),
  'no such file': (_, reply) => void reply.writeHead(404).end(),
  'come back later': (_, reply) => void reply.writeHead(503, { 'retry-after': '3600' }).end(),
  'a server of something else': request => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
}

interface World {
  readonly node: LoopbackNode
  add(...urls: string[]): TorrentHandle
}

async function engine(t: TestContext): Promise<World> {
  const bounds = { headTimeoutMs: 500, idleTimeoutMs: 500, connectTimeoutMs: 500 }
  const webSeeds = new GuardedRanges(
    { userAgent: 'x', localIp: null, ...bounds },
    { ...loopbackWorld(), tcp: new NetTcpNetwork() },
  )
  const node = await new LoopbackNode({ webSeeds }).start()
  t.after(async () => {
    await node.close()
    await webSeeds.close()
  })
  return { node, add: (...urls) => node.add(torrent, { webSeeds: urls }) }
}

async function server(t: TestContext, handler: Handler): Promise<HostileServer> {
  const made = await serve(handler)
  t.after(() => made.stop())
  return made
}

async function assertComes({ node }: World, handle: TorrentHandle): Promise<void> {
  const done = (): boolean => handle.snapshot().status === 'seeding'
  await waitFor('complete', done, 30_000, () => JSON.stringify([handle.snapshot().progress, handle.webSeeds()]))
  const there = await readFile(join(node.folder, 'file.bin'))
  assert.ok(there.equals(content), 'other bytes on disk')
}

for (const [name, handler] of Object.entries(hostile)) {
  test(`${name}: the honest server brings everything`, async t => {
    const bad = await server(t, handler)
    const good = await server(t, slowly)
    const world = await engine(t)
    const handle = world.add(bad.url('/file.bin'), good.url('/file.bin'))
    await waitFor('the bad one is asked', () => bad.requests.length > 0, 10_000)
    await assertComes(world, handle)
    assert.ok(bad.requests.length < 40, `asked ${bad.requests.length} times`)
  })
}

test('alone, each is given up or waits, and costs few requests', async t => {
  const world = await engine(t)
  const servers = await Promise.all(Object.values(hostile).map(handler => server(t, handler)))
  const handle = world.add(...servers.map(({ url }) => url('/file.bin')))
  // One that drips has its 30 s: it is the last one that is still asked.
  const patient = new Set([Object.keys(hostile).indexOf('a byte now and then')])
  const over = (row: WebSeedRow, index: number): boolean =>
    patient.has(index) || row.state === 'off' || row.state === 'waiting'
  await waitFor(
    'given up',
    () => handle.webSeeds().every(over),
    30_000,
    () => JSON.stringify(handle.webSeeds()),
  )
  const states = Object.fromEntries(handle.webSeeds().map((row, index) => [Object.keys(hostile)[index], row.state]))
  for (const name of ['other bytes', 'a redirect to a private address', 'a redirect to a file', 'no such file']) {
    assert.equal(states[name], 'off', name)
  }
  assert.equal(states['come back later'], 'waiting')
  const later = handle.webSeeds()[Object.keys(hostile).indexOf('come back later')]
  assert.ok((later?.retryInMs ?? 0) > 3_500_000)
  for (const [index, { requests }] of servers.entries()) {
    assert.ok(requests.length < 30, `${Object.keys(hostile)[index]}: ${requests.length} requests`)
  }
  await awake(handle).stop()
  await waitFor('no connection is left', () => servers.every(({ connections }) => connections.size === 0), 15_000)
})
