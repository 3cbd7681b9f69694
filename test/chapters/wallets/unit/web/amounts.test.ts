// Amounts of coins as they are typed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAmount } from '../../../../../src/chapters/wallets/web/model/amounts.ts'

test('amounts are decimal numbers above nothing', () => {
  for (const text of ['1', '0.5', '0.000000000000000001', ' 3 ']) assert.ok(isAmount(text), text)
  for (const text of ['', '0', '0.0', '-1', '1e3', 'NaN', '.5', '1.', '1,5', '0x10', '0.0000000000000000001'])
    assert.ok(!isAmount(text), text)
})
