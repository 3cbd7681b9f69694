// The table of the swap's machine alone: what is done next for a journal and what the chains show. Whole swaps:
// test/sim/swap-*.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { SideFacts, SwapFacts } from '../../../../../src/chapters/market/swap/swap-facts.ts'
import { keep, type KeptTransaction, type SwapJournal } from '../../../../../src/chapters/market/swap/swap-journal.ts'
import { momentsOf, type SwapPaces } from '../../../../../src/chapters/market/swap/swap-locks.ts'
import { nextStep, type SwapStep } from '../../../../../src/chapters/market/swap/swap-steps.ts'
import type { FoundEnd, FoundFunding } from '../../../../../src/chapters/market/ports/swap-chain.ts'
import type { SwapRole } from '../../../../../src/chapters/market/wire/types.ts'
import { memorySeal } from '../../kit/memory-market-files.ts'
import { sampleAgreement } from '../../kit/sample-swap.ts'

const pace = { blockS: 60, confirmations: 2, clockLagS: 400 }
const paces: SwapPaces = { first: pace, second: pace }
const secret = '5e'.repeat(32)
const hash = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex')
const sample = sampleAgreement()
const agreement = { ...sample, first: { ...sample.first, hash }, second: { ...sample.second, hash } }
const moments = momentsOf(paces, agreement)
const EARLY = moments.fundFirstS - 10_000
const COUNTED: FoundFunding = { place: 'a:0', txid: 'aa', confirmations: 2, height: 100 }
const help = { dearest: Number.POSITIVE_INFINITY, refused: new Set<string>() }

function transaction(kind: KeptTransaction['kind'], more: Partial<KeptTransaction> = {}): KeptTransaction {
  const side = kind === 'claim' ? 'take' : 'give'
  const facts = { kind, side, amount: 1n, urgency: 0, madeMs: EARLY * 1000 } as const
  return { ...keep(memorySeal, { raw: '00', txid: kind, fee: 1n }, facts), ...more }
}

const deposit = { amount: 10n, fee: 1n, txid: 'deposit', timeMs: 1, counted: true, nothingWorth: 0n }

function journal(role: SwapRole, more: Partial<SwapJournal> = {}): SwapJournal {
  return {
    version: 1,
    agreement,
    role,
    reservation: 'order-1',
    payTo: { give: 'g', take: 't' },
    fromHeight: { give: 50, take: 50 },
    beganMs: EARLY * 1000,
    key: memorySeal.seal(Buffer.alloc(32, 7)),
    secret: role === 'initiator' ? memorySeal.seal(Buffer.from(secret, 'hex')) : '',
    deposits: { give: deposit, take: { ...deposit, amount: 0n, txid: '' } },
    transactions: [],
    theirs: [],
    given: false,
    taken: false,
    outcome: null,
    endedMs: 0,
    closed: false,
    ...more,
  }
}

function side(timeS: number, more: Partial<SideFacts> = {}): SideFacts {
  const nothing = {
    funding: null,
    end: null,
    deposit: 0n,
    counts: new Map<string, number>(),
    fees: new Map<string, bigint>(),
  }
  return { now: { height: 200, timeS }, steady: true, ...nothing, ...more }
}

function at(nowS: number, give: Partial<SideFacts> = {}, take: Partial<SideFacts> = {}): SwapFacts {
  return { nowS, give: side(nowS, give), take: side(nowS, take) }
}

const next = (of: SwapJournal, facts: SwapFacts): SwapStep => nextStep(of, facts, paces, help)
const what = (of: SwapJournal, facts: SwapFacts): string => {
  const step = next(of, facts)
  return step.do === 'send' ? `send ${step.what[0]?.kind}` : step.do
}
const claimedBy = (kind: FoundEnd['kind'], confirmations: number, shown = secret): FoundEnd => ({
  kind,
  txid: 'theirs',
  confirmations,
  secret: kind === 'claimed' ? shown : null,
})

const funded = journal('initiator', { transactions: [transaction('fund', { sentMs: 1, countedMs: 1 })] })
const participantFunded = journal('participant', { transactions: [transaction('fund', { sentMs: 1, countedMs: 1 })] })

test('the initiator pays its deposit first, then funds; not when it is too late', () => {
  const fresh = journal('initiator', { deposits: { give: null, take: { ...deposit, amount: 0n, txid: '' } } })
  assert.equal(what(fresh, at(EARLY)), 'pay')
  assert.equal(what(journal('initiator'), at(EARLY)), 'fund')
  assert.equal(what(fresh, at(moments.fundFirstS + 1)), 'end')
})

test('the participant pays nothing before it sees the first leg, and funds only when that counts', () => {
  const fresh = journal('participant', { deposits: { give: null, take: { ...deposit, amount: 0n, txid: '' } } })
  assert.equal(what(fresh, at(EARLY)), 'wait')
  assert.equal(what(fresh, at(EARLY, {}, { funding: { ...COUNTED, confirmations: 0 } })), 'pay')
  const paid = journal('participant')
  assert.equal(what(paid, at(EARLY, {}, { funding: { ...COUNTED, confirmations: 1 } })), 'wait')
  assert.equal(what(paid, at(EARLY, {}, { funding: COUNTED })), 'fund')
  assert.equal(what(paid, at(EARLY, {}, { funding: COUNTED, end: claimedBy('refunded', 0) })), 'wait')
})

