// What keys ask of the player.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionOf, keyHelp, speedFrom } from '../../../src/web/model/player-keys.ts'

test('each key has its meaning, in either case', () => {
  assert.deepEqual(actionOf(' '), { does: 'toggle' })
  assert.deepEqual(actionOf('K'), actionOf('k'))
  assert.deepEqual(actionOf('ArrowLeft'), { does: 'seek', by: -5 })
  assert.deepEqual(actionOf('7'), { does: 'part', by: 0.7 })
  assert.deepEqual(actionOf('>'), { does: 'speed', by: 1 })
  for (const key of ['x', 'Enter', 'Tab', 'constructor', '__proto__', '', '10']) assert.equal(actionOf(key), null, key)
  assert.equal(keyHelp.length, 11)
})

test('speeds go in steps and end', () => {
  assert.equal(speedFrom(1, 1), 1.25)
  assert.equal(speedFrom(2, 1), 2)
  assert.equal(speedFrom(0.5, -1), 0.5)
  assert.equal(speedFrom(1.1, -1), 1)
  assert.equal(speedFrom(16, 0), 2)
})
