// What /docs says of GET /downloads/{infohash}/explain: exactly the codes that are answered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlRoutes } from '../../../src/http/routes/controls.ts'
import { explainCodes } from '../../../src/services/downloads/reasons/explain-codes.ts'

test('the docs name every code of explain, and no other', () => {
  const route = controlRoutes.find(({ id }) => id === 'downloads.explain')
  const text = (route?.choices ?? []).join(' ')
  const codes = Object.keys(explainCodes)
  assert.deepEqual(
    codes.filter(code => !new RegExp(`\\b${code}\\b`).test(text)),
    [],
  )
  const named = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []
  assert.deepEqual(
    named.filter(word => !codes.includes(word)),
    [],
  )
})
