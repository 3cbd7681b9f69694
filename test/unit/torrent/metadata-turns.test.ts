// Turns of those who have metadata: votes by address, peers that had turns wait, none gets a first turn twice, bounded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MetadataSource, MetadataTurns } from '../../../src/torrent/metadata/metadata-turns.ts'

const of = (ip: string, size: number, port = 1): MetadataSource => ({ key: `${ip}:${port}`, ip, size })

test('the size that most addresses name is first, however many peers one address has', () => {
  const turns = new MetadataTurns()
  const liars = [1, 2, 3, 4].map(port => of('10.0.0.9', 666, port))
  const turn = turns.next([...liars, of('10.0.0.1', 5), of('10.0.0.2', 5)], false)
  assert.equal(turn?.source.size, 5)
  assert.equal(turn?.turnMs, 10_000)
  assert.equal(turns.next([], false), null)
})

test('sizes take turns, each longer than the one before, up to ten minutes', () => {
  const turns = new MetadataTurns()
  const sources = [of('10.0.0.1', 5), of('10.0.0.2', 6), of('10.0.0.3', 6)]
  const given = [1, 2, 3, 4].map(() => turns.next(sources, false))
  assert.deepEqual(
    given.map(turn => turn?.source.size),
    [6, 5, 6, 5],
  )
  assert.deepEqual(
    given.map(turn => turn?.turnMs),
    [10_000, 10_000, 20_000, 20_000],
  )
  for (let i = 0; i < 40; i += 1) turns.next(sources, false)
  assert.equal(turns.next(sources, false)?.turnMs, 640_000)
})

test('an address that comes again with another size has had its turn', () => {
  const turns = new MetadataTurns()
  assert.equal(turns.next([of('10.0.0.9', 100)], false)?.source.size, 100)
  for (let size = 101; size < 110; size += 1) {
    const turn = turns.next([of('10.0.0.9', size), of('10.0.0.1', 5)], false)
    assert.equal(turn?.source.size, size % 2 === 1 ? 5 : size, 'it waits for the others')
  }
})

test('alone, each address has a turn, those of the size with most votes first', () => {
  const turns = new MetadataTurns()
  const sources = [of('10.0.0.9', 666), of('10.0.0.1', 5), of('10.0.0.2', 5)]
  const ips = [1, 2, 3].map(() => turns.next(sources, true)?.source.ip)
  assert.deepEqual(ips, ['10.0.0.1', '10.0.0.2', '10.0.0.9'])
})

test('a thousand addresses are remembered', () => {
  const turns = new MetadataTurns()
  turns.next([of('10.0.0.1', 5)], false)
  const many = (from: number): MetadataSource[] => Array.from({ length: 1000 }, (_, i) => of(`10.9.${from}.${i}`, 7))
  turns.next(many(1), false)
  assert.equal(turns.next([of('10.0.0.1', 5)], false)?.turnMs, 10_000, 'forgotten')
})
