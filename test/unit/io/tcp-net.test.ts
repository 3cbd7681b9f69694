// NetTcpNetwork over real loopback sockets.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import type { TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'

const OPTIONS = { localIp: null, timeoutMs: 5000 }

interface Recorder extends TcpStreamHandlers {
  readonly chunks: Buffer[]
  readonly closed: Promise<Error | null>
  readonly opened: Promise<void>
  closes: number
  onData: ((chunk: Uint8Array) => void) | null
}

function recorder(): Recorder {
  let close: (error: Error | null) => void = () => {}
  let opened: () => void = () => {}
  const it: Recorder = {
    chunks: [],
    closes: 0,
    onData: null,
    closed: new Promise(resolve => {
      close = resolve
    }),
    opened: new Promise(resolve => {
      opened = resolve
    }),
    open: () => opened(),
    data: chunk => {
      it.chunks.push(Buffer.from(chunk))
      it.onData?.(chunk)
    },
    drain: () => {},
    close: error => {
      it.closes += 1
      close(error)
    },
  }
  return it
}

async function pair(): Promise<{
  out: TcpStream
  into: TcpStream
  outside: Recorder
  inside: Recorder
  end: () => Promise<void>
}> {
  const tcp = new NetTcpNetwork()
  const inside = recorder()
  let into: TcpStream | null = null
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, stream => {
    into = stream
    return inside
  })
  const outside = recorder()
  const out = tcp.connect(listener.address, OPTIONS, outside)
  await outside.opened
  await until(() => into !== null)
  if (into === null) throw new Error('not accepted')
  return { out, into, outside, inside, end: () => listener.close() }
}

async function until(condition: () => boolean): Promise<void> {
  const limit = Date.now() + 5000
  while (!condition()) {
    if (Date.now() > limit) throw new Error('condition not met in time')
    await new Promise(resolve => setImmediate(resolve))
  }
}

const bytesOf = (it: Recorder) => it.chunks.reduce((sum, chunk) => sum + chunk.length, 0)

test('bytes go both ways, from shared memory too, and sent is called', async () => {
  const { out, into, outside, inside, end } = await pair()
  assert.equal(out.incoming, false)
  assert.equal(into.incoming, true)
  assert.equal(into.remote.ip, '127.0.0.1')
  const shared = new Uint8Array(new SharedArrayBuffer(300_000)).fill(7)
  let sent = 0
  out.cork()
  out.write(Buffer.from('head'))
  out.write(shared, () => {
    sent += 1
  })
  out.uncork()
  await until(() => bytesOf(inside) === 300_004 && sent === 1)
  assert.ok(Buffer.concat(inside.chunks).subarray(4).equals(Buffer.alloc(300_000, 7)))
  into.write(Buffer.from('back'))
  await until(() => bytesOf(outside) === 4)
  out.destroy()
  assert.equal(await outside.closed, null)
  assert.equal(await inside.closed, null)
  assert.deepEqual([outside.closes, inside.closes], [1, 1])
  await end()
})

test('incoming and outgoing streams share one read buffer', async () => {
  const { out, into, outside, inside, end } = await pair()
  const buffers = new Set<ArrayBufferLike>()
  outside.onData = chunk => buffers.add(chunk.buffer)
  inside.onData = chunk => buffers.add(chunk.buffer)
  out.write(Buffer.from('a'))
  into.write(Buffer.from('b'))
  await until(() => bytesOf(inside) === 1 && bytesOf(outside) === 1)
  assert.equal(buffers.size, 1)
  out.destroy()
  await inside.closed
  await end()
})

test('pause holds data back and resume lets it through', async () => {
  const { out, into, inside, end } = await pair()
  into.pause()
  let sent = false
  out.write(Buffer.alloc(100), () => {
    sent = true
  })
  await until(() => sent)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setImmediate(resolve))
  assert.equal(bytesOf(inside), 0)
  into.resume()
  await until(() => bytesOf(inside) === 100)
  out.destroy()
  await inside.closed
  await end()
})

