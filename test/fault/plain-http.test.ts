// Ranges over the engine's own sockets: the bytes, kept connections, back-pressure to the last byte, and servers that
// speak HTTP badly. What is asked through those sockets is counted, so that nothing passes by node:http instead.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FailedStream } from '../../src/io/net/failed-stream.ts'
import { GuardedRanges } from '../../src/io/net/guarded-ranges.ts'
import { NetTcpNetwork } from '../../src/io/net/tcp-net.ts'
import type { RangeOutcome, RangeSink } from '../../src/ports/http-ranges.ts'
import type { TcpNetwork } from '../../src/ports/tcp.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { waitFor } from '../kit/wait-for.ts'
import { loopbackWorld, serveRaw } from './hostile-http.ts'

const FILE = seededBytes(3_000_000, 5)
const never = new AbortController().signal

interface World {
  /** Connections on the engine's sockets. */
  connects: number
  /** Requests the server got. */
  requests: number
  /** Connections of the server. */
  readonly sockets: Socket[]
  get(offset: number, length: number, sink?: RangeSink, signal?: AbortSignal): Promise<RangeOutcome>
  fetch(offset: number, length: number): Promise<{ bytes: Buffer; outcome: RangeOutcome }>
}

/** A client and a server that answers each request by `answer` with the range asked for. */
async function world(t: TestContext, answer: (socket: Socket, first: number, last: number) => void): Promise<World> {
  const net = new NetTcpNetwork()
  const tcp: TcpNetwork = {
    connect: (...of) => {
      made.connects++
      return net.connect(...of)
    },
    listen: (...of) => net.listen(...of),
  }
  const ranges = new GuardedRanges(
    { userAgent: 'x', localIp: null, headTimeoutMs: 500, idleTimeoutMs: 500 },
    { ...loopbackWorld(), tcp },
  )
  const server = await serveRaw(socket => {
    made.sockets.push(socket)
    socket.on('data', data => {
      const match = /^range: bytes=(\d+)-(\d+)\r$/im.exec(data.toString('latin1'))
      made.requests++
      answer(socket, Number(match?.[1]), Number(match?.[2]))
    })
  })
  t.after(async () => {
    await ranges.close()
    await server.stop()
  })
  const url = `http://127.0.0.1:${server.port}/file`
  const get: World['get'] = (offset, length, sink = () => undefined, signal = never) =>
    ranges.get(url, { offset, length, total: FILE.length }, sink, signal)
  const made: World = {
    connects: 0,
    requests: 0,
    sockets: [],
    get,
    async fetch(offset, length) {
      const chunks: Buffer[] = []
      const outcome = await get(offset, length, chunk => {
        chunks.push(Buffer.from(chunk))
        return undefined
      })
      return { bytes: Buffer.concat(chunks), outcome }
    },
  }
  return made
}

function head(first: number, last: number, more = ''): string {
  const length = more.includes('ransfer') ? '' : `Content-Length: ${last - first + 1}\r\n`
  return `HTTP/1.1 206 OK\r\n${length}Content-Range: bytes ${first}-${last}/${FILE.length}\r\n${more}\r\n`
}

function honest(socket: Socket, first: number, last: number): void {
  socket.write(head(first, last))
  socket.write(FILE.subarray(first, last + 1))
}

test('ranges of all lengths over one kept connection, a head in pieces too', async t => {
  const here = await world(t, (socket, first, last) => {
    if (first !== 77) return honest(socket, first, last)
    const bytes = Buffer.concat([Buffer.from(head(first, last)), FILE.subarray(first, last + 1)])
    const drip = (at: number): void => {
      if (at < bytes.length) socket.write(bytes.subarray(at, at + 40), () => setImmediate(drip, at + 40))
    }
    drip(0)
  })
  for (const [offset, length] of [
    [0, FILE.length],
    [77, 300],
    [FILE.length - 1, 1],
    [100, 1_000_000],
  ] as const) {
    const { bytes, outcome } = await here.fetch(offset, length)
    assert.deepEqual(outcome, { kind: 'done' })
    assert.ok(bytes.equals(FILE.subarray(offset, offset + length)))
  }
  assert.deepEqual([here.connects, here.requests, here.sockets.length], [1, 4, 1])
})

