// UDP trackers whose names a proxy resolves: the name goes out as it is, and any answer with the right number counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { DueQueue } from '../../../src/tracker/due-queue.ts'
import { UdpTracker } from '../../../src/tracker/udp-tracker.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const REQUEST = {
  infoHash: new Uint8Array(20),
  peerId: new Uint8Array(20),
  port: 1,
  uploaded: 0,
  downloaded: 0,
  left: 1,
  event: 'started',
  numWant: 10,
  key: 7,
  trackerId: null,
} as const

/** A tracker behind a proxy that answers connects and announces from `from`. */
function world(from: PeerAddress) {
  const named: string[] = []
  const asked: string[] = []
  const udp: UdpNetwork = {
    bind: (_, receive) =>
      Promise.resolve({
        address: { ip: '0.0.0.0', port: 1 },
        send: () => assert.fail('not by address'),
        sendToName: (bytes, { host, port }) => {
          named.push(`${host}:${port}`)
          const packet = Buffer.from(bytes)
          const isConnect = packet.length === 16
          const answer = Buffer.alloc(isConnect ? 16 : from.ip.includes(':') ? 38 : 26)
          answer.writeUInt32BE(isConnect ? 0 : 1, 0)
          packet.copy(answer, 4, 12, 16)
          if (!isConnect) {
            answer.writeUInt32BE(1800, 8)
            answer.fill(9, 20)
          }
          queueMicrotask(() => receive(new Uint8Array(answer), from))
        },
        close: () => Promise.resolve(),
      }),
  }
  const clock = new VirtualClock()
  const resolver = {
    resolve: (host: string) => {
      asked.push(host)
      return Promise.resolve([])
    },
  }
  const options = { localIp: null, retryBaseMs: 1_000, tries: 1, namesToProxy: true }
  const due = new DueQueue(clock)
  const tracker = new UdpTracker(options, { udp, resolver, random: new SeededRandom(1), clock, due })
  return { tracker, named, asked }
}

for (const [family, ip, peer] of [
  [4, '198.51.100.1', '9.9.9.9'],
  [6, '2001:db8::1', '909:909:909:909:909:909:909:909'],
] as const) {
  test(`by name, answered over IPv${family}`, async () => {
    const { tracker, named, asked } = world({ ip, port: 6969 })
    const url = 'udp://tracker.example.org:6969/announce'
    const reply = await tracker.announce(url, REQUEST, new AbortController().signal)
    assert.deepEqual(named, ['tracker.example.org:6969', 'tracker.example.org:6969'])
    assert.deepEqual(reply.peers, [{ ip: peer, port: 0x0909 }])
    assert.deepEqual(asked, [], 'nobody here was asked for the name')
    await tracker.close()
  })
}

test('local names are not told to the proxy', async () => {
  const { tracker, named } = world({ ip: '198.51.100.1', port: 6969 })
  for (const host of ['nas', 'nas.lan', 'localhost', 'tracker.local']) {
    const asking = tracker.announce(`udp://${host}:6969/announce`, REQUEST, new AbortController().signal)
    await assert.rejects(asking, /no address that can be used/)
  }
  assert.deepEqual(named, [])
  await tracker.close()
})
