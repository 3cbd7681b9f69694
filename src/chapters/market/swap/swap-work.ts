// Does the steps of a swap: what is signed is kept before it is sent. Each answers the new journal, after it is
// durable.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SecretSeal } from '../ports/market-files.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { DepositTrace, SignedTransaction, SwapChain } from '../ports/swap-chain.ts'
import { searchFrom, type SideFacts } from './swap-facts.ts'
import {
  assetOf,
  keep,
  kept,
  legOf,
  opened,
  wiped,
  type KeptDeposit,
  type KeptTransaction,
  type SwapJournal,
  type SwapSide,
} from './swap-journal.ts'
import type { SwapStep } from './swap-steps.ts'

/**
 * Claims and refunds that are kept, each: one for each step of fees, and some that were made once more. The oldest go
 * first.
 */
const MAX_VERSIONS = 16

/** What work is done with. */
export interface SwapTools {
  readonly clock: Clock
  readonly seal: SecretSeal
  readonly funds: MarketFunds
  readonly chains: Readonly<Record<SwapSide, SwapChain>>
  /** The swap's own. */
  readonly key: Uint8Array
  /** Durable when settled; `must`: false = what will be sent cannot harm us, and a full disk does not stop it. */
  write(journal: SwapJournal, must: boolean): Promise<void>
}

/** Of a wallet that surely did not pay. */
const NOT_PAID = new Set(['WalletLocked', 'InsufficientFunds', 'SpendLimitReached', 'WalletNotCreated'])

/**
 * Pays a deposit, once for ever. What it needs is fixed and kept first, for the same payment must be asked for again.
 */
export async function payDeposit(tools: SwapTools, journal: SwapJournal, side: SwapSide): Promise<SwapJournal> {
  const asked = await askedDeposit(tools, journal, side)
  const deposit = asked.deposits[side]
  if (deposit === null || deposit.amount === 0n) return asked
  const payment = {
    coin: assetOf(journal, side).coin,
    destination: tools.chains[side].depositAddress(tools.key),
    amount: deposit.amount,
    // Durable in the wallet: the same payment must have the same key in every version.
    key: `swap-${journal.agreement.id}-${side === 'give' ? 'purse' : 'gas'}`,
    reservation: side === 'give' ? journal.reservation : `${journal.reservation}-gas`,
  }
  try {
    const { txid, fee } = await tools.funds.pay(payment)
    return await written(tools, withDeposit(asked, side, { ...deposit, txid, fee, timeMs: tools.clock.wallMs() }))
  } catch (error) {
    if (error instanceof AppError && NOT_PAID.has(error.code)) await written(tools, withDeposit(asked, side, null))
    throw error
  }
}

async function askedDeposit(tools: SwapTools, journal: SwapJournal, side: SwapSide): Promise<SwapJournal> {
  if (journal.deposits[side] !== null) return journal
  const { amount } = legOf(journal, side)
  const need = await tools.chains[side].depositNeed(side === 'give' ? 'fund' : 'claim', amount)
  const deposit = { amount: need, fee: 0n, txid: '', timeMs: tools.clock.wallMs(), counted: false, nothingWorth: 0n }
  return written(tools, withDeposit(journal, side, deposit))
}

/** Signs the funding, and the refund where that can be: nothing is sent. */
export async function makeFunding(tools: SwapTools, journal: SwapJournal, give: SideFacts): Promise<SwapJournal> {
  const terms = legOf(journal, 'give')
  const trace = traceOf(journal, 'give', give)
  const made = await tools.chains.give.makeFunding(terms, tools.key, journal.payTo.give, trace)
  const facts = { side: 'give', amount: terms.amount, urgency: 0, madeMs: tools.clock.wallMs() } as const
  const transactions = made.funding.map(each => keep(tools.seal, each, { ...facts, kind: 'fund' }))
  if (made.refund !== null) transactions.push(keep(tools.seal, made.refund, { ...facts, kind: 'refund' }))
  return added(tools, journal, transactions, true)
}

/** Signs a claim with the secret; `open`: the secret is out, nothing is given away by sending it. */
export async function makeClaim(
  tools: SwapTools,
  journal: SwapJournal,
  take: SideFacts,
  urgency: number,
  open: boolean,
): Promise<SwapJournal> {
  const terms = legOf(journal, 'take')
  if (take.funding === null) throw new Error('a claim of nothing')
  const secret = Buffer.from(tools.seal.open(journal.secret)).toString('hex')
  const { chains, key } = tools
  const made = await chains.take.makeClaim(terms, take.funding, secret, key, journal.payTo.take, urgency)
  return added(tools, journal, [keptAs(tools, made, 'claim', 'take', terms.amount, urgency)], !open)
}

/** Signs a refund. */
export async function makeRefund(
  tools: SwapTools,
  journal: SwapJournal,
  give: SideFacts,
  urgency: number,
): Promise<SwapJournal> {
  const terms = legOf(journal, 'give')
  if (give.funding === null) throw new Error('a refund of nothing')
  const made = await tools.chains.give.makeRefund(terms, give.funding, tools.key, journal.payTo.give, urgency)
  return added(tools, journal, [keptAs(tools, made, 'refund', 'give', terms.amount, urgency)], false)
}

