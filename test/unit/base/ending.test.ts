// An end that many waits share.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ending } from '../../../src/base/ending.ts'

test('a wait settles as it would, until the end comes', async () => {
  const ending = new Ending()
  assert.equal(await ending.until(Promise.resolve(1)), 1)
  await assert.rejects(ending.until(Promise.reject(new Error('own'))), /own/)
  assert.equal(ending.over, false)
  const waiting = ending.until(new Promise(() => undefined))
  ending.end(new Error('over'))
  await assert.rejects(waiting, /over/)
  await assert.rejects(ending.until(new Promise(() => undefined)), /over/)
  ending.end(new Error('again'))
  await assert.rejects(ending.until(Promise.resolve(2)), /over/)
  assert.equal(ending.over, true)
})
