// Contracts of swaps on a real chain of litecoind (regtest), its blocks without extensions; at the end once more with
// them, as they are in life.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../../../kit/requirements.ts'
import { startSwapLitecoin } from '../kit/swap-utxo-chains.ts'
import { SwapUtxoRig } from '../kit/swap-utxo-rig.ts'
import { swapSuite } from '../kit/swap-utxo-suite.ts'

const skip = needs('litecoind')

swapSuite({
  skip,
  start: () => startSwapLitecoin({ extension: false }),
  replaces: true,
  elsewhere: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
})

test('blocks with extensions are read, and six of them taken back', { skip, timeout: 120_000 }, async () => {
  const chain = await startSwapLitecoin()
  const rig = new SwapUtxoRig(chain)
  try {
    const swaps = rig.fresh()
    const swap = await rig.swap()
    const { found } = await rig.funded(swaps, swap)
    const secret = swap.secret.toString('hex')
    const claim = await swaps.makeClaim(swap.terms, found, secret, swap.claimer, swap.claimTo, 0)
    await swaps.send(claim)
    const [first = ''] = await chain.mine(6)
    assert.equal((await swaps.findEnd(swap.terms, found, swap.from))?.confirmations, 6)
    await chain.rpc.call('invalidateblock', first)
    const end = { kind: 'claimed', secret, txid: claim.txid }
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), { ...end, confirmations: 0 })
    // To another address: the blocks that were invalidated would be made again.
    await chain.rpc.call('generatetoaddress', 7, await chain.rpc.call<string>('getnewaddress', '', 'bech32'))
    assert.deepEqual(await rig.fresh().findEnd(swap.terms, found, swap.from), { ...end, confirmations: 7 })
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), { ...end, confirmations: 7 })
  } finally {
    rig.close()
    await chain.stop()
  }
})
