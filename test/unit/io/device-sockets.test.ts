// Sockets that keep to a device, here the loopback one: they work as others do, cannot be had without their device, and
// no descriptor is left behind on any way. What leaves by which device is counted in test/interop/kill-switch.test.ts.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { callsForDevices, DeviceSockets } from '../../../src/io/net/device-sockets.ts'
import { loadSocketCalls, type SocketCalls } from '../../../src/io/net/socket-calls.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import type { LocalEndpoint } from '../../../src/ports/network-place.ts'
import type { TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { datagramNetworks } from '../../kit/datagram-networks.ts'
import { waitFor } from '../../kit/wait-for.ts'

const LO = { ip: '127.0.0.1', port: null, device: 'lo' } as const

/** Null where devices cannot be bound to (not Linux, no koffi, an old kernel). */
const calls = callsForDevices({ warn: () => undefined })
const skip = calls === null ? 'sockets cannot be bound to devices here' : false

function rig(...endpoints: LocalEndpoint[]) {
  const devices = new DeviceSockets({ place: { endpoints: () => endpoints }, calls: calls as SocketCalls })
  const udps = Object.values(datagramNetworks).map(make => make(devices))
  return { devices, tcp: new NetTcpNetwork(devices), udps }
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length
}

/** Handlers, and how the stream ended. */
function watched(data: (chunk: Uint8Array) => void = () => undefined) {
  let settle: (error: Error | null) => void = () => undefined
  const closed = new Promise<Error | null>(resolve => {
    settle = resolve
  })
  const handlers: TcpStreamHandlers = { data, drain: () => undefined, close: error => settle(error) }
  return { handlers, closed }
}

const FROM = { localIp: '127.0.0.1', timeoutMs: 10_000 }

test('a transfer over sockets of a device, both sides, byte for byte', { skip }, async t => {
  const { tcp } = rig(LO)
  const sent = Buffer.alloc(8 * 1024 * 1024, 'tributary ')
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, stream => {
    setImmediate(() => stream.write(sent, () => stream.destroy()))
    return watched().handlers
  })
  t.after(() => listener.close())
  assert.ok(listener.address.port > 0)
  const came: Buffer[] = []
  let largest = 0
  const { handlers, closed } = watched(chunk => {
    largest = Math.max(largest, chunk.length)
    came.push(Buffer.from(chunk))
  })
  tcp.connect(listener.address, FROM, handlers)
  assert.equal(await closed, null)
  assert.ok(Buffer.concat(came).equals(sent))
  // Into the shared buffer, as without a device: Node's own reads are of 64 KiB.
  assert.ok(largest > 64 * 1024, `${largest} bytes at a time`)
})

test('a thousand refused connections leave no descriptor', { skip, timeout: 60_000 }, async () => {
  const { tcp } = rig(LO)
  const before = descriptors()
  const refuse = async (): Promise<void> => {
    const { handlers, closed } = watched()
    // Not a port that the system gives away: one socket in thousands would get it itself, and be connected to itself.
    tcp.connect({ ip: '127.0.0.1', port: 1 }, FROM, handlers)
    const error = await closed
    assert.ok(error !== null && 'code' in error && error.code === 'ECONNREFUSED', String(error))
  }
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, refuse))
  assert.equal(descriptors(), before)
})

test('streams given up before they are connected leave no descriptor, and all close', { skip }, async () => {
  const { tcp } = rig(LO)
  const before = descriptors()
  const ends: Promise<Error | null>[] = []
  for (const end of [(one: TcpStream) => one.destroy(), (one: TcpStream) => one.reset?.()]) {
    for (const later of [false, true]) {
      const { handlers, closed } = watched()
      const stream = tcp.connect({ ip: '127.0.0.1', port: 1 }, FROM, handlers)
      ends.push(closed)
      if (later) process.nextTick(() => end(stream))
      else end(stream)
    }
  }
  await Promise.all(ends)
  await waitFor('the descriptors', () => descriptors() === before)
})

test('a local address that cannot be bound fails the stream and leaves no descriptor', { skip }, async () => {
  const { tcp } = rig({ ip: '192.0.2.77', port: null, device: 'lo' })
  const before = descriptors()
  const { handlers, closed } = watched()
  tcp.connect({ ip: '127.0.0.1', port: 1 }, { localIp: '192.0.2.77', timeoutMs: 5_000 }, handlers)
  const error = await closed
  assert.ok(error !== null)
  await assert.rejects(
    tcp.listen({ ip: '192.0.2.77', port: 0 }, () => null),
    failed('BadConfiguration'),
  )
  await waitFor('the descriptors', () => descriptors() === before)
})