/** Signs what brings the rest of a deposit home, or notes that it is not worth its fee. */
export async function makeSweep(
  tools: SwapTools,
  journal: SwapJournal,
  side: SwapSide,
  facts: SideFacts,
): Promise<SwapJournal> {
  const made = await tools.chains[side].makeSweep(tools.key, journal.payTo[side], traceOf(journal, side, facts))
  const deposit = journal.deposits[side] as KeptDeposit
  if (made === null) return written(tools, withDeposit(journal, side, { ...deposit, nothingWorth: facts.deposit }))
  return added(tools, journal, [keptAs(tools, made, 'sweep', side, facts.deposit - made.fee, 0)], true)
}

/** The secret, out of the other side's claim. */
export async function learnSecret(tools: SwapTools, journal: SwapJournal, secret: string): Promise<SwapJournal> {
  const learned = { ...journal, secret: tools.seal.seal(Buffer.from(secret, 'hex')) }
  await tools.write(learned, false)
  return learned
}

/**
 * Sends what a step says; what the chain took is marked. Rejects with the last error when nothing was taken (of `all`:
 * when not all of it was).
 */
export async function sendKept(
  tools: SwapTools,
  journal: SwapJournal,
  step: Extract<SwapStep, { do: 'send' }>,
): Promise<SwapJournal> {
  const taken = new Set<string>()
  let problem: unknown = null
  for (const each of step.what) {
    try {
      await tools.chains[each.side].send(opened(tools.seal, each))
      if (each.sentMs === 0) taken.add(each.txid)
      if (!step.all) problem = null
      if (!step.all) break
    } catch (error) {
      problem = error
      if (step.all) break
    }
  }
  const marked = taken.size === 0 ? journal : await sentMarked(tools, journal, taken)
  if (problem !== null) throw problem
  return marked
}

/** The outcome is there. */
export function endSwap(
  tools: SwapTools,
  journal: SwapJournal,
  outcome: NonNullable<SwapJournal['outcome']>,
): Promise<SwapJournal> {
  return written(tools, { ...journal, outcome, endedMs: tools.clock.wallMs() })
}

/** Nothing is left to do. */
export function closeSwap(tools: SwapTools, journal: SwapJournal): Promise<SwapJournal> {
  return written(tools, wiped(journal))
}

function keptAs(
  { seal, clock }: SwapTools,
  made: SignedTransaction,
  kind: KeptTransaction['kind'],
  side: SwapSide,
  amount: bigint,
  urgency: number,
): KeptTransaction {
  return keep(seal, made, { kind, side, amount, urgency, madeMs: clock.wallMs() })
}

/**
 * The newest of a kind come last. A transaction that came out as one that is kept already is that one, which a
 * reorganisation may have undone after it counted.
 */
async function added(
  tools: SwapTools,
  journal: SwapJournal,
  transactions: readonly KeptTransaction[],
  must: boolean,
): Promise<SwapJournal> {
  const fresh = transactions.filter(each => !kept(journal, each.kind).some(known => known.txid === each.txid))
  const older = journal.transactions.map(each => {
    const again = transactions.find(({ txid, kind }) => txid === each.txid && kind === each.kind)
    return again === undefined ? each : { ...each, urgency: again.urgency, countedMs: 0 }
  })
  const next = { ...journal, transactions: bounded([...older, ...fresh]) }
  await tools.write(next, must)
  return next
}

/** Without the oldest of too many claims or refunds. */
function bounded(transactions: readonly KeptTransaction[]): readonly KeptTransaction[] {
  return transactions.filter((each, place) => {
    if (each.kind !== 'claim' && each.kind !== 'refund') return true
    return transactions.slice(place + 1).filter(({ kind }) => kind === each.kind).length < MAX_VERSIONS
  })
}

async function sentMarked(tools: SwapTools, journal: SwapJournal, taken: ReadonlySet<string>): Promise<SwapJournal> {
  const sentMs = tools.clock.wallMs()
  const transactions = journal.transactions.map(each => (taken.has(each.txid) ? { ...each, sentMs } : each))
  const next = { ...journal, transactions }
  await tools.write(next, false)
  return next
}

async function written(tools: SwapTools, journal: SwapJournal): Promise<SwapJournal> {
  await tools.write(journal, true)
  return journal
}

/** With what is known of a deposit. */
export function withDeposit(journal: SwapJournal, side: SwapSide, deposit: KeptDeposit | null): SwapJournal {
  return { ...journal, deposits: { ...journal.deposits, [side]: deposit } }
}

function traceOf(journal: SwapJournal, side: SwapSide, { now }: SideFacts): DepositTrace {
  const txid = journal.deposits[side]?.txid ?? ''
  return { fromHeight: searchFrom(journal.fromHeight[side], now.height), paidBy: txid === '' ? null : txid }
}
