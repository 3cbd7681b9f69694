// Swaps with somebody who cheats: legs that are not what was agreed on, legs that come too late, secrets that are shown
// in the last moment, claims and refunds at once. Who behaves loses nothing but fees, and shows its secret to nobody
// who has not paid.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { momentsOf } from '../../../../src/chapters/market/swap/swap-locks.ts'
import type { FoundFunding, SignedTransaction } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { SwapHalf } from '../../../../src/chapters/market/ports/swap-engine.ts'
import type { LegTerms, SwapAgreement, SwapRole } from '../../../../src/chapters/market/wire/types.ts'
import type { FakeSwapChain } from '../kit/fake-swap-chain.ts'
import { lockWhenPaid, stateOf } from '../kit/swap-outcomes.ts'
import { PAIRINGS, type Pairing, type RigNode, SwapRig } from '../kit/swap-rig.ts'

const LIMIT_MS = 60_000_000

/** Somebody with a wallet and servers, who sends what he likes. */
class Cheat {
  readonly rig: SwapRig
  readonly node: RigNode
  readonly key = new Uint8Array(32).fill(7)
  readonly secret = new Uint8Array(32).fill(9)
  agreement!: SwapAgreement

  constructor(rig: SwapRig, role: SwapRole) {
    this.rig = rig
    this.node = rig.node(role)
  }

  /** The servers of what he gives and of what he takes. */
  get chains(): readonly [FakeSwapChain, FakeSwapChain] {
    const [first, second] = this.node.servers
    return this.node.role === 'initiator' ? [first, second] : [second, first]
  }

  get legs(): readonly [LegTerms, LegTerms] {
    const { first, second } = this.agreement
    return this.node.role === 'initiator' ? [first, second] : [second, first]
  }

  payTo(chain: FakeSwapChain): string {
    return this.node.funds.receiveAddress(chain.asset.coin)
  }

  half(locks: Pick<SwapHalf, 'firstLockS' | 'secondLockS'>): SwapHalf {
    const [give, take] = this.chains
    const hash = createHash('sha256').update(this.secret).digest('hex')
    return {
      hash,
      firstLockS: locks.firstLockS,
      secondLockS: locks.secondLockS,
      claimKey: take.termsKey(this.key, this.payTo(take)),
      refundKey: give.termsKey(this.key, this.payTo(give)),
    }
  }

  /** Pays his deposits and puts money under terms, those agreed on or others. */
  async fund(terms: LegTerms): Promise<void> {
    const [give, take] = this.chains
    for (const [chain, key] of [
      [give, 'purse'],
      [take, 'gas'],
    ] as const) {
      const destination = chain.depositAddress(this.key)
      await this.node.funds.pay({ coin: chain.asset.coin, destination, amount: 800_000n, key, reservation: null })
    }
    await this.rig.clock.advance(120_000)
    const { funding } = await give.makeFunding(terms, this.key, this.payTo(give))
    for (const each of funding) await give.send(each)
  }

  async found(terms: LegTerms, chain: FakeSwapChain): Promise<FoundFunding> {
    const found = await chain.findFunding(terms, 0, null)
    assert.ok(found !== null, 'nothing to take')
    return found
  }

  /** With the highest fee. */
  async claim(): Promise<SignedTransaction> {
    const [, chain] = this.chains
    const [, terms] = this.legs
    const secret = Buffer.from(this.secret).toString('hex')
    return chain.makeClaim(terms, await this.found(terms, chain), secret, this.key, this.payTo(chain), 12)
  }

  async refund(): Promise<SignedTransaction> {
    const [chain] = this.chains
    const [terms] = this.legs
    return chain.makeRefund(terms, await this.found(terms, chain), this.key, this.payTo(chain), 12)
  }

  /** Sends it with every block, for as long as the chain does not take it. */
  insist(made: () => Promise<SignedTransaction>, chain: FakeSwapChain): void {
    const timer = this.rig.clock.every(15_000, () => {
      made()
        .then(each => chain.send(each))
        .then(
          () => timer.cancel(),
          () => undefined,
        )
    })
  }
}

/** A swap between a swaps and a cheat. */
async function against(pairing: Pairing, role: SwapRole): Promise<{ rig: SwapRig; cheat: Cheat; honest: RigNode }> {
  const rig = new SwapRig(pairing)
  await rig.start()
  const cheat = new Cheat(rig, role)
  const honest = rig.node(role === 'initiator' ? 'participant' : 'initiator')
  lockWhenPaid(rig, [honest])
  const ours = await honest.swaps.prepare(rig.request(honest.role))
  const theirs = cheat.half(ours)
  cheat.agreement = role === 'initiator' ? rig.agreementOf(theirs, ours) : rig.agreementOf(ours, theirs)
  honest.swaps.checkLocks(cheat.agreement)
  await honest.swaps.begin(cheat.agreement)
  return { rig, cheat, honest }
}

async function finish(rig: SwapRig, honest: RigNode): Promise<void> {
  await rig.clock.until('the honest side has closed', () => honest.closed, LIMIT_MS)
  await rig.clock.advance(600_000)
  rig.stop()
  assert.equal(rig.missing, 0n)
}

/** Legs that differ from what was agreed on in one field. */
function wrongLegs(leg: LegTerms): Record<string, LegTerms> {
  return {
    'too little': { ...leg, amount: leg.amount - 1n },
    'another key': { ...leg, claimKey: leg.refundKey },
    'a shorter lock': { ...leg, lockS: leg.lockS - 1 },
    'a longer lock': { ...leg, lockS: leg.lockS + 1 },
    'another hash': { ...leg, hash: createHash('sha256').update('mine').digest('hex') },
  }
}

