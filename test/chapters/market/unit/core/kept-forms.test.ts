// Orders and trades as texts, and texts that are none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SwapPayment } from '../../../../../src/chapters/market/ports/swap-engine.ts'
import type { KeptOrder } from '../../../../../src/chapters/market/core/held-order.ts'
import { parseOrder, parseTrade, textOf } from '../../../../../src/chapters/market/core/kept-forms.ts'
import type { KeptTrade } from '../../../../../src/chapters/market/core/own-trade.ts'
import { TestTrader } from '../../kit/market-orders.ts'
import { sampleAgreement } from '../../kit/sample-swap.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'

const { terms } = new TestTrader('ann').order({ quantity: (1n << 127n) + 1n })
const order: KeptOrder = {
  terms,
  key: 'a "key"\n',
  needs: { fee: 1n, gas: 0n, leastQuantity: 10n ** 30n },
  status: 'withdrawn',
  reason: 'Gone.',
  closedMs: 5,
  completedMs: null,
  sequence: 17,
}
const payment: SwapPayment = {
  kind: 'claim',
  coin: 'LTC',
  txid: 'ab',
  amount: 5n,
  fee: 1n,
  timeMs: 9,
  theirs: true,
  confirmed: false,
}
const trade: KeptTrade = {
  number: 3,
  order: terms,
  agreement: sampleAgreement(),
  needsFee: 2n,
  needsGas: 3n,
  endedMs: 77,
  end: {
    role: 'participant',
    step: 'closed',
    waitsFor: '',
    outcome: 'completed',
    given: 4n,
    taken: 10n ** 25n,
    payments: [payment],
  },
}

test('what was written is read, to the last unit', () => {
  assert.deepEqual(parseOrder(textOf(order)), order)
  assert.deepEqual(parseTrade(textOf(trade)), trade)
  const runs = { ...trade, end: null, endedMs: 0 }
  assert.deepEqual(parseTrade(textOf(runs)), runs)
})

test('a damaged text is none, and never throws', () => {
  for (const text of ['', 'null', '[]', '{}', '{"terms":7}', 'nothing', '{"number":1,"order":null}']) {
    assert.equal(parseOrder(text), null, text)
    assert.equal(parseTrade(text), null, text)
  }
  const random = new SeededRandom(9)
  for (const [text, parse] of [
    [textOf(order), parseOrder],
    [textOf(trade), parseTrade],
  ] as const) {
    for (let length = 0; length < text.length - 2; length += 7) assert.equal(parse(text.slice(0, length)), null)
    for (let count = 0; count < 3_000; count++) {
      const at = random.below(text.length)
      parse(text.slice(0, at) + String.fromCharCode(32 + random.below(95)) + text.slice(at + 1))
    }
  }
  for (const [from, to] of [
    ['"sequence":17', '"sequence":-1'],
    ['"sequence":17', '"sequence":1.5'],
    ['"fee":"1"', '"fee":"-1"'],
    ['"fee":"1"', '"fee":1'],
    ['"withdrawn"', '"open to all"'],
  ] as const) {
    assert.equal(parseOrder(textOf(order).replace(from, to)), null, to)
  }
})
