// When a worker that says nothing is given up.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignsOfLife } from '../../../../src/web/model/film/signs-of-life.ts'

test('a worker that loads is waited for, one that has spoken and falls silent for ten looks is not', () => {
  const life = new SignsOfLife()
  for (let look = 0; look < 100; look += 1) assert.equal(life.look(), false, 'it is loading')
  for (let word = 0; word < 3; word += 1) {
    life.heard()
    for (let look = 0; look < 10; look += 1) assert.equal(life.look(), false, `look ${look}`)
  }
  assert.equal(life.look(), true)
})
