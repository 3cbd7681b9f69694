// The vote on our own address: who counts, what settles it, what changes it, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExternalAddress } from '../../../src/torrent/peers/external-address.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const HOUR_MS = 60 * 60 * 1000

function ballot() {
  const clock = new VirtualClock()
  const changes: string[] = []
  const external = new ExternalAddress(clock, (family, ip, settled) => changes.push(`${family} ${ip} ${settled}`))
  return { clock, changes, external }
}

test('one voter gives an address, a second network settles it', () => {
  const { external, changes } = ballot()
  assert.equal(external.get(4), null)
  external.vote('8.8.4.4', '1.1.1.1', 'tracker')
  assert.equal(external.get(4), '8.8.4.4')
  assert.equal(external.isSettled(4), false)
  external.vote('8.8.4.4', '1.1.1.99', 'peer')
  assert.equal(external.isSettled(4), false, 'the same network does not vote twice')
  external.vote('8.8.4.4', '2.1.1.1', 'dht')
  assert.equal(external.isSettled(4), true)
  assert.equal(external.get(6), null)
  assert.deepEqual(changes, ['4 8.8.4.4 false', '4 8.8.4.4 true'])
})

test('families are apart, and spellings do not matter', () => {
  const { external } = ballot()
  external.vote('2001:0db8:0::1', '2a00:1::1', 'peer')
  external.vote('::ffff:8.8.4.4', '::ffff:9.9.9.9', 'peer')
  assert.equal(external.get(6), '2001:db8::1')
  assert.equal(external.get(4), '8.8.4.4')
  external.vote('8.8.8.8', '2a00:2::1', 'peer')
  assert.equal(external.get(4), '8.8.4.4', 'a voter of another family cannot know')
})

test('addresses no stranger could see, and local voters but routers, do not count', () => {
  const { external } = ballot()
  for (const ip of ['10.0.0.1', '127.0.0.1', '0.0.0.0', '224.0.0.1', '192.168.1.1', 'nonsense', '']) {
    external.vote(ip, '1.1.1.1', 'peer')
  }
  external.vote('8.8.8.8', '192.168.1.1', 'peer')
  assert.equal(external.get(4), null)
  external.vote('8.8.8.8', '192.168.1.1', 'router')
  assert.equal(external.get(4), '8.8.8.8')
})

test('a tracker may be known by its name, others may not', () => {
  const { external } = ballot()
  external.vote('8.8.8.8', 'peer.example', 'peer')
  external.vote('8.8.8.8', 'x'.repeat(256), 'tracker')
  assert.equal(external.get(4), null)
  external.vote('8.8.8.8', 'tracker.example', 'tracker')
  external.vote('8.8.8.8', 'tracker.example', 'tracker')
  assert.equal(external.get(4), '8.8.8.8')
  assert.equal(external.isSettled(4), false, 'twice the same tracker')
  external.vote('8.8.8.8', 'other.example', 'tracker')
  assert.equal(external.isSettled(4), true)
})

test('liars in the minority change nothing; a new majority does', () => {
  const { external, changes } = ballot()
  for (let i = 1; i <= 5; i += 1) external.vote('8.8.4.4', `1.1.${i}.1`, 'peer')
  for (let i = 1; i <= 5; i += 1) external.vote(`9.9.9.${i}`, `2.1.${i}.1`, 'peer')
  for (let i = 1; i <= 5; i += 1) external.vote('7.7.7.7', `3.1.${i}.1`, 'peer')
  assert.equal(external.get(4), '8.8.4.4')
  assert.equal(external.isSettled(4), true)
  assert.equal(changes.length, 2)
  for (let i = 6; i <= 20; i += 1) external.vote('7.7.7.7', `3.1.${i}.1`, 'peer')
  assert.equal(external.get(4), '7.7.7.7')
  assert.equal(changes.length, 3)
})

test('the line came back with another address: old votes go', async () => {
  const { clock, external } = ballot()
  for (let i = 1; i <= 50; i += 1) external.vote('8.8.4.4', `1.1.${i}.1`, 'peer')
  await clock.advance(HOUR_MS + 1)
  external.vote('8.8.8.8', '5.1.1.1', 'peer')
  assert.equal(external.get(4), '8.8.4.4', 'one voter alone does not turn over what was settled')
  external.vote('8.8.8.8', '5.1.2.1', 'peer')
  assert.equal(external.get(4), '8.8.8.8')
})

test('who changes his mind has one vote still, and a flood of voters is bounded', () => {
  const { external } = ballot()
  for (let i = 0; i < 50; i += 1) external.vote(`8.8.8.${i}`, '1.1.1.1', 'peer')
  assert.equal(external.get(4), '8.8.8.49')
  assert.equal(external.isSettled(4), false)
  for (let i = 0; i < 10_000; i += 1) external.vote('7.7.7.7', `${1 + (i >> 8)}.${i & 255}.0.1`, 'dht')
  assert.equal(external.get(4), '7.7.7.7')
  for (let i = 0; i < 51; i += 1) external.vote('6.6.6.6', `200.${i}.0.1`, 'dht')
  assert.equal(external.get(4), '6.6.6.6', 'of the flood only the last votes are kept')
})
