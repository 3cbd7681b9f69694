// Near peers are reached by TCP (decision 0529) also where the thread was busy when the head start was over (0534):
// over the sockets, timers and turns of the system.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SystemClock } from '../../src/io/clock.ts'
import { NetTcpNetwork } from '../../src/io/net/tcp-net.ts'
import type { TcpNetwork, TcpStream, TcpStreamHandlers } from '../../src/ports/tcp.ts'
import { DualNetwork } from '../../src/torrent/peers/dual-network.ts'
import { waitFor } from '../kit/wait-for.ts'

const OPTIONS = { localIp: null, timeoutMs: 5000 }
const HANDLERS: TcpStreamHandlers = { data: () => undefined, drain: () => undefined, close: () => undefined }

/** Keeps this thread for `ms`. */
function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** uTP that opens in the turn after it was called, sooner than any: only not being called keeps it from winning. */
class QuickUtp implements TcpNetwork {
  calls = 0
  readonly #stream: TcpStream
  constructor(stream: TcpStream) {
    this.#stream = stream
  }
  connect(_remote: unknown, _options: unknown, handlers: TcpStreamHandlers): TcpStream {
    this.calls += 1
    process.nextTick(() => handlers.open?.())
    return this.#stream
  }
  listen(): never {
    throw new Error('not here')
  }
}

const NO_STREAM: TcpStream = {
  remote: { ip: '127.0.0.1', port: 1 },
  incoming: false,
  bufferedBytes: 0,
  write: () => true,
  cork: () => undefined,
  uncork: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  destroy: () => undefined,
}

test('a near peer is reached by TCP, however long the turn takes that calls it', async t => {
  const tcp = new NetTcpNetwork()
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, () => HANDLERS)
  t.after(() => listener.close())
  const utp = new QuickUtp(NO_STREAM)
  for (const [before, after] of [
    [0, 0],
    [0, 12],
    [12, 12],
    [30, 50],
  ] as const) {
    const dual = new DualNetwork({ tcp, utp, clock: new SystemClock() })
    let opened = false
    busy(before)
    const open = (): void => {
      opened = true
    }
    const stream = dual.connect(listener.address, { ...OPTIONS, hurried: true }, { ...HANDLERS, open })
    busy(after)
    await waitFor('open', () => opened)
    assert.equal(stream.utp, false)
    stream.destroy()
  }
  assert.equal(utp.calls, 0, 'uTP was asked too')
})
