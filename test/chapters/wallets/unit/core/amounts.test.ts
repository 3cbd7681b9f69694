// Amounts: exact from text and numbers, and nothing that is not one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../../../src/base/errors.ts'
import { formatAmount, parseAmount, unitsOfServer } from '../../../../../src/chapters/wallets/core/amounts.ts'

test('text and numbers become whole units, exactly', () => {
  const good: [unknown, number, bigint][] = [
    [0.1, 8, 10_000_000n],
    ['0.1', 8, 10_000_000n],
    [1e-8, 8, 1n],
    [20_999_999.9769, 8, 2_099_999_997_690_000n],
    [0.29, 2, 29n],
    [1.15, 2, 115n],
    ['0.000000000000000001', 18, 1n],
    ['115792.000000000000000007', 18, 115_792_000_000_000_000_000_007n],
    [1e3, 0, 1000n],
    ['5.000', 0, 5n],
  ]
  for (const [value, decimals, units] of good) assert.equal(parseAmount(value, decimals), units, String(value))
})

test('what is no amount is refused', () => {
  const bad = [
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e-9,
    0.123456789,
    0.1234567890123456,
    2 ** 60,
    1e300,
    1e-300,
  ]
  const texts = [
    '',
    ' ',
    'NaN',
    '1e5',
    '-1',
    '+1',
    '0',
    '0.0',
    '1.',
    '.5',
    '0x10',
    '1,5',
    '1.123456789',
    '9'.repeat(31),
    null,
    true,
    {},
    [1],
  ]
  for (const value of [...bad, ...texts]) {
    assert.throws(
      () => parseAmount(value, 8),
      (error: AppError) => error.code === 'InvalidParameter',
      JSON.stringify(value),
    )
  }
})

test('whatever is written comes back', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 25n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      assert.equal(parseAmount(formatAmount(units, decimals), decimals), units)
    }),
  )
  assert.deepEqual([formatAmount(0n, 8), formatAmount(-150n, 2), formatAmount(100n, 0)], ['0', '-1.5', '100'])
})

test('numbers of up to fifteen digits are what was sent', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n - 1n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      const sent = JSON.parse(formatAmount(units, decimals)) as number
      assert.equal(parseAmount(sent, decimals), units)
    }),
  )
})

test('rates of servers are read as exactly, and nonsense is none', () => {
  assert.deepEqual([unitsOfServer(0.00001, 8), unitsOfServer(0, 8)], [1000n, 0n])
  for (const value of [-1, Number.NaN, '', null, undefined]) assert.equal(unitsOfServer(value, 8), null)
})
