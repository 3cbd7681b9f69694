// Which torrents are looked at for a suspension, how often, and when they are a crowd.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdleTorrents } from '../../../src/torrent/session/idle-torrents.ts'

function rig(count: number) {
  const told: boolean[] = []
  const asked: boolean[] = []
  let awake = true
  const idle = new IdleTorrents(crowded => told.push(crowded))
  const torrents = Array.from({ length: count }, () => ({
    suspendIfIdle: (_nowMs: number, crowded: boolean) => {
      asked.push(crowded)
      return awake
    },
  }))
  for (const torrent of torrents) idle.add(torrent)
  return { told, asked, idle, torrents, rest: () => (awake = false) }
}

test('they are asked once a second, and those that are suspended are not asked again', () => {
  const { asked, idle, rest } = rig(3)
  assert.equal(idle.sweep(1000), true)
  assert.equal(idle.sweep(1250), true)
  assert.deepEqual(asked, [false, false, false])
  rest()
  assert.equal(idle.sweep(2000), false)
  assert.equal(idle.sweep(3000), false)
  assert.equal(asked.length, 6)
})

test('more than five hundred are a crowd, which has gone when a tenth is left; both are told once', () => {
  const { told, asked, idle, torrents } = rig(501)
  idle.sweep(1000)
  idle.sweep(2000)
  assert.ok(asked.every(crowded => crowded))
  assert.deepEqual(told, [true])
  for (const torrent of torrents.slice(49)) idle.delete(torrent)
  asked.length = 0
  idle.sweep(3000)
  assert.ok(asked.every(crowded => !crowded))
  assert.deepEqual(told, [true, false])
  idle.sweep(4000)
  assert.deepEqual(told, [true, false])
})

test('a few are a crowd while more wait to be woken', () => {
  const { told, asked, idle } = rig(3)
  idle.sweep(1000, true)
  assert.deepEqual([asked, told], [[true, true, true], [true]])
  idle.sweep(2000, false)
  assert.deepEqual(told, [true, false])
})

test('five hundred are no crowd', () => {
  const { told, asked, idle } = rig(500)
  idle.sweep(1000)
  assert.ok(asked.every(crowded => !crowded))
  assert.deepEqual(told, [])
})
