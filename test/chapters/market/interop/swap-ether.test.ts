// Our side of swaps on a real chain of anvil: what is funded, found, claimed, taken back and given back, exact to the
// wei; fees that are raised while no block comes; blocks that are taken back; objects made again in between, as after
// kill -9. The contract itself: swap-ether-contract.test.ts.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { SignedTransaction } from '../../../../src/chapters/market/ports/swap-chain.ts'
import { SWAP_GAS } from '../../../../src/chapters/market/chains/swap-evm-fees.ts'
import { LOCK_ADDRESS } from '../../../../src/chapters/market/chains/evm-contract.ts'
import { readEvmTransfer } from '../../../../src/chapters/wallets/core/evm-signing.ts'
import { withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { refusalOf, SwapEtherRig } from '../kit/swap-ether-rig.ts'

const options = { skip: withoutAnvil, timeout: 120_000 }
const ETHER = 10n ** 18n
/** Seconds that tests with locks may move the chain's clock by. */
const HOUR = 3_600

let rig: SwapEtherRig

const feeOf = async ({ txid }: SignedTransaction): Promise<bigint> => {
  const mined = await rig.mined(txid)
  assert.ok(mined?.succeeded)
  return mined.fee
}
const gasOf = async ({ txid }: SignedTransaction): Promise<bigint> => (await rig.mined(txid))?.gas ?? 0n
/** Without blocks of its own, until `run` is over. */
const held = async (run: () => Promise<void>): Promise<void> => {
  await rig.chain.call('evm_setAutomine', false)
  try {
    await run()
  } finally {
    await rig.chain.call('evm_setAutomine', true)
  }
}

before(async () => {
  if (withoutAnvil === false) rig = await SwapEtherRig.start()
})
after(async () => {
  await rig?.stop()
})

test(
  'whoever comes first makes the contract; both deposits end at nothing, every wei is accounted for',
  options,
  async () => {
    const swaps = rig.swaps()
    const gas: bigint[] = []
    for (const turn of ['first', 'second']) {
      const [terms, secret] = await rig.terms(ETHER + 7n, HOUR)
      const [need, gasMoney] = [
        await swaps.depositNeed('fund', terms.amount),
        await swaps.depositNeed('claim', terms.amount),
      ]
      const [key, claimer] = [await rig.deposit(need), await rig.deposit(gasMoney)]
      const { funding, refund } = await swaps.makeFunding(terms, key, terms.refundKey)
      assert.deepEqual([funding.length, refund], [1, null])
      const [fund] = funding as [SignedTransaction]
      assert.equal(await swaps.findFunding(terms, 0, null), null, 'nothing is sent')
      await rig.send(swaps, fund)
      const found = await swaps.findFunding(terms, 0, null)
      assert.deepEqual([found?.txid, found?.confirmations], [fund.txid, 1], turn)
      assert.ok(found)
      assert.equal(await swaps.findEnd(terms, found, 0), null)
      const claim = await swaps.makeClaim(terms, found, secret, claimer, terms.claimKey, 0)
      await rig.send(swaps, claim)
      const end = { kind: 'claimed', txid: claim.txid, confirmations: 1, secret }
      assert.deepEqual(await swaps.findEnd(terms, found, found.height ?? 0), end)
      const rest = await swaps.makeSweep(key, terms.refundKey)
      const claimed = await swaps.makeSweep(claimer, terms.claimKey)
      assert.ok(rest && claimed)
      await rig.send(swaps, rest)
      await rig.send(swaps, claimed)
      for (const each of [key, claimer]) {
        assert.equal(await rig.balance(swaps.depositAddress(each)), 0n)
        assert.equal(await swaps.makeSweep(each, terms.refundKey), null)
      }
      assert.equal(await rig.balance(terms.refundKey), need - terms.amount - (await feeOf(fund)) - (await feeOf(rest)))
      assert.equal(await swaps.feePaid(claim.txid), await feeOf(claim))
      const paid = terms.amount + gasMoney - (await feeOf(claim)) - (await feeOf(claimed))
      assert.equal(await rig.balance(terms.claimKey), paid)
      assert.equal(claimed.fee, await feeOf(claimed))
      gas.push(await gasOf(fund))
      assert.ok((await gasOf(claim)) * 4n < SWAP_GAS.claim * 3n)
      await rig.mine(3)
    }
    const [first = 0n, second = 0n] = gas
    assert.ok(first * 4n < (SWAP_GAS.fund + SWAP_GAS.make) * 3n && second * 4n < SWAP_GAS.fund * 3n, String(gas))
    assert.ok(second * 3n < first, 'the second has found the contract')
  },
)

test(
  'a refund before the lock is refused before it costs anything, fails in a block, and is paid after',
  options,
  async () => {
    const swaps = rig.swaps()
    const [terms] = await rig.terms(ETHER, HOUR)
    const { key, found } = await rig.fund(terms)
    const deposit = swaps.depositAddress(key)
    const before = await rig.balance(deposit)
    const early = await swaps.makeRefund(terms, found, key, terms.refundKey, 0)
    assert.equal(await refusalOf(swaps.send(early)), 'TransferRefused')
    assert.equal(await rig.balance(deposit), before)
    await rig.force(early)
    const failed = await rig.mined(early.txid)
    assert.equal(failed?.succeeded, false)
    assert.equal(await rig.balance(terms.refundKey), 0n)
    assert.equal(await swaps.confirmations(early.txid), null, 'it did nothing')
    assert.equal(await refusalOf(swaps.send(early)), 'TransferRefused')
    await rig.mineAt(terms.lockS)
    assert.equal((await swaps.now()).timeS, terms.lockS)
    const refund = await swaps.makeRefund(terms, found, key, terms.refundKey, 2)
    await rig.send(swaps, refund)
    assert.equal(await rig.balance(terms.refundKey), ETHER)
    assert.equal(await rig.balance(deposit), before - (failed?.fee ?? 0n) - (await feeOf(refund)))
    const end = await swaps.findEnd(terms, found, 0)
    assert.deepEqual(end, { kind: 'refunded', txid: refund.txid, confirmations: 1, secret: null })
    assert.ok((await gasOf(refund)) * 4n < SWAP_GAS.refund * 3n)
  },
)

test('what cannot succeed any more is refused and costs nothing', options, async () => {
  const swaps = rig.swaps()
  const [terms, secret] = await rig.terms(ETHER, HOUR)
  const { key, found } = await rig.fund(terms)
  const claimer = await rig.deposit(await swaps.depositNeed('claim', ETHER))
  const sent = async (made: Promise<SignedTransaction>): Promise<string> => refusalOf(rig.send(swaps, await made))
  const claim = (opening: string, by = claimer): Promise<SignedTransaction> =>
    swaps.makeClaim(terms, found, opening, by, terms.claimKey, 0)
  assert.equal(await sent(claim('00'.repeat(32))), 'TransferRefused', 'a wrong secret')
  const again = await rig.deposit(await swaps.depositNeed('fund', ETHER))
  const [second] = (await swaps.makeFunding(terms, again, terms.refundKey)).funding
  assert.ok(second)
  assert.equal(await refusalOf(swaps.send(second)), 'TransferRefused', 'funded twice')
  assert.equal(await sent(claim(secret)), '')
  const before = [await rig.balance(swaps.depositAddress(claimer)), await rig.balance(swaps.depositAddress(key))]
  assert.equal(await sent(claim(secret)), 'TransferRefused', 'claimed twice')
  await rig.mineAt(terms.lockS)
  assert.equal(
    await sent(swaps.makeRefund(terms, found, key, terms.refundKey, 0)),
    'TransferRefused',
    'taken back after a claim',
  )
  const now = [await rig.balance(swaps.depositAddress(claimer)), await rig.balance(swaps.depositAddress(key))]
  assert.deepEqual(now, before)
})

test(
  'somebody else funds the same terms: that is found, ours is refused and all of it comes back',
  options,
  async () => {
    const swaps = rig.swaps()
    const [terms] = await rig.terms(ETHER, HOUR)
    const need = await swaps.depositNeed('fund', ETHER)
    const key = await rig.deposit(need)
    const [ours] = (await swaps.makeFunding(terms, key, terms.refundKey)).funding
    assert.ok(ours)
    const { sent } = await rig.fund(terms)
    assert.equal(await refusalOf(swaps.send(ours)), 'TransferRefused')
    assert.equal((await swaps.findFunding(terms, 0, null))?.txid, sent.txid)
    const sweep = await swaps.makeSweep(key, terms.refundKey)
    assert.ok(sweep)
    await rig.send(swaps, sweep)
    assert.equal(await rig.balance(terms.refundKey), need - sweep.fee)
  },
)

test('a deposit that has too little funds nothing', options, async () => {
  const swaps = rig.swaps()
  const [terms] = await rig.terms(ETHER, HOUR)
  const need = await swaps.depositNeed('fund', ETHER)
  const { maxFee } = readEvmTransfer((await rig.fund((await rig.terms(ETHER, HOUR))[0])).sent.raw)
  const poor = await rig.deposit(ETHER + (SWAP_GAS.fund + SWAP_GAS.refund / 2n) * (maxFee / 2n))
  assert.equal(await refusalOf(swaps.makeFunding(terms, poor, terms.refundKey)), 'InsufficientFunds')
  assert.deepEqual(await swaps.deposit(poor), { balance: await rig.balance(swaps.depositAddress(poor)) })
  const empty = randomBytes(32)
  assert.equal(await refusalOf(swaps.makeFunding(terms, empty, terms.refundKey)), 'InsufficientFunds')
  assert.equal(await swaps.makeSweep(empty, terms.refundKey), null)
  assert.ok(need > ETHER)
})

test(
  'a claim that waits is replaced by dearer ones, also by a process that begins anew; one of them is mined',
  options,
  async () => {
    const swaps = rig.swaps()
    const [terms, secret] = await rig.terms(ETHER, HOUR)
    const { found } = await rig.fund(terms)
    const claimer = await rig.deposit(await swaps.depositNeed('claim', ETHER))
    const made: SignedTransaction[] = []
    await held(async () => {
      const claim = (urgency: number, by = swaps): Promise<SignedTransaction> =>
        by.makeClaim(terms, found, secret, claimer, terms.claimKey, urgency)
      for (const urgency of [0, 1, 2]) {
        const next = await claim(urgency)
        assert.equal((await claim(urgency)).txid, next.txid, 'the same urgency is the same transaction')
        await swaps.send(next)
        await swaps.send(next)
        made.push(next)
        assert.equal(await swaps.confirmations(next.txid), 0)
      }
      assert.equal(await refusalOf(swaps.makeSweep(claimer, terms.claimKey)), 'TransferRefused')
      const anew = rig.swaps()
      assert.equal(await refusalOf(anew.send(await claim(0, anew))), 'TransferRefused', 'it pays less than what waits')
      const restarted = rig.swaps()
      await restarted.send(made[2] as SignedTransaction)
      const last = await claim(0, restarted)
      await restarted.send(last)
      made.push(last)
    })
    const fees = made.map(({ raw }) => readEvmTransfer(raw))
    for (const [at, { nonce, maxFee, tip }] of fees.entries()) {
      const before = fees[at - 1]
      assert.equal(nonce, 0)
      if (before === undefined) continue
      assert.ok(maxFee * 8n >= before.maxFee * 9n && (tip ?? 0n) * 8n >= (before.tip ?? 0n) * 9n, `step ${at}`)
    }
    await rig.settled(made.at(-1)?.txid ?? '')
    const counts = await Promise.all(made.map(({ txid }) => swaps.confirmations(txid)))
    assert.deepEqual(counts, [null, null, null, counts[3]])
    assert.ok((counts[3] ?? 0) > 0)
    assert.equal(await rig.balance(terms.claimKey), ETHER)
    for (const { txid, raw } of made.slice(0, 3))
      assert.equal(await refusalOf(swaps.send({ raw, txid, fee: 0n })), 'TransferRefused')
  },
)

test('a funding that no block takes is made void by the sweep, which brings all of it home', options, async () => {
  const swaps = rig.swaps()
  const [terms] = await rig.terms(ETHER, HOUR)
  const need = await swaps.depositNeed('fund', ETHER)
  const key = await rig.deposit(need)
  const [fund] = (await swaps.makeFunding(terms, key, terms.refundKey)).funding
  assert.ok(fund)
  const sweeps: SignedTransaction[] = []
  await held(async () => {
    await swaps.send(fund)
    const sweep = await rig.swaps().makeSweep(key, terms.refundKey)
    assert.ok(sweep)
    await swaps.send(sweep)
    sweeps.push(sweep)
  })
  const [sweep] = sweeps
  assert.ok(sweep)
  await rig.settled(sweep.txid)
  assert.equal(await rig.mined(fund.txid), null)
  assert.equal(await refusalOf(swaps.send(fund)), 'TransferRefused')
  assert.equal(await swaps.findFunding(terms, 0, null), null)
  assert.equal(await rig.balance(terms.refundKey), need - (await feeOf(sweep)))
  assert.equal(await rig.balance(swaps.depositAddress(key)), 0n)
})

test('six blocks are taken back: what was in them is gone, sent again it counts again', options, async () => {
  const swaps = rig.swaps()
  const [terms, secret] = await rig.terms(ETHER, HOUR)
  const key = await rig.deposit(await swaps.depositNeed('fund', ETHER))
  const claimer = await rig.deposit(await swaps.depositNeed('claim', ETHER))
  const [fund] = (await swaps.makeFunding(terms, key, terms.refundKey)).funding
  assert.ok(fund)
  const back = async (run: () => Promise<void>): Promise<void> => {
    const state = await rig.chain.call<string>('evm_snapshot')
    await run()
    await rig.mine(5)
    await rig.chain.call('evm_revert', state)
    await rig.chain.call('evm_increaseTime', 30)
    await rig.mine(1)
  }
  await back(async () => {
    await rig.send(swaps, fund)
    assert.equal((await swaps.findFunding(terms, 0, fund.txid))?.confirmations, 1)
  })
  assert.equal(await swaps.findFunding(terms, 0, fund.txid), null)
  assert.equal(await swaps.confirmations(fund.txid), null)
  await rig.send(swaps, fund)
  const found = await swaps.findFunding(terms, 0, null)
  assert.ok(found)
  const claim = await swaps.makeClaim(terms, found, secret, claimer, terms.claimKey, 0)
  await back(async () => {
    await rig.send(swaps, claim)
    assert.equal((await swaps.findEnd(terms, found, 0))?.secret, secret)
  })
  assert.equal(await swaps.findEnd(terms, found, 0), null)
  assert.equal(await rig.balance(terms.claimKey), 0n)
  await rig.send(rig.swaps(), claim)
  await rig.mine(11)
  assert.equal((await swaps.findEnd(terms, found, 0))?.confirmations, 12)
  assert.equal(await swaps.confirmations(claim.txid), 12)
  assert.equal((await swaps.findFunding(terms, 0, null))?.txid, fund.txid)
})

test('a contract whose block is taken back takes no money with it', options, async () => {
  const fresh = await SwapEtherRig.start()
  try {
    const swaps = fresh.swaps()
    const [terms] = await fresh.terms(ETHER, HOUR)
    const key = await fresh.deposit((await swaps.depositNeed('fund', ETHER)) * 2n)
    const state = await fresh.chain.call<string>('evm_snapshot')
    await fresh.fund((await fresh.terms(ETHER, HOUR))[0])
    const [careful] = (await swaps.makeFunding(terms, key, terms.refundKey)).funding
    await fresh.mine(5)
    const [sure] = (await fresh.swaps().makeFunding(terms, key, terms.refundKey)).funding
    assert.ok(careful && sure && sure.raw.length < careful.raw.length, 'a new contract is made once more')
    await fresh.chain.call('evm_revert', state)
    assert.equal(await refusalOf(swaps.send(sure)), 'TransferRefused')
    assert.equal(await fresh.balance(LOCK_ADDRESS), 0n)
    await fresh.send(swaps, careful)
    assert.equal((await swaps.findFunding(terms, 0, null))?.txid, careful.txid)
    assert.equal(await fresh.balance(LOCK_ADDRESS), ETHER)
  } finally {
    await fresh.stop()
  }
})

test('a chain with another id, and other code in the place of the contract, are not used', options, async () => {
  const [terms] = await rig.terms(ETHER, HOUR)
  const code = await rig.chain.call<string>('eth_getCode', LOCK_ADDRESS, 'latest')
  await rig.chain.call('anvil_setCode', LOCK_ADDRESS, `${code.slice(0, -2)}01`)
  const key = await rig.deposit(2n * ETHER)
  assert.equal(await refusalOf(rig.swaps().makeFunding(terms, key, terms.refundKey)), 'WalletServerFailed')
  assert.equal(await refusalOf(rig.swaps().findFunding(terms, 0, null)), 'WalletServerFailed')
  await rig.chain.call('anvil_setCode', LOCK_ADDRESS, code)
  assert.equal(await rig.swaps().findFunding(terms, 0, null), null)
  assert.equal(await refusalOf(rig.swaps(1n).now()), 'WalletServerFailed')
})
