// Datagrams are counted on their way and not changed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountedUdpNetwork } from '../../../src/io/net/counted-udp.ts'
import type { PeerAddress } from '../../../src/base/ids.ts'

test('sent and received datagrams of all sockets are counted, and pass as they are', async () => {
  const sent: unknown[] = []
  const arrive: ((bytes: Uint8Array, from: PeerAddress) => void)[] = []
  const address = { ip: '0.0.0.0', port: 7 }
  const counted = new CountedUdpNetwork({
    bind: (_at, receive) => {
      arrive.push(receive)
      const send = (bytes: Uint8Array, to: PeerAddress) => void sent.push([bytes.length, to.ip])
      return Promise.resolve({ address, send, close: () => Promise.resolve() })
    },
  })
  const heard: unknown[] = []
  const receive = (bytes: Uint8Array, from: PeerAddress) => void heard.push([bytes.length, from.ip])
  const four = await counted.bind({ family: 4, ip: null, port: 0 }, receive)
  const six = await counted.bind({ family: 6, ip: null, port: 0 }, receive)
  assert.equal(four.address, address)
  assert.equal(four.sendToName, undefined)
  four.send(new Uint8Array(10), { ip: '192.0.2.1', port: 1 })
  six.send(new Uint8Array(5), { ip: '2001:db8::1', port: 1 })
  arrive[1]?.(new Uint8Array(100), { ip: '2001:db8::1', port: 1 })
  assert.deepEqual(sent, [
    [10, '192.0.2.1'],
    [5, '2001:db8::1'],
  ])
  assert.deepEqual(heard, [[100, '2001:db8::1']])
  assert.deepEqual(counted.counts, { packetsSent: 2, packetsReceived: 1, bytesSent: 15, bytesReceived: 100 })
})

test('names for a proxy are passed on and counted where the socket takes them', async () => {
  const names: string[] = []
  const counted = new CountedUdpNetwork({
    bind: () =>
      Promise.resolve({
        address: { ip: '0.0.0.0', port: 7 },
        send: () => undefined,
        sendToName: (_bytes, to) => void names.push(to.host),
        close: () => Promise.resolve(),
      }),
  })
  const socket = await counted.bind({ family: 4, ip: null, port: 0 }, () => undefined)
  socket.sendToName?.(new Uint8Array(3), { host: 'a.example', port: 1 })
  assert.deepEqual([names, counted.counts.packetsSent, counted.counts.bytesSent], [['a.example'], 1, 3])
})
