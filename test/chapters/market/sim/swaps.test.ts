// Swaps between two traders that both behave: completed, with exact balances.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_AMOUNT, PAIRINGS, SECOND_AMOUNT, SwapRig } from '../kit/swap-rig.ts'

const GAINS = {
  // Deposit payment, funding, sweep, and the claim, 100 each; a claim of Ethereum's kind is paid by a deposit of its
  // own, which is paid and swept too.
  'utxo-utxo': [
    [-50_300n, 699_900n],
    [49_900n, -700_300n],
  ],
  'utxo-evm': [
    [-50_300n, 699_700n],
    [49_900n, -700_300n],
  ],
  'evm-utxo': [
    [-50_300n, 699_900n],
    [49_700n, -700_300n],
  ],
} as const

for (const pairing of PAIRINGS) {
  test(`${pairing}: both sides have what they agreed on, less the fees`, async () => {
    const rig = new SwapRig(pairing)
    await rig.start()
    assert.ok(await rig.begin(await rig.agree()))
    await rig.run(40_000)
    rig.stop()
    for (const node of rig.nodes) {
      const { outcome, step, given, taken } = node.view ?? {}
      const amounts = node.role === 'initiator' ? [FIRST_AMOUNT, SECOND_AMOUNT] : [SECOND_AMOUNT, FIRST_AMOUNT]
      assert.deepEqual([outcome, step, given, taken], ['completed', 'closed', ...amounts])
    }
    assert.deepEqual([rig.gain('initiator'), rig.gain('participant')], GAINS[pairing])
    assert.equal(rig.missing, 0n)
  })
}
