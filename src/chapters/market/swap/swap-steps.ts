// What a swap does next: the table of its machine (decision 0440). Pure: the same journal and facts give the same step.
//
//   state             begins when                                        step, and where it leads
//   ----------------  -------------------------------------------------  ------------------------------------------------------------
//   waiting           participant; the first leg is not seen             look; too late: abandoned
//   paying            initiator at once, participant: first leg seen     deposits are paid once by key; too late: abandoned
//   funding           deposits paid; participant: first leg counts       funding and its refund signed, kept; then sent
//   funded            funding sent                                       sent again while the chain does not know it; too late: unfunding
//   unfunding         no chain knows the funding, and it is too late     the deposit is swept, which makes the funding void: abandoned
//   agreed            initiator: both legs count, enough time            the claim is signed, kept; then sent: the secret is shown
//   claiming          the secret is known to both sides                  claim sent, its fee raised, until it counts: sweeping
//   refunding         own lock over, nothing to claim                    refund sent, its fee raised, until it counts: sweeping
//   sweeping          it is decided                                      rests of the deposits go home: the outcome is kept
//   watching          the outcome is there                               until all is deep enough: closed, keys wiped
//
// Two rules come before the table. What can only give us what is ours (a claim when the secret is out, a refund) is
// done by what the chain shows, whatever the clocks say: the chain refuses what is too early. What gives away something
// (paying, funding, showing the secret) is done only while every clock says that there is time; what gives up is done
// only when every clock says that it is too late.

import {
  type SwapMoments,
  type SwapPaces,
  claimUrgency,
  MAX_URGENCY,
  momentsOf,
  refundUrgency,
  awayS,
} from './swap-locks.ts'
import { opensHash, type SideFacts, type SwapFacts } from './swap-facts.ts'
import { kept, legOf, SIDES, shown, type KeptTransaction, type SwapJournal, type SwapSide } from './swap-journal.ts'

/** Sweeps of one deposit that are made once more. */
const MAX_SWEEPS = 8
/**
 * Blocks by which a transaction must be deeper than those that count before its swap is let alone and its keys are
 * forgotten: reorganisations.
 */
const DEEPER_BLOCKS = 6
/** A swap whose outcome is there is watched for no longer than this, seconds: a week after its last lock. */
const WATCH_S = 7 * 86_400

/** What is done next. `step`: its state in the table. */
export type SwapStep =
  | { readonly do: 'wait'; readonly step: string; readonly for: string }
  | { readonly do: 'pay'; readonly step: string; readonly side: SwapSide }
  | { readonly do: 'fund'; readonly step: string }
  /** Each until one is taken; `all`: every one of them. */
  | { readonly do: 'send'; readonly step: string; readonly what: readonly KeptTransaction[]; readonly all: boolean }
  | { readonly do: 'claim' | 'refund'; readonly step: string; readonly urgency: number }
  | { readonly do: 'learn'; readonly step: string; readonly secret: string }
  | { readonly do: 'sweep'; readonly step: string; readonly side: SwapSide }
  | { readonly do: 'end'; readonly step: string; readonly outcome: 'completed' | 'refunded' | 'abandoned' }
  | { readonly do: 'close'; readonly step: string }

/** What the runner knows beside the journal. */
export interface StepHelp {
  /** Steps of fees from this one on could not be signed. */
  readonly dearest: number
  /** Ids of what the chain did not take when it was sent last: it is made again. */
  readonly refused: ReadonlySet<string>
}

interface View {
  readonly j: SwapJournal
  readonly f: SwapFacts
  readonly paces: SwapPaces
  readonly moments: SwapMoments
  readonly help: StepHelp
}

/** What a swap does next: the table of its machine (decision 0440). */
export function nextStep(journal: SwapJournal, facts: SwapFacts, paces: SwapPaces, help: StepHelp): SwapStep {
  const view = { j: journal, f: facts, paces, moments: momentsOf(paces, journal.agreement), help }
  if (journal.closed) return wait('closed', '')
  return (
    learning(view) ?? claimed(view) ?? claiming(view) ?? gaveBack(view) ?? lost(view) ?? locked(view) ?? before(view)
  )
}

/** The secret is in the claim of the other side. */
function learning({ j, f }: View): SwapStep | null {
  const { end } = f.give ?? { end: null }
  if (j.secret !== '' || end?.kind !== 'claimed') return null
  return opensHash(end.secret, legOf(j, 'give').hash) ? { do: 'learn', step: 'claiming', secret: end.secret } : null
}

/** Our claim counts. */
function claimed(view: View): SwapStep | null {
  const { end } = view.f.take ?? { end: null }
  if (end?.kind !== 'claimed') return null
  return end.confirmations >= paceOf(view, 'take').confirmations ? sweeping(view, 'completed') : null
}

