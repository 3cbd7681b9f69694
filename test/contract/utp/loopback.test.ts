// uTP over real sockets: the pieces put together as the node does it, alone and through a bad line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { datagramNetworks } from '../../kit/datagram-networks.ts'
import { startUdpRelay } from '../../kit/peers/udp-relay.ts'
import { sendContent, someBytes, StreamEnd } from '../../kit/sim/utp-link.ts'
import { startUtpNode, type UtpNode } from '../../kit/sim/utp-node.ts'
import { waitFor } from '../../kit/wait-for.ts'

const MIB = 1024 * 1024

/** Sends `bytes` both ways between two nodes, `b` being found at `at`. */
async function exchange(a: UtpNode, b: UtpNode, at: PeerAddress, bytes: number): Promise<void> {
  const here = new StreamEnd()
  const there = new StreamEnd()
  const up = someBytes(bytes, 1)
  const down = someBytes(bytes, 2)
  here.expected = down
  there.expected = up
  await b.utp.listen(b.address, stream => {
    there.stream = stream
    return there
  })
  here.stream = a.utp.connect(at, { localIp: null, timeoutMs: 10_000 }, here)
  sendContent(here, up)
  await waitFor('the stream', () => there.stream !== null)
  sendContent(there, down)
  await waitFor(
    'all bytes',
    () => here.received === bytes && there.received === bytes,
    60_000,
    () => [here.received, there.received, here.error?.message],
  )
  here.stream.destroy()
  await waitFor('both ends', () => here.closes === 1 && there.closes === 1)
  assert.deepEqual([here.error, there.error], [null, null])
  await waitFor('nothing left', () => a.utp.connections + b.utp.connections === 0)
  assert.deepEqual(
    [a.utp.packetsInUse, b.utp.packetsInUse],
    [
      { sending: 0, unread: 0 },
      { sending: 0, unread: 0 },
    ],
  )
}

for (const [name, over] of Object.entries(datagramNetworks)) {
  for (const [family, ip] of [
    [4, '127.0.0.1'],
    [6, '::1'],
  ] as const) {
    test(`${name}, IPv${family}: bytes both ways at once, beside other users of the port`, async context => {
      const a = await startUtpNode(family, ip, over()).catch(() => null)
      if (a === null) return context.skip(`no ${ip} here`)
      const b = await startUtpNode(family, ip, over())
      a.send('d1:y1:qe', b.address)
      await exchange(a, b, b.address, 8 * MIB)
      await waitFor('the datagram that is none of uTP', () => b.others.length === 1)
      await a.close()
      await b.close()
    })
  }

  test(`${name}: through a line that loses, delays, doubles and mixes`, async () => {
    const a = await startUtpNode(4, '127.0.0.1', over())
    const b = await startUtpNode(4, '127.0.0.1', over())
    const listen = { ip: '127.0.0.1', port: 0 }
    const line = { loss: 0.02, delayMs: 5, reorder: 0.01, reorderMs: 2, duplicate: 0.02, seed: 3 }
    const relay = await startUdpRelay({ listen, peer: a.address }, { listen, peer: b.address }, line)
    await exchange(a, b, relay.left, MIB)
    assert.ok(relay.counts.fromLeft.lost > 0 && relay.counts.fromRight.lost > 0)
    await relay.close()
    await a.close()
    await b.close()
  })
}
