// Turns of searches: an even trickle of seeds, downloads past them, none before the network is reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchTurns } from '../../../src/dht/search-turns.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

test('five thousand seeds begin two a second, all within 45 minutes, and a download does not wait for them', async () => {
  const clock = new VirtualClock()
  const turns = new SearchTurns({ clock, reached: () => true })
  const perSecond = new Map<number, number>()
  for (let i = 0; i < 5000; i++)
    turns.ask(true, () => {
      const second = Math.floor(clock.now() / 1000)
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
    })
  assert.equal(perSecond.size, 0, 'none within ask()')
  await clock.advance(1000)
  await clock.advance(60_000)
  let ranMs = Number.NaN
  const startMs = clock.now()
  turns.ask(false, () => {
    ranMs = clock.now() - startMs
  })
  await clock.advance(1000)
  assert.ok(ranMs <= 200, `a download waited ${ranMs} ms`)
  const counts = [...perSecond.values()]
  assert.ok(Math.max(...counts) <= 18, `${Math.max(...counts)} in one second`)
  assert.ok(Math.max(...counts.slice(2)) <= 3, `${Math.max(...counts.slice(2))} in a later second`)
  await clock.advance(45 * 60_000)
  assert.equal(turns.waiting, 0)
  assert.equal(clock.pending, 0, 'without anybody no timer')
})

test('nobody gets a turn before the network is reached, nor after it was given up', async () => {
  const clock = new VirtualClock()
  let reached = false
  const turns = new SearchTurns({ clock, reached: () => reached })
  const ran = new Array<string>()
  turns.ask(false, () => void ran.push('download'))
  turns.ask(true, () => void ran.push('seed'))
  const gone = turns.ask(true, () => void ran.push('cancelled'))
  await clock.advance(60_000)
  assert.equal(ran.join(), '')
  gone.cancel()
  reached = true
  turns.look()
  await clock.advance(0)
  assert.equal(ran.join(), 'download,seed')
  turns.ask(true, () => void ran.push('closed'))
  turns.close()
  await clock.advance(60_000)
  assert.equal(ran.length, 2)
  assert.equal(clock.pending, 0)
})
