// What must hold of swaps on any chain of Bitcoin's kind; run against real ones
// (test/chapters/market/interop/swap-litecoin.test.ts, swap-bitcoin.test.ts). First the chain itself is shown to refuse
// what the contract forbids: in its pool, and in blocks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import type { FoundFunding, SignedTransaction } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { SwapUtxoChain } from '../../../../src/chapters/market/chains/swap-utxo-chain.ts'
import { readBlock } from '../../../../src/chapters/wallets/core/tx-reader.ts'
import type { SwapTestChain } from './swap-utxo-chains.ts'
import { SwapUtxoRig } from './swap-utxo-rig.ts'

/** What differs between the chains. */
export interface SuiteOptions {
  readonly skip: false | string
  start(): Promise<SwapTestChain>
  /** Whether the pool lets a higher fee take the place of a lower one. */
  readonly replaces: boolean
  /** An address of the other chain. */
  readonly elsewhere: string
}

const coded = (code: string) => (error: unknown) => error instanceof AppError && error.code === code
/** As litecoind and bcoin say it. */
const SCRIPT_FAILS = /script-verify-flag|block-validation-failed/
const NOT_FINAL = /nonfinal/
const EMPTY = new Uint8Array(0)
const ONE = Uint8Array.of(1)

/** Declares the tests. */
export function swapSuite({ skip, start, replaces, elsewhere }: SuiteOptions): void {
  const options = { skip, timeout: 120_000 }
  let chain: SwapTestChain
  let rig: SwapUtxoRig
  let swaps: SwapUtxoChain

  before(async () => {
    if (skip !== false) return
    chain = await start()
    rig = new SwapUtxoRig(chain)
    swaps = rig.fresh()
  })
  after(async () => {
    rig?.close()
    await chain?.stop()
  })

  /** Neither the pool nor a block takes it. */
  const refused = async (bad: SignedTransaction, what: string, why = SCRIPT_FAILS): Promise<void> => {
    await assert.rejects(swaps.send(bad), coded('TransferRefused'), what)
    assert.ok(!(await chain.waiting()).includes(bad.txid), what)
    assert.match((await chain.offer([bad.raw])) ?? 'it is taken', why, what)
  }

  test('the clock and the height are those of the chain', options, async () => {
    await chain.mine(2)
    assert.deepEqual(await swaps.now(), { height: await chain.height(), timeS: await chain.medianTime() })
    assert.ok((await chain.height()) >= 1_360)
  })

  test('no pool and no block takes a refund before the lock; after it both do', options, async () => {
    const swap = await rig.swap({ lockIn: 600 })
    const { found, refund } = await rig.funded(swaps, swap)
    await refused(refund, 'a refund before its time', NOT_FINAL)
    const early = { key: swap.funder, lockTime: swap.terms.lockS - 601, branch: [EMPTY] }
    await refused(rig.odd(swap, found, early), 'a refund with a lock time of its own')
    const final = { key: swap.funder, lockTime: swap.terms.lockS, sequence: 0xffffffff, branch: [EMPTY] }
    await refused(rig.odd(swap, found, final), 'a refund whose sequence is final')
    await refused(rig.odd(swap, found, { key: swap.funder, branch: [EMPTY] }), 'a refund without a lock time')
    assert.equal(await swaps.findEnd(swap.terms, found, swap.from), null)
    await chain.pass(700)
    assert.ok((await swaps.now()).timeS > swap.terms.lockS)
    // The key of the other side is not enough after the lock either.
    const theirs = { key: swap.claimer, lockTime: swap.terms.lockS, branch: [EMPTY] }
    await refused(rig.odd(swap, found, theirs), 'a refund by the other key')
    await swaps.send(refund)
    assert.ok((await chain.waiting()).includes(refund.txid))
    assert.equal(await chain.offer([refund.raw]), null)
    const end = { kind: 'refunded', secret: null, txid: refund.txid, confirmations: 1 }
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), end)
  })

  for (const length of [31, 33]) {
    test(`no pool and no block takes a secret of ${length} bytes, though its hash is right`, options, async () => {
      const swap = await rig.swap({ secret: Buffer.alloc(length, 0x5a) })
      const found = await rig.paid(swap)
      await refused(rig.odd(swap, found, { key: swap.claimer, branch: [swap.secret, ONE] }), 'such a secret')
    })
  }

  test('no pool and no block takes a wrong secret, or a wrong key with the right one', options, async () => {
    const swap = await rig.swap()
    const found = await rig.paid(swap)
    const wrong = Buffer.alloc(32, 0x5b)
    await refused(rig.odd(swap, found, { key: swap.claimer, branch: [wrong, ONE] }), 'a wrong secret')
    await refused(rig.odd(swap, found, { key: swap.funder, branch: [swap.secret, ONE] }), 'a claim by the funder')
    const right = rig.odd(swap, found, { key: swap.claimer, branch: [swap.secret, ONE] })
    assert.equal(await chain.offer([right.raw]), null)
  })

  test('a branch that is any truth is read as what it is', options, async () => {
    const swap = await rig.swap()
    const found = await rig.paid(swap)
    const odd = rig.odd(swap, found, { key: swap.claimer, branch: [swap.secret, Uint8Array.of(0, 7)] })
    assert.equal(await chain.offer([odd.raw]), null, 'blocks take it, pools do not')
    const end = await swaps.findEnd(swap.terms, found, swap.from)
    assert.deepEqual([end?.kind, end?.secret], ['claimed', swap.secret.toString('hex')])
  })

  test('paid, funded, claimed, swept: exact, and all of it seen by a node that starts later', options, async () => {
    const swap = await rig.swap({ amount: 1_234_567n })
    const { terms, from, funder } = swap
    const trace = await rig.payDeposit(swaps, swap)
    assert.equal((await swaps.deposit(funder, trace)).balance, trace.paid, 'what waits counts')
    assert.equal((await rig.fresh().deposit(funder, { fromHeight: from, paidBy: null })).balance, trace.paid)
    const { funding, refund } = await swaps.makeFunding(terms, funder, swap.refundTo, trace)
    assert.deepEqual([funding.length, refund === null], [1, false])
    const [first] = funding
    assert.ok(first !== undefined)
    assert.equal(await swaps.confirmations(first.txid, from), null)
    assert.equal(await swaps.findFunding(terms, from, first.txid), null)
    await swaps.send(first)
    await swaps.send(first)
    assert.equal(await swaps.confirmations(first.txid, from), 0)
    const rest = trace.paid - terms.amount - first.fee
    assert.equal((await swaps.deposit(funder, trace)).balance, rest)
    await assert.rejects(swaps.makeFunding(terms, funder, swap.refundTo, trace), coded('InsufficientFunds'))
    for (const hint of [first.txid, null, '77'.repeat(32)]) {
      const early = await rig.fresh().findFunding(terms, from, hint)
      const expected: FoundFunding = { place: `${first.txid}:0`, txid: first.txid, confirmations: 0, height: null }
      assert.deepEqual(early, expected)
    }
    await chain.mine(2)
    const found = await swaps.findFunding(terms, from, null)
    assert.deepEqual([found?.confirmations, found?.height], [2, (await chain.height()) - 1])
    assert.ok(found !== null)
    assert.equal(await swaps.findEnd(terms, found, from), null)

    const secret = swap.secret.toString('hex')
    const claim = await swaps.makeClaim(terms, found, secret, swap.claimer, swap.claimTo, 0)
    await swaps.send(claim)
    const end = { kind: 'claimed', txid: claim.txid, secret }
    assert.deepEqual(await swaps.findEnd(terms, found, from), { ...end, confirmations: 0 })
    assert.deepEqual(await rig.fresh().findEnd(terms, found, from), { ...end, confirmations: 0 })
    const [hash = ''] = await chain.mine(1)
    assert.deepEqual(await swaps.findEnd(terms, found, from), { ...end, confirmations: 1 })
    const block = readBlock(Buffer.from(await chain.rpc.call<string>('getblock', hash, false), 'hex'))
    const outputs = block.transactions.find(({ txid }) => txid === claim.txid)?.outputs
    assert.deepEqual(
      outputs?.map(({ value }) => value),
      [terms.amount - claim.fee],
    )

    const sweep = await swaps.makeSweep(funder, swap.refundTo, trace)
    assert.ok(sweep !== null)
    await swaps.send(sweep)
    assert.equal((await swaps.deposit(funder, trace)).balance, 0n)
    await chain.mine(1)
    const later = rig.fresh()
    assert.equal((await later.deposit(funder, trace)).balance, 0n)
    assert.equal(await later.makeSweep(funder, swap.refundTo, trace), null)
    assert.deepEqual(await later.findFunding(terms, from, null), { ...found, confirmations: 4 })
    assert.deepEqual(await later.findEnd(terms, found, from), { ...end, confirmations: 2 })
    assert.deepEqual([await later.confirmations(sweep.txid, from), await later.confirmations(first.txid, from)], [1, 4])
    // Known already, its output spent: fine.
    await swaps.send(first)
    const tiny = { fromHeight: await chain.height(), paidBy: null }
    assert.equal((await later.deposit(funder, tiny)).balance, 0n)
  })

  test('a funding of another amount is none', options, async () => {
    const swap = await rig.swap({ amount: 500_000n })
    const less = await rig.paid({ ...swap, terms: { ...swap.terms, amount: 499_999n } })
    await rig.paid({ ...swap, terms: { ...swap.terms, amount: 500_001n } })
    assert.equal(await swaps.findFunding(swap.terms, swap.from, less.txid), null)
    const right = await rig.paid(swap)
    assert.equal((await swaps.findFunding(swap.terms, swap.from, null))?.place, right.place)
    assert.equal(await swaps.findFunding({ ...swap.terms, lockS: swap.terms.lockS + 1 }, swap.from, null), null)
  })

  test(
    'fees of claims and refunds are raised, and what waits is replaced where the pool does that',
    options,
    async () => {
      const swap = await rig.swap({ lockIn: 300 })
      const { found, refund } = await rig.funded(swaps, swap)
      const raise = async (first: SignedTransaction, make: (urgency: number) => Promise<SignedTransaction>) => {
        await swaps.send(first)
        assert.equal((await make(0)).txid, first.txid, 'the same urgency is the same transaction')
        const second = await make(2)
        assert.ok(second.fee >= first.fee * 2n, `${second.fee} after ${first.fee}`)
        if (replaces) await swaps.send(second)
        else await assert.rejects(swaps.send(second), coded('TransferRefused'))
        assert.deepEqual(await chain.waiting(), [replaces ? second.txid : first.txid])
        return second
      }
      const secret = swap.secret.toString('hex')
      const make = (urgency: number) => swaps.makeClaim(swap.terms, found, secret, swap.claimer, swap.claimTo, urgency)
      const claim = await raise(await make(0), make)
      assert.equal(await chain.offer([claim.raw]), null)
      assert.equal((await swaps.findEnd(swap.terms, found, swap.from))?.txid, claim.txid)

      const other = await rig.swap({ lockIn: 300 })
      const { found: place, refund: taken } = await rig.funded(swaps, other)
      await chain.pass(400)
      const back = await raise(taken, urgency =>
        swaps.makeRefund(other.terms, place, other.funder, other.refundTo, urgency),
      )
      assert.equal(await chain.offer([back.raw]), null)
      assert.deepEqual(await swaps.findEnd(other.terms, place, other.from), {
        kind: 'refunded',
        secret: null,
        txid: back.txid,
        confirmations: 1,
      })
      await assert.rejects(swaps.send(refund), coded('TransferRefused'), 'the money is gone')
    },
  )

  test('six blocks are taken back: what they said is not said any more', options, async () => {
    const swap = await rig.swap({ lockIn: 900 })
    const { found, funding } = await rig.funded(swaps, swap, 1)
    const secret = swap.secret.toString('hex')
    const claim = await swaps.makeClaim(swap.terms, found, secret, swap.claimer, swap.claimTo, 0)
    await swaps.send(claim)
    await chain.mine(5)
    assert.equal((await swaps.findEnd(swap.terms, found, swap.from))?.confirmations, 5)
    assert.equal(await swaps.confirmations(funding.txid, swap.from), 6)
    await chain.fork(6)
    // litecoind has both in its pool again; bcoin forgets them, as pools may.
    await swaps.send(funding)
    await swaps.send(claim)
    assert.equal(await swaps.confirmations(funding.txid, swap.from), 0)
    assert.equal((await swaps.findFunding(swap.terms, swap.from, null))?.confirmations, 0)
    const end = { kind: 'claimed', secret, txid: claim.txid }
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), { ...end, confirmations: 0 })
    await chain.mine(1)
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), { ...end, confirmations: 1 })
    assert.equal((await swaps.findFunding(swap.terms, swap.from, null))?.height, await chain.height())
  })

  test('a claim in blocks that are taken back gives way to a refund in the others', options, async () => {
    const swap = await rig.swap({ lockIn: 300 })
    const { found, refund } = await rig.funded(swaps, swap)
    await chain.pass(400)
    const secret = swap.secret.toString('hex')
    const claim = await swaps.makeClaim(swap.terms, found, secret, swap.claimer, swap.claimTo, 0)
    await swaps.send(claim)
    await chain.mine(6)
    assert.equal((await swaps.findEnd(swap.terms, found, swap.from))?.kind, 'claimed')
    await chain.fork(6, [refund.raw])
    const end = { kind: 'refunded', secret: null, txid: refund.txid, confirmations: 7 }
    assert.deepEqual(await swaps.findEnd(swap.terms, found, swap.from), end)
    assert.equal(await swaps.confirmations(claim.txid, swap.from), null)
    assert.equal(await swaps.confirmations(refund.txid, swap.from), 7)
  })

  test('addresses of another chain, keys and terms that are none are refused', options, async () => {
    const swap = await rig.swap()
    const found = await rig.paid(swap)
    const secret = swap.secret.toString('hex')
    assert.throws(() => swaps.termsKey(swap.claimer, elsewhere), coded('InvalidAddress'))
    await assert.rejects(
      swaps.makeClaim(swap.terms, found, secret, swap.claimer, elsewhere, 0),
      coded('InvalidAddress'),
    )
    const trace = { fromHeight: swap.from, paidBy: null }
    await assert.rejects(swaps.makeSweep(swap.funder, elsewhere, trace), coded('InvalidAddress'))
    await assert.rejects(swaps.makeFunding(swap.terms, swap.funder, elsewhere, trace), coded('InvalidAddress'))
    const stranger = swaps.makeClaim(swap.terms, found, secret, swap.funder, swap.claimTo, 0)
    await assert.rejects(stranger, coded('InvalidParameter'))
    assert.throws(() => swaps.checkTerms({ ...swap.terms, amount: 600n }), coded('InvalidParameter'))
    assert.throws(
      () => swaps.checkTerms({ ...swap.terms, asset: { coin: 'BTC', chain: '00000000' } }),
      coded('InvalidParameter'),
    )
    assert.equal(swaps.checkTerms(swap.terms), undefined)
  })
}
