// Which torrents are looked at for a rest, how often, and when they are a crowd.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DrowsyTorrents } from '../../../src/torrent/session/drowsy-torrents.ts'

function rig(count: number) {
  const told: boolean[] = []
  const asked: boolean[] = []
  let awake = true
  const drowsy = new DrowsyTorrents(crowded => told.push(crowded))
  const torrents = Array.from({ length: count }, () => ({
    restIfIdle: (_nowMs: number, crowded: boolean) => {
      asked.push(crowded)
      return awake
    },
  }))
  for (const torrent of torrents) drowsy.add(torrent)
  return { told, asked, drowsy, torrents, rest: () => (awake = false) }
}

test('they are asked once a second, and those that rest are not asked again', () => {
  const { asked, drowsy, rest } = rig(3)
  assert.equal(drowsy.sweep(1000), true)
  assert.equal(drowsy.sweep(1250), true)
  assert.deepEqual(asked, [false, false, false])
  rest()
  assert.equal(drowsy.sweep(2000), false)
  assert.equal(drowsy.sweep(3000), false)
  assert.equal(asked.length, 6)
})

test('more than five hundred are a crowd, which has gone when a tenth is left; both are reported once', () => {
  const { told, asked, drowsy, torrents } = rig(501)
  drowsy.sweep(1000)
  drowsy.sweep(2000)
  assert.ok(asked.every(crowded => crowded))
  assert.deepEqual(told, [true])
  for (const torrent of torrents.slice(49)) drowsy.delete(torrent)
  asked.length = 0
  drowsy.sweep(3000)
  assert.ok(asked.every(crowded => !crowded))
  assert.deepEqual(told, [true, false])
  drowsy.sweep(4000)
  assert.deepEqual(told, [true, false])
})

test('a few are a crowd while more wait to be woken', () => {
  const { told, asked, drowsy } = rig(3)
  drowsy.sweep(1000, true)
  assert.deepEqual([asked, told], [[true, true, true], [true]])
  drowsy.sweep(2000, false)
  assert.deepEqual(told, [true, false])
})

test('five hundred are no crowd', () => {
  const { told, asked, drowsy } = rig(500)
  drowsy.sweep(1000)
  assert.ok(asked.every(crowded => !crowded))
  assert.deepEqual(told, [])
})