const failed =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof AppError && error.code === code

test('a taken port is an error, by TCP and UDP', { skip }, async t => {
  const { tcp, udps } = rig(LO)
  const listener = await tcp.listen({ ip: '127.0.0.1', port: 0 }, () => null)
  t.after(() => listener.close())
  await assert.rejects(
    tcp.listen(listener.address, () => null),
    failed('PortTaken'),
  )
  for (const udp of udps) {
    const socket = await udp.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined)
    t.after(() => socket.close())
    const same = { family: 4, ip: '127.0.0.1', port: socket.address.port } as const
    const before = descriptors()
    await assert.rejects(
      udp.bind(same, () => undefined),
      failed('PortTaken'),
    )
    assert.equal(descriptors(), before)
    // Nor can another program share it by asking for that (SO_REUSEADDR): both would have to.
    const thief = createSocket({ type: 'udp4', reuseAddr: true })
    t.after(() => thief.close())
    const bound = once(thief, 'listening')
    thief.bind(same.port, '127.0.0.1')
    await assert.rejects(bound, { code: 'EADDRINUSE' })
  }
})

test('datagrams come and go over a socket of a device, also over IPv6', { skip }, async t => {
  for (const ip of ['127.0.0.1', '::1']) {
    const { udps } = rig({ ip, port: null, device: 'lo' })
    const family = ip.includes(':') ? 6 : 4
    for (const udp of udps) {
      const heard: string[] = []
      const server = await udp.bind({ family, ip, port: 0 }, bytes => heard.push(Buffer.from(bytes).toString()))
      const client = await udp.bind({ family, ip, port: 0 }, () => undefined)
      t.after(() => Promise.all([server.close(), client.close()]))
      client.send(Buffer.from('hello'), server.address)
      await waitFor('the datagram', () => heard.length === 1)
      assert.deepEqual(heard, ['hello'])
    }
  }
})

test('without its device a socket cannot be had, nor at an address that went', { skip }, async () => {
  const before = descriptors()
  for (const endpoint of [
    { ...LO, device: 'gone0' },
    { ...LO, ip: '127.0.0.9' },
  ]) {
    const { tcp, udps } = rig(endpoint)
    const { handlers, closed } = watched()
    tcp.connect({ ip: '127.0.0.1', port: 1 }, FROM, handlers)
    const error = await closed
    assert.match(String(error), /ENODEV|not an address/)
    await assert.rejects(
      tcp.listen({ ip: '127.0.0.1', port: 0 }, () => null),
      AppError,
    )
    for (const udp of udps)
      await assert.rejects(
        udp.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined),
        AppError,
      )
  }
  assert.equal(descriptors(), before)
})

test('an address that was named by itself has no device; a program of this machine is reached from any', {
  skip,
}, async t => {
  const { port } = await echo(t)
  const { devices, tcp } = rig({ ip: '127.0.0.1', port: null }, { ip: '10.255.255.1', port: null, device: 'gone0' })
  assert.equal(devices.listening({ ip: '127.0.0.1', port: 0 }), null)
  let opened = false
  const { handlers } = watched()
  const stream = tcp.connect({ ip: '127.0.0.1', port }, FROM, {
    ...handlers,
    open: () => {
      opened = true
    },
  })
  await waitFor('the connection', () => opened)
  stream.destroy()
  // No device is asked for: it would be refused.
  devices.connecting('10.255.255.1', '127.0.0.1').destroy()
  assert.throws(() => devices.connecting('10.255.255.1', '192.0.2.1'), /ENODEV/)
})

test('where devices cannot be bound to, a warning says so once and why', () => {
  const said: unknown[] = []
  const none = callsForDevices({ warn: (_text, fields) => said.push(fields) }, () => {
    throw new Error('not installed')
  })
  assert.deepEqual([none, said], [null, [{ why: 'not installed' }]])
})

test('devices have numbers, and none that is not there', { skip }, () => {
  const loaded = loadSocketCalls()
  assert.ok(loaded.indexOf('lo') > 0)
  assert.equal(loaded.indexOf('gone0'), 0)
})

async function echo(t: TestContext): Promise<{ port: number }> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const at = server.address()
  return { port: at !== null && typeof at === 'object' ? at.port : 0 }
}
