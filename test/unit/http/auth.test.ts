// The comparison of keys: only the key itself is the key, whatever its length and whatever was compared before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyCheck } from '../../../src/http/auth.ts'

test('only the key is accepted, whatever was compared before', () => {
  for (const key of ['k', 'secret', 'é'.repeat(40), 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(1000)]) {
    const check = new KeyCheck(key)
    const wrong = [
      '',
      '\0',
      `${key}\0`,
      `${key}x`,
      `${key}${'x'.repeat(2000)}`,
      key.slice(1),
      `X${key.slice(1)}`,
      key.repeat(2),
    ]
    for (const presented of wrong) {
      assert.equal(check.accepts(key), true)
      assert.equal(check.accepts(presented), false, JSON.stringify(presented.slice(0, 20)))
    }
    assert.equal(check.accepts(null), false)
    assert.equal(check.required, true)
  }
})

test('an empty key switches the check off', () => {
  const check = new KeyCheck('')
  assert.equal(check.required, false)
  assert.equal(check.accepts(null), true)
  assert.equal(check.accepts('anything'), true)
})