test('a range has not ended before the sink is ready for more', async t => {
  const here = await world(t, honest)
  let go: (() => void) | null = null
  let got = 0
  let over = false
  const done = here
    .get(0, 500_000, chunk => {
      assert.equal(go, null, 'bytes while the sink waits')
      got += chunk.length
      return new Promise(resolve => {
        go = () => {
          go = null
          resolve()
        }
      })
    })
    .finally(() => {
      over = true
    })
  await waitFor('all bytes', () => {
    if (got < 500_000) go?.()
    return got === 500_000
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(over, false)
  ;(go as (() => void) | null)?.()
  assert.deepEqual(await done, { kind: 'done' })
  assert.equal(here.connects, 1)
})

test('a kept connection that died is replaced', async t => {
  const here = await world(t, honest)
  assert.equal((await here.get(0, 1000)).kind, 'done')
  const [first] = here.sockets as [Socket]
  first.removeAllListeners('data').once('data', () => first.destroy())
  assert.equal((await here.get(0, 1000)).kind, 'done')
  assert.deepEqual([here.connects, here.sockets.length], [2, 2])
})

test('bytes behind the body are not taken for the next answer', async t => {
  const here = await world(t, (socket, first, last) => {
    honest(socket, first, last)
    socket.write('HTTP/1.1 404 Not Found\r\n\r\n')
  })
  for (let turn = 0; turn < 3; turn++) assert.equal((await here.fetch(0, 1000)).outcome.kind, 'done')
  assert.equal(here.connects, here.sockets.length)
})

test('an address that cannot be connected to is left to node:http, which tries the others of the name', async t => {
  const failing: TcpNetwork = {
    connect: (remote, _, handlers) => {
      connects++
      return new FailedStream(remote, new Error('no way'), handlers)
    },
    listen: () => Promise.reject(new Error('never')),
  }
  let connects = 0
  const server = await serveRaw(socket => socket.on('data', () => honest(socket, 0, 999)))
  const ranges = new GuardedRanges({ userAgent: 'x', localIp: null }, { ...loopbackWorld(), tcp: failing })
  t.after(async () => {
    await ranges.close()
    await server.stop()
  })
  const range = { offset: 0, length: 1000, total: FILE.length }
  const url = `http://127.0.0.1:${server.port}/file`
  for (let turn = 0; turn < 2; turn++) {
    assert.deepEqual(await ranges.get(url, range, () => undefined, never), { kind: 'done' })
  }
  assert.equal(connects, 1)
})

test('bodies in chunks are asked for by node:http, and it is remembered', async t => {
  const here = await world(t, (socket, first, last) => {
    socket.write(head(first, last, 'Transfer-Encoding: chunked\r\n'))
    const part = FILE.subarray(first, last + 1)
    socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n0\r\n\r\n')]))
  })
  for (let turn = 0; turn < 3; turn++) {
    const { bytes, outcome } = await here.fetch(500, 2000)
    assert.deepEqual(outcome, { kind: 'done' })
    assert.ok(bytes.equals(FILE.subarray(500, 2500)))
  }
  assert.deepEqual([here.connects, here.requests], [1, 4])
})

const bad: Record<string, readonly [kind: string, answer: (socket: Socket, first: number, last: number) => void]> = {
  'another protocol': ['failed', socket => void socket.write('SSH-2.0-x\r\n\r\n')],
  'two lengths': ['failed', (socket, first, last) => void socket.write(head(first, last, 'content-length: 9\r\n'))],
  'no such file': ['missing', socket => void socket.write('HTTP/1.1 404 x\r\n\r\n')],
  'come later': ['busy', socket => void socket.write('HTTP/1.1 503 x\r\nretry-after: 5\r\n\r\n')],
  'a body cut short': ['failed', (socket, first, last) => void socket.end(head(first, last) + 'x'.repeat(10))],
  'no bytes': ['failed', (socket, first, last) => void socket.write(head(first, last))],
  'an end at once': ['failed', socket => socket.destroy()],
}

test('a head that is too long is not waited for, and one that is given up closes its connection', async t => {
  const here = await world(t, (socket, first) => {
    if (first === 0) socket.write(`HTTP/1.1 206 OK\r\nx: ${'y'.repeat(20_000)}`)
  })
  const outcome = await here.get(0, 1000)
  assert.equal(outcome.kind === 'done' ? '' : outcome.text, 'the head of the answer is too long')
  const abort = new AbortController()
  const silent = here.get(1, 1000, undefined, abort.signal)
  await waitFor('the request', () => here.requests === 2)
  abort.abort()
  assert.equal((await silent).kind, 'aborted')
  await waitFor('it is closed', () => here.sockets.every(socket => socket.destroyed))
})

for (const [name, [kind, answer]] of Object.entries(bad)) {
  test(`${name}: ${kind}, and the connection is closed`, async t => {
    const here = await world(t, answer)
    assert.equal((await here.get(0, 1000)).kind, kind)
    await waitFor('it is closed', () => here.sockets.every(socket => socket.destroyed || socket.readableEnded))
    assert.deepEqual([here.connects, here.sockets.length], [1, 1])
  })
}

test('what is given up closes its connection at once', async t => {
  const here = await world(t, honest)
  const abort = new AbortController()
  let calls = 0
  const sink: RangeSink = () => {
    calls++
    abort.abort()
    return undefined
  }
  assert.equal((await here.get(0, FILE.length, sink, abort.signal)).kind, 'aborted')
  const [socket] = here.sockets as [Socket]
  await waitFor('it is closed', () => socket.destroyed)
  assert.deepEqual([calls, here.connects], [1, 1])
})
