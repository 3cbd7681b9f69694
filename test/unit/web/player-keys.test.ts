// What keys ask of the player.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyHelp } from '../../../src/web/model/player-key-words.ts'
import { actionOf, repeats, speedFrom } from '../../../src/web/model/player-keys.ts'

test('each key has its meaning, in either case', () => {
  assert.deepEqual(actionOf(' '), { does: 'toggle' })
  assert.deepEqual(actionOf('K'), actionOf('k'))
  assert.deepEqual(actionOf('ArrowLeft'), { does: 'seek', by: -5 })
  assert.deepEqual(actionOf('7'), { does: 'part', by: 0.7 })
  assert.deepEqual(actionOf('>'), { does: 'speed', by: 1 })
  for (const key of ['x', 'Enter', 'Tab', 'constructor', '__proto__', '', '10']) assert.equal(actionOf(key), null, key)
  assert.equal(keyHelp.length, 11)
})

test('a key that is held down seeks on, but does not run through a series or turn things round', () => {
  const held = (key: string): boolean => {
    const action = actionOf(key)
    return action !== null && repeats(action)
  }
  for (const key of ['j', 'l', 'ArrowLeft', 'ArrowUp', '>']) assert.equal(held(key), true, key)
  for (const key of ['n', 'p', 'k', ' ', 'f', 'm', 'c', 'i', '5']) assert.equal(held(key), false, key)
})

test('speeds go in steps and end', () => {
  assert.equal(speedFrom(1, 1), 1.25)
  assert.equal(speedFrom(2, 1), 2)
  assert.equal(speedFrom(0.5, -1), 0.5)
  assert.equal(speedFrom(1.1, -1), 1)
  assert.equal(speedFrom(16, 0), 2)
})
