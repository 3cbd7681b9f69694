// The table of outcomes: either side killed or muted at every one of its steps, for ever, for a moment or for hours, on
// every pairing of chains, wallets locked as soon as they have paid. No side that comes back, or never left, loses more
// than fees; money is never made or lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inThread } from '../../../kit/runners/in-thread.ts'
import { type OutcomeRow, rowText, TROUBLES } from '../kit/swap-outcomes.ts'
import { PAIRINGS, ROLES } from '../kit/swap-rig.ts'

for (const pairing of PAIRINGS) {
  for (const side of ROLES) {
    for (const trouble of TROUBLES) {
      test(`${pairing}: ${side} ${trouble}, at each step`, async t => {
        const outcomes = new URL('../kit/swap-outcomes.js', import.meta.url)
        const row = await inThread<OutcomeRow>(outcomes, 'playRow', [pairing, side, trouble])
        t.diagnostic(rowText(row))
        assert.deepEqual(row.problems, [])
        assert.ok(row.cases >= 20, `only ${row.cases} cases`)
        assert.ok(row.ends.has('swapped/swapped') && row.ends.size > 1, 'steps before and after the turning point')
      })
    }
  }
}
