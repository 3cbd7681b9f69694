// uTP first, TCP after a head start, and what is remembered of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { DualNetwork } from '../../../src/torrent/peers/dual-network.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const PEER = { ip: '192.0.2.1', port: 6881 }
const OPTIONS = { localIp: null, timeoutMs: 10_000 }

/** A stream that the test plays. */
class PlayedStream implements TcpStream {
  readonly remote: PeerAddress
  readonly incoming = false
  readonly bufferedBytes = 7
  readonly handlers: TcpStreamHandlers
  readonly timeoutMs: number
  destroyed = false
  written = ''
  constructor(remote: PeerAddress, timeoutMs: number, handlers: TcpStreamHandlers) {
    this.remote = remote
    this.timeoutMs = timeoutMs
    this.handlers = handlers
  }
  write(bytes: Uint8Array): boolean {
    this.written += Buffer.from(bytes).toString('latin1')
    return true
  }
  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
  destroy(): void {
    this.destroyed = true
  }
}

/** A network whose streams the test plays. */
class PlayedNetwork implements TcpNetwork {
  readonly streams: PlayedStream[] = []
  connect(remote: PeerAddress, options: { timeoutMs: number }, handlers: TcpStreamHandlers): TcpStream {
    const stream = new PlayedStream(remote, options.timeoutMs, handlers)
    this.streams.push(stream)
    return stream
  }
  listen(at: PeerAddress): Promise<TcpListener> {
    return Promise.resolve({ address: { ...at, port: at.port || 5000 }, close: () => Promise.resolve() })
  }
}

class Rig {
  readonly clock = new VirtualClock()
  readonly utp = new PlayedNetwork()
  readonly tcp = new PlayedNetwork()
  readonly dual = new DualNetwork({ tcp: this.tcp, utp: this.utp, clock: this.clock })
  events: string[] = []

  connect(to: PeerAddress = PEER, hurried = false): TcpStream {
    this.events = []
    return this.dual.connect(
      to,
      { ...OPTIONS, hurried },
      {
        open: () => this.events.push('open'),
        data: chunk => this.events.push(Buffer.from(chunk).toString()),
        drain: () => this.events.push('drain'),
        close: error => this.events.push(`close ${error?.message ?? ''}`.trim()),
      },
    )
  }

  /** How many connections were tried so far. */
  get tried(): { utp: number; tcp: number } {
    return { utp: this.utp.streams.length, tcp: this.tcp.streams.length }
  }

  last(network: 'utp' | 'tcp'): PlayedStream {
    return this[network].streams.at(-1) as PlayedStream
  }
}

test('who answers by uTP in time is never asked by TCP', async () => {
  const rig = new Rig()
  const stream = rig.connect()
  await rig.clock.advance(299)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 0 })
  rig.last('utp').handlers.open?.()
  await rig.clock.advance(20_000)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 0 })
  assert.equal(stream.utp, true)
  stream.write(Buffer.from('hello'))
  assert.equal(rig.last('utp').written, 'hello')
  rig.last('utp').handlers.data(Buffer.from('world'))
  rig.last('utp').handlers.drain()
  rig.last('utp').handlers.close(null)
  assert.deepEqual(rig.events, ['open', 'world', 'drain', 'close'])
})

test('where somebody waits uTP is asked first all the same, and TCP a moment later', async () => {
  const rig = new Rig()
  rig.connect(PEER, true)
  await rig.clock.advance(4)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 0 })
  await rig.clock.advance(1)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 1 })
})

test('an answer that came while this thread was busy counts, although the head start is over', async () => {
  for (const [near, first, second] of [
    ['10.0.0.2', 'tcp', 'utp'],
    ['192.0.2.1', 'utp', 'tcp'],
  ] as const) {
    const rig = new Rig()
    const stream = rig.connect({ ip: near, port: 6881 }, true)
    // What is due runs first, in the order in which it was asked for; then what has come is read.
    rig.clock.after(5, () => rig.last(first).handlers.open?.())
    await rig.clock.advance(1000)
    assert.equal(rig.tried[second], 0, `${near} was asked by ${second} too`)
    assert.equal(stream.utp, first === 'utp')
    assert.deepEqual(rig.events, ['open'])
  }
})

test('TCP joins after the head start; the first to answer carries the stream, the other one is ended', async () => {
  const rig = new Rig()
  const stream = rig.connect()
  await rig.clock.advance(300)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 1 })
  rig.last('tcp').handlers.open?.()
  assert.equal(stream.utp, false)
  assert.equal(rig.last('utp').destroyed, true)
  rig.last('utp').handlers.close(null)
  assert.deepEqual(rig.events, ['open'])
  stream.destroy()
  assert.equal(rig.last('tcp').destroyed, true)
})

test('uTP that is refused at once costs no head start', () => {
  const rig = new Rig()
  rig.connect()
  rig.last('utp').handlers.close(new Error('refused'))
  assert.deepEqual(rig.tried, { utp: 1, tcp: 1 })
  rig.last('tcp').handlers.close(new Error('refused too'))
  assert.deepEqual(rig.events, ['close refused too'])
})

