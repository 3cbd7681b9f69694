// Chains and servers in trouble at each step of a swap: reorganisations, servers that are down, congestion, servers
// that lie about time and height.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inThread } from '../../../kit/runners/in-thread.ts'
import { PAIRINGS } from '../kit/swap-rig.ts'
import { type Played, TROUBLES_OF_CHAINS } from '../kit/swap-troubles.ts'

for (const what of TROUBLES_OF_CHAINS) {
  for (const pairing of PAIRINGS) {
    test(`${pairing}: ${what}, at each step of either side`, async t => {
      const troubles = new URL('../kit/swap-troubles.js', import.meta.url)
      const { ends, problems } = await inThread<Played>(troubles, 'playTrouble', [pairing, what])
      t.diagnostic(`${pairing}: ${what}: ${JSON.stringify([...ends])}`)
      assert.deepEqual(problems, [])
      assert.ok((ends.get('swapped') ?? 0) > 0)
    })
  }
}
