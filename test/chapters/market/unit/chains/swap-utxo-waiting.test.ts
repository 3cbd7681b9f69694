// What waits for a block, with a transaction named by somebody: it is looked at although the server's list does not
// have it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SwapWaiting } from '../../../../../src/chapters/market/chains/swap-utxo-waiting.ts'
import type { UtxoChain } from '../../../../../src/chapters/wallets/service/wallet-utxo-chain.ts'
import { spendDeposit } from '../../../../../src/chapters/market/chains/htlc-spend.ts'
import { readTransaction } from '../../../../../src/chapters/wallets/core/tx-reader.ts'
import { drawnKey } from '../../../../kit/sim/drawn-key.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const input = { txid: '01'.repeat(32), index: 0, value: 10_000_000n, script: '' }
const { raw } = spendDeposit(drawnKey(1), [input], [{ script: Buffer.from(SCRIPT, 'hex'), value: 5000n }])
const paying = readTransaction(Buffer.from(raw, 'hex'))

/** A chain whose list of waiting transactions is `listed`. */
function chainOf(listed: readonly string[]) {
  const asked: string[] = []
  const chain = {
    waiting: () => Promise.resolve(listed),
    transaction: (txid: string) => {
      asked.push(txid)
      return Promise.resolve(txid === paying.txid ? paying : null)
    },
  } as unknown as UtxoChain
  return { chain, asked }
}

test('a named transaction is found before the list has it', async () => {
  const { chain, asked } = chainOf([])
  const [facts] = await new SwapWaiting().find(chain, [`script ${SCRIPT}`], paying.txid)
  assert.deepEqual(
    facts?.map(({ txid, value, height }) => [txid, value, height]),
    [[paying.txid, 5000n, null]],
  )
  assert.deepEqual(asked, [paying.txid])
})

test('without a name only the list counts, and nothing else is asked for', async () => {
  const { chain, asked } = chainOf([])
  assert.deepEqual(await new SwapWaiting().find(chain, [`script ${SCRIPT}`]), [[]])
  assert.deepEqual(asked, [])
  const listed = chainOf([paying.txid])
  const [facts] = await new SwapWaiting().find(listed.chain, [`script ${SCRIPT}`])
  assert.equal(facts?.length, 1)
})