test('a sender that is faster than we are gets no turn of the loop for itself', async () => {
  const length = 64 * 1024 * 1024
  const sender = `require('node:net').createServer(socket => socket.end(Buffer.alloc(${length})))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', sender], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const outside = recorder()
    let [reads, most, bytes, pausedAt, turns] = [0, 0, 0, 0, 0]
    const stream = new NetTcpNetwork().connect({ ip: '127.0.0.1', port: Number(port) }, OPTIONS, {
      ...outside,
      data(chunk) {
        bytes += chunk.length
        most = Math.max(most, ++reads)
        if (reads === 4 && pausedAt === 0) {
          pausedAt = bytes
          stream.pause()
        }
        // Slower than the sender, so that more is there each time.
        for (const end = performance.now() + 1; performance.now() < end; );
      },
    })
    let over = false
    const ended = outside.closed.finally(() => {
      over = true
    })
    while (!over) {
      reads = 0
      await new Promise(resolve => setImmediate(resolve))
      if (pausedAt === 0 || ++turns > 20) continue
      assert.equal(bytes, pausedAt, 'paused')
      if (turns === 20) stream.resume()
    }
    assert.equal(await ended, null)
    assert.equal(bytes, length)
    assert.ok(most <= 4, `${most} reads in one turn`)
    stream.destroy()
  } finally {
    child.kill()
  }
})

test('sent is called also for writes that a dead stream never took', async () => {
  const { out, into, outside, end } = await pair()
  into.pause()
  let sent = 0
  for (let i = 0; i < 64; i += 1) {
    out.write(new Uint8Array(1 << 20), () => {
      sent += 1
    })
  }
  assert.ok(out.bufferedBytes > 1 << 20)
  out.destroy()
  await outside.closed
  await until(() => sent === 64)
  out.write(new Uint8Array(1), () => {
    sent += 1
  })
  await until(() => sent === 65)
  into.destroy()
  await end()
})

test('a refused connection ends in close with an error, never inside connect', async () => {
  const tcp = new NetTcpNetwork()
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, () => null)
  await listener.close()
  const outside = recorder()
  tcp.connect(listener.address, OPTIONS, outside)
  assert.equal(outside.closes, 0)
  assert.ok((await outside.closed) instanceof Error)
})

test('a connection that is not answered fails when its time is over', async () => {
  const tcp = new NetTcpNetwork()
  const outside = recorder()
  // A listener whose backlog is full would do; a reserved address is simpler and is dropped or refused at once.
  tcp.connect({ ip: '127.0.0.1', port: 9 }, { localIp: null, timeoutMs: 1 }, outside)
  assert.ok((await outside.closed) instanceof Error)
  assert.equal(outside.closes, 1)
})

test('a bad address fails through close', async () => {
  const tcp = new NetTcpNetwork()
  const outside = recorder()
  tcp.connect({ ip: '127.0.0.1', port: 99_999 }, OPTIONS, outside)
  assert.ok((await outside.closed) instanceof Error)
})

test('a refused stream is closed and a taken port is PortTaken', async () => {
  const tcp = new NetTcpNetwork()
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, () => null)
  const outside = recorder()
  tcp.connect(listener.address, OPTIONS, outside)
  await outside.closed
  await assert.rejects(
    tcp.listen(listener.address, () => null),
    { name: 'PortTaken' },
  )
  await listener.close()
})

test('closing a listener closes its streams', async () => {
  const { inside, outside, end } = await pair()
  await end()
  await inside.closed
  await outside.closed
})

test('streams go out from the local address that was asked for', async () => {
  const server = net.createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const from = new Promise<string | undefined>(resolve => server.once('connection', s => resolve(s.remoteAddress)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  const outside = recorder()
  const stream = new NetTcpNetwork().connect(
    { ip: '127.0.0.1', port: address.port },
    { localIp: '127.0.0.7', timeoutMs: 5000 },
    outside,
  )
  assert.equal(await from, '127.0.0.7')
  stream.destroy()
  await outside.closed
  server.close()
})