/** The secret is out, and the money that we take is there: forward only. */
function claiming(view: View): SwapStep | null {
  const { j, f } = view
  if (!isOut(view) || f.take === null || f.take.funding === null) return null
  const { end } = f.take
  if (end !== null && end.confirmations > 0) {
    return end.kind === 'claimed' ? wait('claiming', 'Our claim waits for confirmations.') : null
  }
  const { lockS } = legOf(j, 'take')
  const first = kept(j, 'claim')[0]
  const sinceS = first === undefined ? f.nowS : first.madeMs / 1_000
  const wanted = claimUrgency(paceOf(view, 'take'), lockS, sinceS, latest(f.nowS, f.take))
  return (
    raised(view, 'claim', wanted) ??
    (end === null || isUnsent(j, 'claim')
      ? sending('claiming', kept(j, 'claim'))
      : wait('claiming', 'Our claim waits for a block.'))
  )
}

/** Our refund counts. */
function gaveBack(view: View): SwapStep | null {
  const { end } = view.f.give ?? { end: null }
  if (end?.kind !== 'refunded') return null
  return end.confirmations >= paceOf(view, 'give').confirmations ? sweeping(view, 'refunded') : null
}

/** Both legs ended for the other side: only a node that was away for too long sees this. */
function lost(view: View): SwapStep | null {
  const { give, take } = view.f
  if (give?.end?.kind !== 'claimed' || take?.end?.kind !== 'refunded') return null
  return take.end.confirmations >= paceOf(view, 'take').confirmations ? sweeping(view, 'completed') : null
}

/** Our money is under its lock: on to the secret, or back. */
function locked(view: View): SwapStep | null {
  const { j, f } = view
  if (kept(j, 'fund').length === 0) return null
  if (f.give === null) return wait('funded', `The server of ${coinOf(view, 'give')} does not answer.`)
  if (f.give.funding === null) return unseen(view, f.give)
  if (f.give.end?.kind === 'claimed') return wait('claiming', `The leg of ${coinOf(view, 'take')} cannot be seen.`)
  if (isOver(view, f.give)) return refunding(view, f.give)
  if (f.give.funding.confirmations < paceOf(view, 'give').confirmations)
    return wait('funded', 'Our funding waits for confirmations.')
  if (j.role === 'participant') return wait('funded', 'The other side has not claimed yet.')
  return showing(view) ?? wait('funded', secondWaits(view))
}

/** The initiator shows its secret, when all that speaks for it is there. */
function showing(view: View): SwapStep | null {
  const { j, f, moments } = view
  const { take } = f
  if (take === null || take.funding === null || take.end !== null || !take.steady || !f.give?.steady) return null
  if (take.funding.confirmations < paceOf(view, 'take').confirmations) return null
  if (latest(latest(f.nowS, take), f.give) > moments.revealS) return null
  const claims = kept(j, 'claim')
  return claims.length === 0 ? { do: 'claim', step: 'agreed', urgency: 0 } : sending('agreed', claims)
}

/**
 * Our refund, with a fee that rises. While a claim of the other side may still win, what the chain shows decides at the
 * next look.
 */
function refunding(view: View, give: SideFacts): SwapStep {
  const { j, f } = view
  if (isOut(view) && !takeIsGone(view)) return wait('claiming', `The leg of ${coinOf(view, 'take')} cannot be seen.`)
  const { end } = give
  if (end !== null && end.confirmations > 0) return wait('refunding', 'Our refund waits for confirmations.')
  if (give.funding?.confirmations === 0) return wait('funded', 'Our funding waits for a block.')
  const wanted = refundUrgency(paceOf(view, 'give'), legOf(j, 'give').lockS, earliest(f.nowS, give))
  return (
    raised(view, 'refund', wanted) ??
    (end === null || isUnsent(j, 'refund')
      ? sending('refunding', kept(j, 'refund'))
      : wait('refunding', 'Our refund waits for a block.'))
  )
}

/** Our funding was signed, and the chain does not show it. */
function unseen(view: View, give: SideFacts): SwapStep {
  const { j, f, moments } = view
  const funds = kept(j, 'fund')
  const last = j.role === 'initiator' ? moments.fundFirstS : moments.fundSecondS
  const relied = j.role === 'initiator' && f.take !== null && f.take.funding !== null
  // What counted once may be relied on by the other side: it is sent again until its lock is over.
  const untilS = relied || funds.some(each => each.countedMs > 0) ? legOf(j, 'give').lockS : last
  if (isOut(view) && !takeIsGone(view)) return sending('funded', funds, true)
  if (latest(f.nowS, give) <= untilS) return sending('funded', funds, true)
  if (earliest(f.nowS, give) <= untilS) return wait('funded', 'Our funding is not in the chain.')
  return unfunding(view)
}

