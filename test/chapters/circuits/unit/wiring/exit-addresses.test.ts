// Where an exit goes for strangers: public addresses, but neither its own nor those where clouds keep the secrets of
// machines.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExitAddresses } from '../../../../../src/chapters/circuits/wiring/exit-addresses.ts'

function exitThat(allowPrivate: boolean) {
  const own = { seenAs: ['203.0.114.7'], interfaces: ['127.0.0.1', '8.8.4.4', '2a00:1450::7', '192.168.1.5'] }
  let nowMs = 0
  const exit = new ExitAddresses({
    allowPrivate,
    nowMs: () => nowMs,
    seenAs: () => own.seenAs,
    interfaces: () => own.interfaces,
  })
  return { exit, own, later: (ms: number) => (nowMs += ms) }
}

test('public addresses are reached, the own ones in no spelling', () => {
  const { exit } = exitThat(false)
  for (const ip of ['9.9.9.9', '2a00:1450::8', '203.0.114.8']) assert.ok(exit.mayReach(ip), ip)
  for (const ip of ['203.0.114.7', '8.8.4.4', '2a00:1450::7', '2a00:1450:0:0:0:0:0:7', '2A00:1450::0007'])
    assert.ok(!exit.mayReach(ip), ip)
  for (const ip of ['::ffff:8.8.4.4', '64:ff9b::808:404', '2002:808:404::1']) assert.ok(!exit.mayReach(ip), ip)
})

test('metadata of clouds is never reached, whatever is allowed', () => {
  for (const allowPrivate of [false, true])
    for (const ip of ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'])
      assert.ok(!exitThat(allowPrivate).exit.mayReach(ip), ip)
  assert.ok(!exitThat(false).exit.mayReach('::ffff:168.63.129.16'))
})

test('private and loopback addresses are reached by the setting for test networks alone', () => {
  for (const ip of ['127.0.0.1', '192.168.1.5', '10.1.2.3', '::1']) {
    assert.ok(!exitThat(false).exit.mayReach(ip), ip)
    assert.ok(exitThat(true).exit.mayReach(ip), ip)
  }
})

test('an address that the machine gets later counts after a while', () => {
  const { exit, own, later } = exitThat(false)
  assert.ok(exit.mayReach('9.9.9.10'))
  own.interfaces.push('9.9.9.10')
  later(5_000)
  assert.ok(!exit.mayReach('9.9.9.10'))
})
