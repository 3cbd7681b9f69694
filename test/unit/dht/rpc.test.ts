// Queries and their ends: replies only from where they were asked, time-outs by round-trip time, bounds; limits of
// answers; the vote on our own address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { NodeIdAddress } from '../../../src/dht/node-id-address.ts'
import { ANSWER_BURST, AnswerLimit, ANSWERS_PER_ADDRESS } from '../../../src/dht/rate-limit.ts'
import { MAX_WAITING, Rpc } from '../../../src/dht/rpc.ts'
import { RttEstimate } from '../../../src/dht/rtt-estimate.ts'
import { decodeKrpc, type KrpcMessage, makeReply } from '../../../src/wire/dht/krpc.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const THERE: PeerAddress = { ip: '1.2.3.4', port: 5 }
const ID = new Uint8Array(20).fill(7)

/** An Rpc whose datagrams are kept, and what happened to its queries. */
function rig() {
  const clock = new VirtualClock()
  const sent: { readonly message: KrpcMessage; readonly to: PeerAddress }[] = []
  const seen: string[] = []
  const rpc = new Rpc({
    clock,
    random: new SeededRandom(1),
    send: (bytes, to) => {
      const message = decodeKrpc(bytes)
      assert.ok(message.kind !== 'invalid')
      sent.push({ message, to })
    },
    identity: () => ({ id: ID, readOnly: true, version: null }),
    observer: {
      asked: () => seen.push('asked'),
      replied: (_reply, from, rttMs) => seen.push(`replied ${from.port} ${rttMs}`),
      silent: () => seen.push('silent'),
    },
  })
  const ask = (): void => {
    rpc.ask(
      THERE,
      { method: 'ping' },
      {
        reply: () => seen.push('reply'),
        failed: failure => seen.push(failure.reason),
        slow: () => seen.push('slow'),
      },
    )
  }
  const replyTo = (index: number, from: PeerAddress): boolean => {
    const transactionId = sent[index]?.message.transactionId ?? new Uint8Array(4)
    return rpc.receive({ kind: 'reply', transactionId, version: null, seenAs: null, reply: makeReply(ID) }, from)
  }
  return { clock, rpc, sent, seen, ask, replyTo }
}

test('a reply counts once, from the address that was asked, under the id that was sent', async () => {
  const { clock, rpc, sent, seen, ask, replyTo } = rig()
  ask()
  const first = sent[0]?.message
  assert.ok(first?.kind === 'query' && first.readOnly)
  await clock.advance(50)
  assert.equal(replyTo(0, { ip: '1.2.3.4', port: 6 }), false)
  assert.equal(replyTo(0, { ip: '1.2.3.5', port: 5 }), false)
  assert.equal(replyTo(1, THERE), false)
  assert.deepEqual(seen, ['asked'])
  assert.equal(replyTo(0, THERE), true)
  assert.equal(replyTo(0, THERE), false)
  assert.deepEqual(seen, ['asked', 'replied 5 50', 'reply'])
  assert.equal(rpc.strays, 4)
  assert.equal(rpc.waiting, 0)
  assert.equal(clock.pending, 0)
})

test('silence: first slow, then over; an error is no silence; closing ends all', async () => {
  const { clock, rpc, sent, seen, ask } = rig()
  ask()
  await clock.advance(10_000)
  assert.deepEqual(seen, ['asked', 'slow', 'silent', 'timeout'])
  ask()
  const transactionId = sent[1]?.message.transactionId ?? new Uint8Array(4)
  rpc.receive({ kind: 'error', transactionId, version: null, seenAs: null, code: 203, message: '' }, THERE)
  assert.deepEqual(seen.slice(4), ['asked', 'error'])
  ask()
  rpc.close()
  assert.deepEqual(seen.slice(6), ['asked', 'closed'])
  ask()
  await clock.advance(1)
  assert.deepEqual(seen.slice(8), ['closed'])
  assert.equal(clock.pending, 0)
})

test('what is too much fails, and a cancelled query is heard of no more', async () => {
  const { clock, rpc, sent, seen, ask } = rig()
  for (let i = 0; i < MAX_WAITING; i++) ask()
  ask()
  await clock.advance(1)
  assert.equal(sent.length, MAX_WAITING)
  assert.deepEqual(seen.slice(MAX_WAITING), ['busy'])
  await clock.advance(20_000)
  seen.length = 0
  rpc.ask(THERE, { method: 'ping' }, { reply: () => seen.push('no'), failed: () => seen.push('no') }).cancel()
  await clock.advance(20_000)
  assert.deepEqual(seen, ['asked'])
})

test('time-outs follow the network, within bounds', () => {
  const near = new RttEstimate()
  for (let i = 0; i < 50; i++) near.add(20)
  assert.equal(near.slowMs, 300)
  assert.equal(near.timeoutMs, 2000)
  const far = new RttEstimate()
  for (let i = 0; i < 50; i++) far.add(i % 2 === 0 ? 800 : 1200)
  assert.ok(far.slowMs > 1200 && far.slowMs <= 2000, `${far.slowMs}`)
  assert.ok(far.timeoutMs > 4800 && far.timeoutMs <= 8000, `${far.timeoutMs}`)
})

test('one address gets its burst and its rate, others are not touched by it, all share the total', () => {
  const limit = new AnswerLimit(100, 0)
  const count = (from: PeerAddress, queries: number, nowMs: number): number => {
    let allowed = 0
    for (let i = 0; i < queries; i++) if (limit.allows(from, nowMs)) allowed++
    return allowed
  }
  assert.equal(count(THERE, 1000, 0), ANSWER_BURST)
  assert.equal(count({ ...THERE, port: 99 }, 1000, 1000), ANSWERS_PER_ADDRESS, 'another port is the same address')
  assert.equal(count({ ip: '1.2.3.5', port: 5 }, 10, 1000), 10)
  assert.equal(count({ ip: '2001:470::1', port: 5 }, 1000, 1000), ANSWER_BURST)
  assert.equal(count({ ip: '2001:470::ffff:1', port: 5 }, 1000, 1000), 0, 'the same /64')
  assert.ok(limit.refused > 3000)
  const crowd = new AnswerLimit(100, 0)
  let allowed = 0
  for (let host = 0; host < 20_000; host++)
    if (crowd.allows({ ip: `30.${host >> 8}.${host & 0xff}.1`, port: 1 }, 0)) allowed++
  assert.equal(allowed, 200)
})

test('our address is what most of several networks say', () => {
  const external = new NodeIdAddress()
  const vote = (voter: number, ip: string, nowMs = 0): boolean =>
    external.vote({ ip: `30.1.${voter}.1`, port: 1 }, { ip, port: 2 }, nowMs)
  for (let host = 1; host < 100; host++) external.vote({ ip: `66.6.6.${host}`, port: 1 }, { ip: '6.6.6.6', port: 2 }, 0)
  assert.equal(external.ip, null, 'one network has one vote')
  for (let voter = 0; voter < 5; voter++) assert.equal(vote(voter, '5.5.5.5'), false)
  assert.equal(vote(5, '5.5.5.5'), true)
  assert.equal(external.ip, '5.5.5.5')
  for (let voter = 20; voter < 60; voter++) vote(voter, '7.7.7.7', 1000)
  assert.equal(external.ip, '5.5.5.5', 'not again so soon')
  assert.equal(vote(60, '7.7.7.7', 601_000), true)
  for (let voter = 0; voter < 60; voter++) assert.equal(vote(voter, '192.168.1.1', 9_000_000), false)
  assert.equal(external.ip, '7.7.7.7')
})
