// Smart ban finds the sender of a bad block; the ban list keeps, doubles and forgets bans within its bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BanList } from '../../../src/torrent/peers/ban-list.ts'
import { type BlockEvidence, SmartBan } from '../../../src/torrent/pieces/smart-ban.ts'

/** 'A:good B:bad' -> evidence of blocks 0 and 1. */
function blocks(drawing: string): BlockEvidence[] {
  return drawing.split(' ').map((text, block) => {
    const [ip = '', digest = ''] = text.split(':')
    return { block, ip, digest }
  })
}

test('the sole sender of a failed piece is guilty at once', () => {
  const ban = new SmartBan()
  assert.deepEqual(ban.pieceFailed(3, blocks('A:x A:y A:z')), ['A'])
  assert.equal(ban.isSuspect(3), false)
})

test('among several senders only the one whose block differed is guilty, once the piece passed', () => {
  const ban = new SmartBan()
  assert.deepEqual(ban.pieceFailed(3, blocks('A:a B:bad C:c')), [])
  assert.equal(ban.isSuspect(3), true)
  assert.deepEqual(ban.piecePassed(3, ['a', 'b', 'c']), ['B'])
  assert.equal(ban.isSuspect(3), false)
  assert.equal(ban.records, 0)
})

test('evidence of several failures is kept together', () => {
  const ban = new SmartBan()
  ban.pieceFailed(1, blocks('A:a B:bad'))
  ban.pieceFailed(1, blocks('C:evil D:b'))
  assert.deepEqual(ban.piecePassed(1, ['a', 'b']).sort(), ['B', 'C'])
})

test('a piece that never failed accuses nobody', () => {
  assert.deepEqual(new SmartBan().piecePassed(0, ['a']), [])
})

test('memory for evidence is bounded, the oldest piece goes first', () => {
  const ban = new SmartBan()
  const many = Array.from({ length: 1000 }, (_, block) => ({ block, ip: `P${block % 2}`, digest: `${block}` }))
  for (let piece = 0; piece < 200; piece++) ban.pieceFailed(piece, many)
  assert.ok(ban.records <= 65_536)
  assert.equal(ban.isSuspect(0), false)
  assert.equal(ban.isSuspect(199), true)
})

test('a ban ends after an hour, the next one after two', () => {
  const list = new BanList()
  const hour = 3_600_000
  list.ban('1.2.3.4', 'sent bad data', 0)
  assert.equal(list.isBanned('1.2.3.4', hour - 1), true)
  assert.equal(list.reason('1.2.3.4', 1), 'sent bad data')
  assert.equal(list.isBanned('1.2.3.5', 1), false)
  assert.equal(list.isBanned('1.2.3.4', hour), false)
  list.ban('1.2.3.4', 'again', hour)
  assert.equal(list.isBanned('1.2.3.4', 3 * hour - 1), true)
  assert.equal(list.count(hour), 1)
  list.pardon('1.2.3.4')
  assert.equal(list.isBanned('1.2.3.4', hour), false)
})

test('three strikes in ten minutes ban, slow ones do not', () => {
  const list = new BanList()
  assert.equal(list.strike('a', 'garbage', 0), false)
  assert.equal(list.strike('a', 'garbage', 1000), false)
  assert.equal(list.strike('a', 'garbage', 2000), true)
  assert.equal(list.isBanned('a', 2000), true)
  for (let i = 0; i < 5; i++) assert.equal(list.strike('b', 'garbage', i * 400_000), false)
})

test('the ban table does not grow without bound', () => {
  const list = new BanList()
  for (let i = 0; i < 10_000; i++) list.ban(`10.0.${i >> 8}.${i & 255}`, 'x', i)
  assert.ok(list.count(10_000) <= 4096)
  assert.equal(list.isBanned('10.0.39.15', 10_001), true)
})

test('what is kept of one piece that fails again and again is bounded', () => {
  const ban = new SmartBan()
  for (let failure = 0; failure < 20; failure++) {
    const evidence = Array.from({ length: 1000 }, (_, block) => ({ block, ip: `${block % 2}`, digest: `${failure}` }))
    assert.deepEqual(ban.pieceFailed(1, evidence), [])
  }
  assert.equal(ban.records, 16_384)
})
