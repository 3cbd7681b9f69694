// Hash-time-locked swaps on a real chain of anvil: locks kept by the chain itself, claims, refunds, replacements, blocks taken back, exact to the wei.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { withoutAnvil } from '../kit/anvil-chain.ts'
import { refusalOf, SwapEtherRig } from '../kit/swap-ether-rig.ts'

const options = { skip: withoutAnvil, timeout: 120_000 }
const ETHER = 10n ** 18n

let rig: SwapEtherRig

before(async () => {
  if (withoutAnvil === false) rig = await SwapEtherRig.start()
})
after(async () => {
  await rig?.stop()
})

test(
  'a funding makes the contract where it is missing; the claim with the secret pays; every wei is accounted for',
  options,
  async () => {
    const swaps = rig.swaps()
    const [terms, secret] = await rig.terms(ETHER, 3_600)
    const need = await swaps.purseNeed('fund', ETHER)
    const key = await rig.purse(need)
    const { funding } = await swaps.makeFunding(terms, key, terms.refundKey)
    assert.equal(funding.length, 1)
    for (const each of funding) await swaps.send(each)
    const funded = await rig.mined(funding[0]?.txid ?? '')
    const found = await swaps.findFunding(terms, 0, null)
    assert.ok(found)
    const claimer = await rig.purse(await swaps.purseNeed('claim', ETHER))
    const claim = await swaps.makeClaim(terms, found, secret, claimer, terms.claimKey, 0)
    await swaps.send(claim)
    assert.equal(await rig.balance(terms.claimKey), ETHER)
    const end = await swaps.findEnd(terms, found, 0)
    assert.deepEqual(end, { kind: 'claimed', txid: claim.txid, confirmations: 1, secret })
    const sweep = await swaps.makeSweep(key, terms.refundKey)
    assert.ok(sweep)
    await swaps.send(sweep)
    assert.equal(await rig.balance(swaps.purseAddress(key)), 0n)
    assert.equal(await rig.balance(terms.refundKey), need - ETHER - (funded?.fee ?? 0n) - sweep.fee)
  },
)

test('the chain itself refuses a refund before the lock, and takes it after', options, async () => {
  const swaps = rig.swaps()
  const [terms] = await rig.terms(ETHER, 3_600)
  const key = await rig.purse(await swaps.purseNeed('fund', ETHER))
  const { funding } = await swaps.makeFunding(terms, key, terms.refundKey)
  for (const each of funding) await swaps.send(each)
  const found = await swaps.findFunding(terms, 0, null)
  assert.ok(found)
  const early = await swaps.makeRefund(terms, found, key, terms.refundKey, 0)
  assert.equal(await refusalOf(swaps.send(early)), 'TransferRefused')
  await rig.force(early)
  assert.equal((await rig.mined(early.txid))?.succeeded, false)
  assert.equal(await rig.balance(terms.refundKey), 0n)
  await rig.mineAt(terms.lockS)
  const refund = await swaps.makeRefund(terms, found, key, terms.refundKey, 0)
  await swaps.send(refund)
  assert.equal(await rig.balance(terms.refundKey), ETHER)
  assert.equal((await swaps.findEnd(terms, found, 0))?.kind, 'refunded')
})
