// The relay that acts as a bad line, over loopback sockets.

import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { parseAddress, type RelayLine, startUdpRelay } from '../../kit/peers/udp-relay.ts'
import { waitFor } from '../../kit/wait-for.ts'

async function socketAt(ip: string): Promise<{ socket: Socket; port: number; got: string[] }> {
  const socket = createSocket('udp4')
  const got: string[] = []
  socket.on('message', bytes => got.push(bytes.toString()))
  socket.bind(0, ip)
  await once(socket, 'listening')
  return { socket, port: socket.address().port, got }
}

async function rig(line: Partial<RelayLine>) {
  const a = await socketAt('127.0.0.1')
  const b = await socketAt('127.0.0.1')
  const listen = { ip: '127.0.0.1', port: 0 }
  const left = { listen, peer: { ip: '127.0.0.1', port: a.port } }
  const right = { listen, peer: { ip: '127.0.0.1', port: b.port } }
  const relay = await startUdpRelay(left, right, line)
  const close = async (): Promise<void> => {
    await relay.close()
    a.socket.close()
    b.socket.close()
  }
  return { a, b, relay, close }
}

test('datagrams go both ways, late', async () => {
  const { a, b, relay, close } = await rig({ delayMs: 30 })
  const startMs = performance.now()
  a.socket.send('to b', relay.left.port, relay.left.ip)
  b.socket.send('to a', relay.right.port, relay.right.ip)
  await waitFor('both datagrams', () => a.got.length === 1 && b.got.length === 1)
  assert.ok(performance.now() - startMs >= 29)
  assert.deepEqual([a.got, b.got], [['to a'], ['to b']])
  assert.deepEqual(relay.counts.fromLeft, { carried: 1, bytes: 4, lost: 0, overflowed: 0, strangers: 0 })
  await close()
})

test('the same seed loses the same datagrams', async () => {
  const lost: number[] = []
  for (let run = 0; run < 2; run++) {
    const { a, relay, close } = await rig({ loss: 0.3, seed: 5 })
    for (let count = 0; count < 200; count++) a.socket.send(String(count), relay.left.port, relay.left.ip)
    const { fromLeft } = relay.counts
    await waitFor('all datagrams', () => fromLeft.carried + fromLeft.lost === 200)
    lost.push(fromLeft.lost)
    await close()
  }
  assert.equal(lost[0], lost[1])
  assert.ok((lost[0] ?? 0) > 30 && (lost[0] ?? 0) < 90)
})

test('strangers are not carried', async () => {
  const { a, b, relay, close } = await rig({})
  const stranger = await socketAt('127.0.0.1')
  stranger.socket.send('forged', relay.left.port, relay.left.ip)
  await waitFor('the stranger', () => relay.counts.fromLeft.strangers === 1)
  a.socket.send('real', relay.left.port, relay.left.ip)
  await waitFor('the real one', () => b.got.includes('real'))
  assert.deepEqual(b.got, ['real'])
  stranger.socket.close()
  await close()
})

test('addresses are read in both spellings', () => {
  assert.deepEqual(parseAddress('127.0.0.1:80'), { ip: '127.0.0.1', port: 80 })
  assert.deepEqual(parseAddress('[::1]:6881'), { ip: '::1', port: 6881 })
  for (const text of ['::1:80', '1.2.3:4', 'host:80', '1.2.3.4', '1.2.3.4:70000'])
    assert.throws(() => parseAddress(text), RangeError, text)
})