test('the secret is shown only for a second leg that counts, in time by every clock, on steady chains', () => {
  const both = { funding: COUNTED }
  assert.equal(what(funded, at(EARLY, both, both)), 'claim')
  assert.equal(what(funded, at(EARLY, both, { funding: { ...COUNTED, confirmations: 1 } })), 'wait')
  assert.equal(what(funded, at(EARLY, both, {})), 'wait')
  assert.equal(what(funded, at(moments.revealS + 1, both, both)), 'wait')
  assert.equal(what(funded, at(EARLY, both, { ...both, end: claimedBy('refunded', 0) })), 'wait')
  assert.equal(what(funded, at(EARLY, { ...both, steady: false }, both)), 'wait')
  assert.equal(what(funded, at(EARLY, both, { ...both, steady: false })), 'wait')
  const late = { height: 200, timeS: moments.revealS + 1 }
  assert.equal(what(funded, at(EARLY, both, { ...both, now: late })), 'wait')
  assert.equal(what(funded, at(EARLY, { ...both, now: late }, both)), 'wait')
  assert.equal(what(funded, { ...at(EARLY, both, both), take: null }), 'wait')
})

test('a claim that was signed is sent, and once it is out nothing leads back', () => {
  const signed = { ...funded, transactions: [...funded.transactions, transaction('claim')] }
  const both = { funding: COUNTED }
  assert.equal(what(signed, at(EARLY, both, both)), 'send claim')
  const sent = { ...funded, transactions: [...funded.transactions, transaction('claim', { sentMs: 1 })] }
  const over = agreement.first.lockS + 10_000
  // Its own lock is over: still the claim, for who knows the secret may take what we gave.
  assert.match(what(sent, at(over, both, both)), /^(claim|send claim)$/)
  // The second leg cannot be seen: no refund is made meanwhile.
  assert.equal(what(sent, at(over, both, {})), 'wait')
  assert.equal(what(sent, { ...at(over, both), take: null }), 'wait')
})

test('without a second leg the initiator waits for its lock, then takes its money back', () => {
  const both = { funding: COUNTED }
  assert.equal(what(funded, at(agreement.first.lockS - 1, both)), 'wait')
  assert.equal(what(funded, at(agreement.first.lockS + 1, both)), 'refund')
  const signed = { ...funded, transactions: [...funded.transactions, transaction('refund')] }
  assert.equal(what(signed, at(agreement.first.lockS + 1, both)), 'send refund')
})

test('the participant learns the secret from a claim, and from nothing that does not open the hash', () => {
  const claimed = (shown: string) => ({ funding: COUNTED, end: claimedBy('claimed', 0, shown) })
  assert.deepEqual(next(participantFunded, at(EARLY, claimed(secret), { funding: COUNTED })), {
    do: 'learn',
    step: 'claiming',
    secret,
  })
  for (const shown of ['00'.repeat(32), secret.slice(2), `${secret}00`])
    assert.notEqual(next(participantFunded, at(EARLY, claimed(shown), { funding: COUNTED })).do, 'learn', shown)
})

test('the participant with the secret claims, also after its own lock', () => {
  const knows = { ...participantFunded, secret: memorySeal.seal(Buffer.from(secret, 'hex')) }
  const give = { funding: COUNTED, end: claimedBy('claimed', 1) }
  for (const nowS of [EARLY, agreement.second.lockS + 500])
    assert.equal(what(knows, at(nowS, give, { funding: COUNTED })), 'claim')
})

test('the participant takes its money back after its lock when nobody claimed, by the clock of its chain', () => {
  const both = { funding: COUNTED }
  const over = agreement.second.lockS + 1
  assert.equal(what(participantFunded, at(over, both, both)), 'refund')
  const behind = { ...both, now: { height: 200, timeS: agreement.second.lockS - 1 } }
  assert.equal(what(participantFunded, at(over, behind, both)), 'wait')
  assert.equal(what(participantFunded, at(over + pace.clockLagS, behind, both)), 'refund')
})

test('fees of a claim rise as its lock comes near, those of a refund with the blocks that pass', () => {
  const sent = {
    ...funded,
    transactions: [...funded.transactions, transaction('claim', { sentMs: 1, madeMs: EARLY * 1000 })],
  }
  const both = { funding: COUNTED }
  const near = next(sent, at(agreement.second.lockS - 60, both, both))
  assert.ok(near.do === 'claim' && near.urgency > 0)
  const refund = { ...funded, transactions: [...funded.transactions, transaction('refund', { sentMs: 1 })] }
  const later = next(refund, at(agreement.first.lockS + 20 * pace.blockS, both))
  assert.ok(later.do === 'refund' && later.urgency > 0)
  const dear = nextStep(sent, at(agreement.second.lockS - 60, both, both), paces, { ...help, dearest: 1 })
  assert.equal(dear.do, 'send', 'a fee that cannot be signed is not asked for again')
})

test('funding that a reorganisation lost after a claim is sent again, and its silent server is waited for', () => {
  const paid = [transaction('fund', { sentMs: 1, countedMs: 1 }), transaction('claim', { sentMs: 1, countedMs: 1 })]
  const claimed = journal('initiator', { transactions: paid })
  const take = { funding: COUNTED, end: claimedBy('claimed', 2) }
  assert.equal(what(claimed, at(EARLY, {}, take)), 'send fund')
  assert.deepEqual(next(claimed, at(EARLY, { funding: COUNTED }, take)).do, 'end')
  const silent = next(claimed, { nowS: EARLY, give: null, take: side(EARLY, take) })
  assert.deepEqual(silent, { do: 'wait', step: 'sweeping', for: 'The server of TBTC does not answer.' })
})

test('a server that does not answer ends nothing', () => {
  for (const role of ['initiator', 'participant'] as const)
    for (const nowS of [EARLY, agreement.first.lockS + 1_000_000]) {
      const none = { nowS, give: null, take: null }
      assert.equal(next(journal(role), none).do, 'wait')
      assert.equal(next(role === 'initiator' ? funded : participantFunded, none).do, 'wait')
    }
})