/** The deposit goes home, which makes the funding void. A server that shows neither is not believed: then it waits. */
function unfunding(view: View): SwapStep {
  const home = kept(view.j, 'sweep', 'give').some(each => each.countedMs > 0)
  if (home || watchedEnough(view)) return sweeping(view, 'abandoned')
  return sweepOf(view, 'give', 'unfunding') ?? wait('unfunding', 'Our funding cannot be seen.')
}

/** Nothing of ours is under a lock. */
function before(view: View): SwapStep {
  const { j, f, moments } = view
  if (f.give === null || f.take === null) {
    return wait(j.role === 'initiator' ? 'paying' : 'waiting', 'A server of the chains does not answer.')
  }
  const last = j.role === 'initiator' ? moments.fundFirstS : moments.fundSecondS
  if (j.outcome !== null || tooLate(view, last)) return sweeping(view, 'abandoned')
  if (latest(latest(f.nowS, f.give), f.take) > last) return wait('waiting', 'The clocks differ: it may be too late.')
  if (j.role === 'participant' && f.take.funding === null) return wait('waiting', 'The other side has not funded yet.')
  const unpaid = SIDES.find(side => needsDeposit(j, side) && (j.deposits[side]?.txid ?? '') === '')
  if (unpaid !== undefined) return { do: 'pay', step: 'paying', side: unpaid }
  return funding(view, f.give, f.take)
}

function funding(view: View, give: SideFacts, take: SideFacts): SwapStep {
  const { j } = view
  if (gasIsMissing(j, take)) return wait('paying', `The deposit of ${coinOf(view, 'take')} waits for a block.`)
  if (!give.steady || !take.steady) return wait('funding', 'Blocks come too fast to be believed.')
  if (j.role === 'participant') {
    const { confirmations } = take.funding ?? { confirmations: 0 }
    if (take.end !== null) return wait('waiting', 'The first leg has ended already.')
    if (confirmations < paceOf(view, 'take').confirmations)
      return wait('funding', 'The first leg waits for confirmations.')
  }
  return { do: 'fund', step: 'funding' }
}

/** It is decided: rests go home, then the outcome is kept; when it is, until all is deep. */
function sweeping(view: View, outcome: 'completed' | 'refunded' | 'abandoned'): SwapStep {
  const { j, f } = view
  const step = j.outcome === outcome ? 'watching' : 'sweeping'
  const again = outcome === 'completed' ? resent(view, step) : null
  if (again !== null) return again
  let missing: SwapStep | null = null
  for (const side of SIDES) {
    const next = sweepOf(view, side, step)
    if (next !== null && next.do !== 'wait') return next
    missing ??= next
  }
  if (j.outcome !== outcome) {
    if (missing === null || f.nowS > countedS(j) + awayS(view.paces)) return { do: 'end', step, outcome }
    return missing
  }
  return isDeep(view, missing) ? { do: 'close', step } : wait('watching', '')
}

/** Null: nothing is left in the deposit of a side. */
function sweepOf(view: View, side: SwapSide, step: string): SwapStep | null {
  const { j, f } = view
  const deposit = j.deposits[side]
  const facts = f[side]
  if (deposit === null) return null
  if (facts === null) return wait(step, `The server of ${coinOf(view, side)} does not answer.`)
  const sweeps = kept(j, 'sweep', side)
  const last = sweeps.at(-1)
  if (last !== undefined && last.countedMs === 0 && !view.help.refused.has(last.txid)) {
    if (!facts.counts.has(last.txid)) return sending(step, [last])
    return wait(step, `What was left of ${coinOf(view, side)} waits for a block.`)
  }
  if (deposit.txid !== '' && !deposit.counted && !watchedEnough(view))
    return wait(step, `The payment of the deposit of ${coinOf(view, side)} waits for a block.`)
  const worth = facts.deposit > 0n && facts.deposit !== deposit.nothingWorth
  return worth && sweeps.length < MAX_SWEEPS ? { do: 'sweep', step, side } : null
}

/**
 * The other side relies on our funding, and a reorganisation lost it: it must be there again before the deposit is
 * swept, which would make it void.
 */
function resent(view: View, step: string): SwapStep | null {
  const { j, f } = view
  const funds = kept(j, 'fund')
  if (funds.length === 0 || watchedEnough(view)) return null
  if (f.give === null) return wait(step, `The server of ${coinOf(view, 'give')} does not answer.`)
  return f.give.funding === null ? sending(step, funds, true) : null
}

