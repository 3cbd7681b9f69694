// First DHT nodes by name: who is pinged, whose answer counts, and when it ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { NamedDhtNodes } from '../../../src/node/engine/named-dht-nodes.ts'
import { decodeKrpc, encodeKrpc, makeReply } from '../../../src/wire/dht/krpc.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const FROM: PeerAddress = { ip: '198.51.100.9', port: 6881 }

function world() {
  const clock = new VirtualClock()
  const sent: { bytes: Uint8Array; host: string }[] = []
  const found: PeerAddress[] = []
  const state = { needed: true }
  const nodes = new NamedDhtNodes(
    [
      { host: 'router.example.org', port: 6881 },
      { host: '198.51.100.7', port: 6881 },
    ],
    {
      clock,
      random: new SeededRandom(1),
      send: (bytes, { host }) => sent.push({ bytes, host }),
      needed: () => state.needed,
      found: address => found.push(address),
    },
  )
  return { clock, sent, found, state, nodes }
}

function answerTo(ping: Uint8Array | undefined): Uint8Array {
  const query = decodeKrpc(ping ?? new Uint8Array(0))
  const { transactionId } = query
  return encodeKrpc({ kind: 'reply', transactionId, version: null, seenAs: null, reply: makeReply(new Uint8Array(20)) })
}

test('names are pinged until the DHT knows somebody, addresses are left to it', async () => {
  const { clock, sent, found, state, nodes } = world()
  nodes.start()
  assert.deepEqual(
    sent.map(({ host }) => host),
    ['router.example.org'],
  )
  await clock.advance(5_000)
  assert.equal(sent.length, 2)
  assert.equal(nodes.receive(answerTo(sent[0]?.bytes), FROM), true)
  assert.deepEqual(found, [FROM])
  state.needed = false
  await clock.advance(600_000)
  assert.equal(sent.length, 2)
  state.needed = true
  await clock.advance(30_000)
  assert.ok(sent.length > 2, 'the table is empty again')
  nodes.stop()
  assert.equal(clock.pending, 0)
})

test('datagrams of others are not taken', () => {
  const { sent, found, nodes } = world()
  nodes.start()
  const ping = sent[0]?.bytes ?? new Uint8Array(0)
  assert.equal(nodes.receive(ping, FROM), false, 'a query')
  assert.equal(nodes.receive(ping.subarray(0, ping.length - 3), FROM), false, 'cut')
  assert.equal(nodes.receive(new Uint8Array(0), FROM), false)
  assert.equal(nodes.receive(Buffer.from('d1:rd2:id20:aaaaaaaaaaaaaaaaaaaae1:t2:xx1:y1:re'), FROM), false)
  assert.deepEqual(found, [])
  nodes.stop()
})

test('a name that a torrent gives is pinged once, also while nodes are known', async () => {
  const { clock, sent, found, state, nodes } = world()
  state.needed = false
  nodes.start()
  nodes.pingAt({ host: 'node.example.org', port: 7000 })
  await clock.advance(60_000)
  assert.deepEqual(
    sent.map(({ host }) => host),
    ['node.example.org'],
  )
  assert.equal(nodes.receive(answerTo(sent[0]?.bytes), FROM), true)
  assert.deepEqual(found, [FROM])
  nodes.stop()
})