test('the end comes when both have failed, and with the last reason', async () => {
  const rig = new Rig()
  rig.connect()
  await rig.clock.advance(300)
  rig.last('tcp').handlers.close(new Error('refused'))
  assert.deepEqual(rig.events, [])
  assert.equal(rig.last('utp').timeoutMs, 3000)
  rig.last('utp').handlers.close(new Error('connect timed out'))
  assert.deepEqual(rig.events, ['close connect timed out'])
})

test('whom only TCP reached is called by TCP alone, until that fails', async () => {
  const rig = new Rig()
  rig.connect()
  await rig.clock.advance(300)
  rig.last('tcp').handlers.open?.()
  rig.connect()
  assert.deepEqual(rig.tried, { utp: 1, tcp: 2 })
  rig.last('tcp').handlers.open?.()
  rig.last('tcp').handlers.data(Buffer.from('hello'))
  rig.last('tcp').handlers.close(null)
  rig.connect()
  assert.deepEqual(rig.tried, { utp: 1, tcp: 3 })
  rig.last('tcp').handlers.close(new Error('refused'))
  assert.deepEqual(rig.events, ['close refused'])
  rig.connect()
  assert.deepEqual(rig.tried, { utp: 2, tcp: 3 })
})

test('a near address is asked by TCP first, and by uTP once that is refused or the head start is over', async () => {
  const rig = new Rig()
  const near = { ip: '192.168.1.7', port: 6881 }
  rig.connect(near)
  await rig.clock.advance(299)
  assert.deepEqual(rig.tried, { utp: 0, tcp: 1 })
  await rig.clock.advance(1)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 1 })
  assert.deepEqual([rig.last('tcp').timeoutMs, rig.last('utp').timeoutMs], [10_000, 3000])
  rig.last('utp').handlers.open?.()
  assert.equal(rig.last('tcp').destroyed, true)
  // It was uTP that reached this one, by chance perhaps.
  rig.connect(near)
  assert.deepEqual(rig.tried, { utp: 1, tcp: 2 })
  const refused = new Rig()
  const stream = refused.connect({ ip: '::1', port: 1 })
  refused.last('tcp').handlers.close(new Error('refused'))
  assert.deepEqual(refused.tried, { utp: 1, tcp: 1 })
  refused.last('utp').handlers.open?.()
  assert.equal(stream.utp, true)
})

test('a near one that takes TCP and ends it may want the other kind of encryption: TCP once more, then both', () => {
  const rig = new Rig()
  const near = { ip: '10.1.1.1', port: 6881 }
  for (let count = 1; count <= 2; count += 1) {
    rig.connect(near)
    rig.last('tcp').handlers.open?.()
    rig.last('tcp').handlers.close(null)
    assert.deepEqual(rig.events, ['open', 'close'])
    assert.deepEqual(rig.tried, { utp: 0, tcp: count })
  }
  rig.connect(near)
  rig.last('tcp').handlers.close(new Error('refused'))
  assert.deepEqual(rig.tried, { utp: 1, tcp: 3 })
})

test('whom TCP alone is remembered for, and who then says nothing by it, is asked by both again', async () => {
  const rig = new Rig()
  rig.connect()
  await rig.clock.advance(300)
  rig.last('tcp').handlers.open?.()
  rig.connect()
  assert.deepEqual(rig.tried, { utp: 1, tcp: 2 })
  rig.last('tcp').handlers.open?.()
  rig.last('tcp').handlers.close(null)
  rig.connect()
  assert.deepEqual(rig.tried, { utp: 2, tcp: 2 })
})

test('what is remembered is bounded: the oldest is forgotten', async () => {
  const rig = new Rig()
  const peer = (index: number): PeerAddress => ({ ip: `192.88.${index >> 8}.${index & 255}`, port: 1 })
  for (let index = 0; index <= 4096; index++) {
    rig.connect(peer(index))
    rig.last('utp').handlers.close(new Error('refused'))
    rig.last('tcp').handlers.open?.()
  }
  const { utp } = rig.tried
  rig.connect(peer(4096))
  assert.equal(rig.tried.utp, utp, 'remembered')
  rig.connect(peer(0))
  assert.equal(rig.tried.utp, utp + 1, 'forgotten')
})

test('destroy before anybody answered ends everything, once, and not inside the call', async () => {
  const rig = new Rig()
  const stream = rig.connect()
  stream.destroy()
  stream.destroy()
  assert.deepEqual(rig.events, [])
  assert.equal(rig.last('utp').destroyed, true)
  rig.last('utp').handlers.close(null)
  await rig.clock.advance(1000)
  assert.deepEqual(rig.events, ['close'])
  assert.deepEqual(rig.tried, { utp: 1, tcp: 0 })
})

test('listens by both, for both families, at one port', async () => {
  const rig = new Rig()
  const at: PeerAddress[] = []
  const listener = await new DualNetwork({
    clock: rig.clock,
    tcp: rig.tcp,
    utp: {
      connect: (...all) => rig.utp.connect(...all),
      listen: (address, accept) => {
        at.push(address)
        assert.equal(accept({} as TcpStream), null)
        return rig.utp.listen(address)
      },
    },
  }).listen({ ip: '0.0.0.0', port: 0 }, () => null)
  assert.equal(listener.address.port, 5000)
  assert.deepEqual(at, [
    { ip: '0.0.0.0', port: 5000 },
    { ip: '::', port: 5000 },
  ])
  await listener.close()
})
