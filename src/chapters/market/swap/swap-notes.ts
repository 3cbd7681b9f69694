// Adds facts of the chains to the journal of a swap: which transactions count by now, and what the other side did.
// Pure.

import type { SideFacts, SwapFacts } from './swap-facts.ts'
import { searchFrom } from './swap-facts.ts'
import { SIDES, type KeptTransaction, type SwapJournal, type SwapSide } from './swap-journal.ts'

/**
 * What facts add to the journal: what counts, what the other side did, heights that were too great. The same object
 * when there is nothing.
 */
export function noted(
  journal: SwapJournal,
  facts: SwapFacts,
  confirmations: Record<SwapSide, number>,
  nowMs: number,
): SwapJournal {
  let next = journal
  for (const side of SIDES) {
    const seen = facts[side]
    if (seen !== null) next = notedSide(next, side, seen, confirmations[side], nowMs)
  }
  return next
}

function notedSide(journal: SwapJournal, side: SwapSide, seen: SideFacts, enough: number, nowMs: number): SwapJournal {
  let next = journal
  const { funding, end, counts, fees } = seen
  const from = searchFrom(journal.fromHeight[side], seen.now.height)
  if (from < journal.fromHeight[side]) next = { ...next, fromHeight: { ...next.fromHeight, [side]: from } }
  const ended = end !== null && end.confirmations >= enough
  const countsNow = (each: KeptTransaction): boolean =>
    each.side === side &&
    ((each.txid === funding?.txid && funding.confirmations >= enough) ||
      (each.txid === end?.txid && ended) ||
      (each.kind === 'sweep' && (counts.get(each.txid) ?? 0) >= enough))
  if (next.transactions.some(each => each.countedMs === 0 && countsNow(each))) {
    const transactions = next.transactions.map(each =>
      each.countedMs === 0 && countsNow(each)
        ? { ...each, countedMs: nowMs, fee: fees.get(each.txid) ?? each.fee }
        : each,
    )
    next = { ...next, transactions }
  }
  const deposit = next.deposits[side]
  if (deposit !== null && !deposit.counted && (counts.get(deposit.txid) ?? 0) >= 1) {
    next = {
      ...next,
      deposits: { ...next.deposits, [side]: { ...deposit, counted: true, fee: fees.get(deposit.txid) ?? deposit.fee } },
    }
  }
  return withTheirs(next, side, seen, enough, nowMs)
}

function withTheirs(journal: SwapJournal, side: SwapSide, seen: SideFacts, enough: number, nowMs: number): SwapJournal {
  const { funding, end } = seen
  let next = journal
  if (side === 'take' && funding !== null)
    next = told(next, 'fund', side, funding.txid, funding.confirmations >= enough, nowMs)
  const ours = journal.transactions.some(each => each.txid === end?.txid)
  if (end !== null && !ours) {
    const kind = end.kind === 'claimed' ? 'claim' : 'refund'
    next = told(next, kind, side, end.txid, end.confirmations >= enough, nowMs)
  }
  const counts = end !== null && end.confirmations >= enough
  if (counts && end.kind === 'claimed') {
    if (side === 'take' && !next.taken) next = { ...next, taken: true }
    if (side === 'give' && !next.given) next = { ...next, given: true }
  }
  // The claim of the initiator shows the secret: what it gave is the other's from then on.
  if (next.taken && next.role === 'initiator' && !next.given) next = { ...next, given: true }
  return next
}

/** One of each kind and side: a later one takes the place of what a reorganisation lost. */
function told(
  journal: SwapJournal,
  kind: 'fund' | 'claim' | 'refund',
  side: SwapSide,
  txid: string,
  counted: boolean,
  timeMs: number,
): SwapJournal {
  const known = journal.theirs.find(each => each.kind === kind && each.side === side)
  if (known !== undefined && known.txid === txid && (known.counted || !counted)) return journal
  const kept = { kind, side, txid, counted, timeMs: known?.txid === txid ? known.timeMs : timeMs }
  const theirs = [...journal.theirs.filter(each => each !== known), kept]
  return { ...journal, theirs }
}