for (const pairing of PAIRINGS) {
  test(`${pairing}: a second leg that differs in one field is none: the secret is not shown`, async () => {
    for (const what of Object.keys(wrongLegs({ amount: 0n } as LegTerms))) {
      const { rig, cheat, honest } = await against(pairing, 'participant')
      await rig.clock.advance(300_000)
      await cheat.fund(wrongLegs(cheat.agreement.second)[what] as LegTerms)
      await finish(rig, honest)
      assert.deepEqual([honest.view?.outcome, stateOf(rig, 'initiator')], ['refunded', 'kept'], what)
      assert.ok(!honest.view?.payments.some(each => each.kind === 'claim'), what)
    }
  })

  test(`${pairing}: a first leg that differs in one field is none: nothing is paid`, async () => {
    for (const what of Object.keys(wrongLegs({ amount: 0n } as LegTerms))) {
      const { rig, cheat, honest } = await against(pairing, 'initiator')
      await cheat.fund(wrongLegs(cheat.agreement.first)[what] as LegTerms)
      await finish(rig, honest)
      assert.equal(honest.view?.outcome, 'abandoned')
      assert.deepEqual(rig.gain('participant'), [0n, 0n], what)
    }
  })

  test(`${pairing}: a second leg that counts after the last moment is too late`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'participant')
    const { pace: first } = cheat.chains[1]
    const { pace: second } = cheat.chains[0]
    const { revealS } = momentsOf({ first, second }, cheat.agreement)
    await rig.clock.advance(revealS * 1_000 - rig.clock.wallMs() - second.blockS * 1_000)
    await cheat.fund(cheat.agreement.second)
    await finish(rig, honest)
    assert.deepEqual([honest.view?.outcome, stateOf(rig, 'initiator')], ['refunded', 'kept'])
    assert.ok(!honest.view?.payments.some(each => each.kind === 'claim'))
  })

  test(`${pairing}: a secret shown in the last moment, on a chain where only high fees pass, wins before the lock`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'participant')
    const [chain, other] = cheat.chains
    const { revealS } = momentsOf({ first: other.pace, second: chain.pace }, cheat.agreement)
    const spareS = 120 + (chain.pace.confirmations + 1) * chain.pace.blockS
    await rig.clock.advance((revealS - spareS) * 1_000 - rig.clock.wallMs())
    await cheat.fund(cheat.agreement.second)
    await rig.clock.advance(chain.pace.blockS * 1_000)
    chain.chain.leastFee = 500n
    cheat.insist(() => cheat.refund(), chain)
    await rig.clock.until('claimed or given back', () => chain.chain.underLocks() === 0n, LIMIT_MS)
    assert.ok(chain.chain.now().timeS <= cheat.agreement.second.lockS, 'before the lock')
    chain.chain.leastFee = 0n
    await finish(rig, honest)
    assert.equal(honest.view?.outcome, 'completed')
    assert.equal(stateOf(rig, 'initiator'), 'swapped')
  })

  test(`${pairing}: a second leg that is taken away before it counts learns no secret`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'participant')
    const [chain] = cheat.chains
    await rig.clock.advance(300_000)
    await cheat.fund(cheat.agreement.second)
    const [funding] = chain.chain.waiting
    assert.ok(funding !== undefined)
    honest.swaps.hint(cheat.agreement.id, funding.txid)
    await rig.clock.advance(1_000)
    chain.chain.waiting = []
    await finish(rig, honest)
    assert.deepEqual([honest.view?.outcome, stateOf(rig, 'initiator')], ['refunded', 'kept'])
    assert.ok(!honest.view?.payments.some(each => each.kind === 'claim'))
  })

  test(`${pairing}: an initiator who shows nothing gets nothing`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'initiator')
    await cheat.fund(cheat.agreement.first)
    await finish(rig, honest)
    assert.deepEqual([honest.view?.outcome, stateOf(rig, 'participant')], ['refunded', 'kept'])
  })

  test(`${pairing}: an initiator who claims in the moment of the lock, and takes back the first leg as soon as it can, still pays`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'initiator')
    await cheat.fund(cheat.agreement.first)
    const [first, second] = cheat.chains
    const { lockS } = cheat.agreement.second
    await rig.clock.until(
      'the refund waits',
      () => second.chain.now().timeS > lockS && second.chain.waiting.length > 0,
      LIMIT_MS,
    )
    await second.send(await cheat.claim())
    cheat.insist(() => cheat.refund(), first)
    await finish(rig, honest)
    assert.equal(honest.view?.outcome, 'completed')
    assert.equal(stateOf(rig, 'participant'), 'swapped')
  })

  test(`${pairing}: a first leg that is taken away before it counts costs its owner's fees only`, async () => {
    const { rig, cheat, honest } = await against(pairing, 'initiator')
    const [first] = cheat.chains
    await cheat.fund(cheat.agreement.first)
    const [funding] = first.chain.waiting
    assert.ok(funding !== undefined)
    honest.swaps.hint(cheat.agreement.id, funding.txid)
    await rig.clock.advance(1_000)
    first.chain.waiting = []
    await finish(rig, honest)
    assert.deepEqual([honest.view?.outcome, stateOf(rig, 'participant')], ['abandoned', 'kept'])
    assert.equal(
      honest.view?.payments.some(each => each.kind === 'fund' && !each.theirs),
      false,
    )
  })
}
