// The state of a swap as others see it: made of its journal. Pure.

import type { SwapPayment, SwapView } from '../ports/swap-engine.ts'
import { assetOf, legOf, SIDES, type KeptTransaction, type SwapJournal } from './swap-journal.ts'

/** `step` and `waitsFor` as the last step says. */
export function viewOf(journal: SwapJournal, step: string, waitsFor: string): SwapView {
  const { agreement, role, outcome, given, taken } = journal
  return {
    agreement,
    role,
    step,
    waitsFor,
    outcome,
    given: given ? legOf(journal, 'give').amount : 0n,
    taken: taken ? legOf(journal, 'take').amount : 0n,
    payments: [...deposits(journal), ...ours(journal), ...theirs(journal)].sort((a, b) => a.timeMs - b.timeMs),
  }
}

function deposits(journal: SwapJournal): SwapPayment[] {
  return SIDES.flatMap(side => {
    const deposit = journal.deposits[side]
    if (deposit === null || deposit.txid === '') return []
    const { coin } = assetOf(journal, side)
    const { txid, amount, fee, timeMs, counted } = deposit
    const spent = side === 'give' && journal.transactions.some(each => each.kind === 'fund' && each.countedMs > 0)
    return [{ kind: 'purse', coin, txid, amount, fee, timeMs, theirs: false, confirmed: counted || spent } as const]
  })
}

/** Those that were sent; of claims and refunds with raised fees only the one that counts, or the newest. */
function ours(journal: SwapJournal): SwapPayment[] {
  const sent = journal.transactions.filter(each => each.sentMs > 0 || each.countedMs > 0)
  const shown = sent.filter(each => {
    if (each.kind !== 'claim' && each.kind !== 'refund') return true
    const versions = sent.filter(other => other.kind === each.kind)
    return each === (versions.find(other => other.countedMs > 0) ?? versions.at(-1))
  })
  return shown.map(each => paymentOf(journal, each, shown))
}

function paymentOf(journal: SwapJournal, each: KeptTransaction, all: readonly KeptTransaction[]): SwapPayment {
  const { kind, txid, amount, fee, madeMs } = each
  // What had to be there before the funding is there when the funding counts.
  const counted = all.some(other => other.kind === kind && other.side === each.side && other.countedMs > 0)
  const confirmed = kind === 'fund' ? counted : each.countedMs > 0
  return { kind, coin: assetOf(journal, each.side).coin, txid, amount, fee, timeMs: madeMs, theirs: false, confirmed }
}

function theirs(journal: SwapJournal): SwapPayment[] {
  return journal.theirs.map(({ kind, side, txid, timeMs, counted }) => {
    const { asset, amount } = legOf(journal, side)
    return { kind, coin: asset.coin, txid, amount, fee: 0n, timeMs, theirs: true, confirmed: counted }
  })
}
