// Who is woken when peers are named for thousands of suspended torrents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WakeLine } from '../../../src/torrent/session/wake-line.ts'

test('two hundred are awake at a time; each that leaves lets the next one wake, with what was named last', () => {
  const line = new WakeLine()
  const woken: string[] = []
  const torrents = Array.from({ length: 203 }, (_, number) => ({ number }))
  const enter = (number: number, what = '') =>
    line.enter(torrents[number] as object, () => woken.push(`${number}${what}`))
  for (let number = 0; number < 200; number += 1) enter(number)
  assert.equal(woken.length, 200)
  assert.equal(line.crowded, false)
  for (let number = 200; number < 203; number += 1) enter(number)
  enter(200, ' again')
  enter(7, ' again')
  assert.deepEqual(woken.slice(200), ['7 again'])
  assert.equal(line.crowded, true)
  line.left(torrents[3] as object)
  line.left(torrents[3] as object)
  assert.deepEqual(woken.slice(201), ['200 again'])
  // One that waits and goes is not woken.
  line.left(torrents[201] as object)
  line.left(torrents[4] as object)
  assert.deepEqual(woken.slice(202), ['202'])
  assert.equal(line.crowded, false)
})