function isDeep(view: View, missing: SwapStep | null): boolean {
  const { j, f, paces } = view
  if (watchedEnough(view)) return true
  if (missing !== null) return false
  // A payment that was asked for and never seen may still come.
  const asked = SIDES.some(side => j.deposits[side]?.txid === '' && j.deposits[side].amount > 0n)
  if (asked && f.nowS <= j.endedMs / 1_000 + awayS(paces)) return false
  const enough = (side: SwapSide): boolean =>
    (f[side]?.end?.confirmations ?? 0) >= paceOf(view, side).confirmations + DEEPER_BLOCKS
  if (j.outcome === 'refunded') return enough('give')
  // The participant's leg must have been claimed for good: until then its funding may have to be sent again.
  return j.outcome === 'abandoned' || (enough('take') && (j.role === 'initiator' || enough('give')))
}

function watchedEnough({ j, f }: View): boolean {
  return f.nowS > Math.max(j.agreement.first.lockS, j.endedMs / 1_000) + WATCH_S
}

/** A claim or a refund with the fee that is wanted now; null: the newest is good enough. */
function raised({ j, help }: View, kind: 'claim' | 'refund', wanted: number): SwapStep | null {
  const newest = kept(j, kind).at(-1)
  const urgency = Math.min(MAX_URGENCY, Math.max(0, help.dearest - 1), Math.max(wanted, newest?.urgency ?? 0))
  if (newest !== undefined && newest.urgency >= urgency && !help.refused.has(newest.txid)) return null
  return { do: kind, step: kind === 'claim' ? 'claiming' : 'refunding', urgency }
}

/** The newest version, with its raised fee, has not left yet. */
function isUnsent(j: SwapJournal, kind: 'claim' | 'refund'): boolean {
  return kept(j, kind).at(-1)?.sentMs === 0
}

/** The newest first: a chain that does not take a raised fee has taken an older one. */
function sending(step: string, transactions: readonly KeptTransaction[], all = false): SwapStep {
  return { do: 'send', step, what: all ? transactions : [...transactions].reverse(), all }
}

/** Whether the secret is known to both sides. */
function isOut({ j, f }: View): boolean {
  if (f.give?.end?.kind === 'claimed') return true
  return j.role === 'initiator' ? shown(j) || f.take?.end?.kind === 'claimed' : j.secret !== ''
}

/** The money that we were to take went back for good. */
function takeIsGone(view: View): boolean {
  const { end } = view.f.take ?? { end: null }
  return end?.kind === 'refunded' && end.confirmations >= paceOf(view, 'take').confirmations
}

/** By the chain's clock; when that is behind for too long, it is tried. */
function isOver(view: View, give: SideFacts): boolean {
  const { lockS } = legOf(view.j, 'give')
  return give.now.timeS > lockS || view.f.nowS > lockS + paceOf(view, 'give').clockLagS
}

/** Every clock says so. */
function tooLate({ f }: View, lastS: number): boolean {
  return f.give !== null && f.take !== null && earliest(earliest(f.nowS, f.give), f.take) > lastS
}

function latest(nowS: number, { now }: SideFacts): number {
  return Math.max(nowS, now.timeS)
}

function earliest(nowS: number, { now }: SideFacts): number {
  return Math.min(nowS, now.timeS)
}

/** Whether gas is needed is known once its deposit was looked at: one of amount 0 needs nothing. */
function needsDeposit(j: SwapJournal, side: SwapSide): boolean {
  return side === 'give' || j.deposits.take === null || j.deposits.take.amount > 0n
}

function gasIsMissing(j: SwapJournal, take: SideFacts): boolean {
  const deposit = j.deposits.take
  if (deposit === null || deposit.amount === 0n || deposit.counted) return false
  return (take.counts.get(deposit.txid) ?? 0) < 1 || take.deposit === 0n
}

function countedS(j: SwapJournal): number {
  const times = j.transactions.filter(each => each.kind !== 'sweep').map(each => each.countedMs)
  const last = Math.max(0, ...times)
  return last === 0 ? Number.POSITIVE_INFINITY : last / 1_000
}

function secondWaits(view: View): string {
  const { take } = view.f
  if (tooLate(view, view.moments.revealS))
    return `There was no second leg in time: what we gave comes back after ${timeText(legOf(view.j, 'give').lockS)}.`
  if (take === null) return `The server of ${coinOf(view, 'take')} does not answer.`
  if (take.funding === null) return 'The other side has not funded yet.'
  return 'The second leg waits for confirmations.'
}

function paceOf({ j, paces }: View, side: SwapSide): SwapPaces['first'] {
  return (side === 'give') === (j.role === 'initiator') ? paces.first : paces.second
}

function coinOf({ j }: View, side: SwapSide): string {
  return legOf(j, side).asset.coin
}

function timeText(unixS: number): string {
  return new Date(unixS * 1_000).toISOString().slice(0, 16)
}

function wait(step: string, why: string): SwapStep {
  return { do: 'wait', step, for: why }
}
