// Multicast groups over real sockets, on loopback: members of one machine hear each other and themselves, once; what is
// not in the network of an interface is not heard.

import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { DgramMulticast, type InterfaceAddress, localInterfaces } from '../../../src/io/net/multicast.ts'
import { isLoopbackIp, parseIp } from '../../../src/wire/net/compact-address.ts'
import { waitFor } from '../../kit/wait-for.ts'

const LOOPBACK: InterfaceAddress = { name: 'lo', ip: '127.0.0.1', bits: 8 }
const GROUP_IP = '239.192.152.143'

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise<void>(resolve => socket.close(() => resolve()))
  return port
}

function listener() {
  const heard: string[] = []
  const receive = (bytes: Uint8Array, from: PeerAddress): void => {
    heard.push(`${from.ip} ${Buffer.from(bytes).toString()}`)
  }
  return { heard, receive }
}

test('members on one machine hear each other and themselves, each datagram once', async t => {
  const group = { family: 4 as const, ip: GROUP_IP, port: await freePort() }
  const network = new DgramMulticast({ interfaces: () => [LOOPBACK] })
  const [a, b] = [listener(), listener()]
  const one = await network.join(group, a.receive)
  const two = await network.join(group, b.receive)
  t.after(() => Promise.all([one.close(), two.close()]))
  one.send(Buffer.from('from one'))
  await waitFor('heard by both', () => a.heard.length > 0 && b.heard.length > 0)
  two.send(Buffer.from('from two'))
  await waitFor('heard again', () => a.heard.length > 1 && b.heard.length > 1)
  const expected = ['127.0.0.1 from one', '127.0.0.1 from two']
  assert.deepEqual(a.heard, expected)
  assert.deepEqual(b.heard, expected)
  await one.close()
  one.send(Buffer.from('too late'))
  await one.close()
})

test('who is in no network of an interface is not heard', async t => {
  const group = { family: 4 as const, ip: GROUP_IP, port: await freePort() }
  const { heard, receive } = listener()
  const narrow = { ...LOOPBACK, ip: '127.0.0.1', bits: 32 }
  const socket = await new DgramMulticast({ interfaces: () => [narrow] }).join(group, receive)
  const stranger = createSocket('udp4')
  const friend = createSocket('udp4')
  t.after(async () => {
    stranger.close()
    friend.close()
    await socket.close()
  })
  await new Promise<void>(resolve => stranger.bind(0, '127.0.0.2', resolve))
  await new Promise<void>(resolve => friend.bind(0, '127.0.0.1', resolve))
  await new Promise<void>(resolve => stranger.send('from far', group.port, '127.0.0.1', () => resolve()))
  await new Promise<void>(resolve => friend.send('from here', group.port, '127.0.0.1', () => resolve()))
  await waitFor('heard', () => heard.length > 0)
  assert.deepEqual(heard, ['127.0.0.1 from here'])
})

test('an interface that comes later is used at the next send', async t => {
  const group = { family: 4 as const, ip: GROUP_IP, port: await freePort() }
  const { heard, receive } = listener()
  let present: InterfaceAddress[] = []
  const socket = await new DgramMulticast({ interfaces: () => present }).join(group, receive)
  t.after(() => socket.close())
  socket.send(Buffer.from('to nobody'))
  present = [LOOPBACK]
  socket.send(Buffer.from('now'))
  await waitFor('heard', () => heard.length > 0)
  present = []
  socket.send(Buffer.from('gone again'))
  assert.deepEqual(heard, ['127.0.0.1 now'])
})

test('the interfaces of this machine are usable addresses of the family asked for', () => {
  for (const family of [4, 6] as const) {
    for (const { ip, bits } of localInterfaces(family)) {
      assert.equal(parseIp(ip)?.length, family === 4 ? 4 : 16)
      assert.ok(bits > 0 && bits <= (family === 4 ? 32 : 128), `${ip}/${bits}`)
      assert.equal(isLoopbackIp(ip), false)
    }
  }
})

test('an interface that cannot be sent from sends nothing: not from another address either', async t => {
  const group = { family: 4 as const, ip: GROUP_IP, port: await freePort() }
  const made: Socket[] = []
  const note = (message: unknown): void => {
    made.push((message as { socket: Socket }).socket)
  }
  subscribe('udp.socket', note)
  t.after(() => unsubscribe('udp.socket', note))
  const { heard, receive } = listener()
  const gone = { name: 'gone0', ip: '192.0.2.77', bits: 24 }
  const socket = await new DgramMulticast({ interfaces: () => [LOOPBACK, gone] }).join(group, receive)
  t.after(() => socket.close())
  for (let count = 1; count < 4; count += 1) {
    socket.send(Buffer.from(`${count}`))
    await waitFor('heard', () => heard.length === count)
  }
  const open = made.map(addressOf).filter(address => address !== null)
  assert.deepEqual(open.sort(), ['0.0.0.0', '127.0.0.1'], 'the listener and one sender')
})

/** Null for a socket that is closed or not bound. */
function addressOf(socket: Socket): string | null {
  try {
    return socket.address().address
  } catch {
    return null
  }
}
