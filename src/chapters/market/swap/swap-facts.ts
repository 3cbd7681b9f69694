// What a swap sees of its two chains, read again for every step: nothing of it is remembered, so that a reorganisation
// needs no rule of its own.

import { createHash } from 'node:crypto'
import type { ChainNow, FoundEnd, FoundFunding, SwapChain } from '../ports/swap-chain.ts'
import { kept, legOf, type SwapJournal, type SwapSide } from './swap-journal.ts'

/** Blocks before the beginning of a swap in which its contracts are looked for too. */
const BEFORE_BLOCKS = 12
/** Heights rise no faster than this many blocks, and ten times the pace: faster is not believed. */
const SUDDEN_BLOCKS = 100
/** Heights that rise faster than this many times the pace are not believed. */
const SUDDEN_PACE = 10

/** One chain. */
export interface SideFacts {
  readonly now: ChainNow
  /** Its height rose no faster than blocks come. */
  readonly steady: boolean
  readonly funding: FoundFunding | null
  readonly end: FoundEnd | null
  /** What our deposit has; 0 when it was never to be paid. */
  readonly deposit: bigint
  /** Confirmations of our payments into deposits and sweeps; none = unknown to the chain. */
  readonly counts: ReadonlyMap<string, number>
  /** What those of ours in blocks have cost that do not count yet; none = as signed. */
  readonly fees: ReadonlyMap<string, bigint>
}

/** Both; null = it cannot be asked now. */
export interface SwapFacts {
  /** Wall clock, Unix seconds. */
  readonly nowS: number
  readonly give: SideFacts | null
  readonly take: SideFacts | null
}

/** What is needed to read a side. */
export interface SideSource {
  readonly chain: SwapChain
  readonly key: Uint8Array
  /** The transaction that the other side says it funded with; null. */
  readonly hint: string | null
  readonly nowMs: number
}

/** Reads one side. Rejects as SwapChain does. */
export async function readSide(journal: SwapJournal, side: SwapSide, source: SideSource): Promise<SideFacts> {
  const { chain, key } = source
  const terms = legOf(journal, side)
  const now = await chain.now()
  const from = searchFrom(journal.fromHeight[side], now.height)
  const ours = kept(journal, 'fund').at(-1)?.txid ?? null
  const funding = await findFunding(journal, side, source, from, ours)
  const found = funding === null ? null : await chain.findEnd(terms, funding, from)
  const deposit = journal.deposits[side]
  const counts = await countAll(journal, side, chain, from)
  const trace = { fromHeight: from, paidBy: deposit === null || deposit.txid === '' ? null : deposit.txid }
  return {
    now,
    steady: risesSteadily(journal, side, now.height, chain.pace.blockS, source.nowMs),
    funding,
    end: believable(found, terms.hash) ? found : null,
    deposit: deposit === null || deposit.amount === 0n ? 0n : (await chain.deposit(key, trace)).balance,
    counts,
    fees: await feesPaid(journal, side, chain, [funding, found], counts),
  }
}

/**
 * Where blocks are looked through from: a server that once told too great a height must not hide what came before it.
 */
export function searchFrom(fromHeight: number, height: number): number {
  return Math.max(0, Math.min(fromHeight, height - BEFORE_BLOCKS))
}

/** Whether a secret is 32 bytes, and that of the hash. */
export function opensHash(secret: string | null, hash: string): secret is string {
  if (secret === null || !/^[0-9a-f]{64}$/.test(secret)) return false
  return createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex') === hash
}

async function findFunding(
  journal: SwapJournal,
  side: SwapSide,
  { chain, hint }: SideSource,
  from: number,
  ours: string | null,
): Promise<FoundFunding | null> {
  // The participant's leg is never funded before the initiator has made its own.
  const mayBe = ours !== null || (side === 'take' && journal.role === 'participant')
  if (!mayBe) return null
  const told = journal.theirs.find(each => each.kind === 'fund')?.txid ?? hint
  return chain.findFunding(legOf(journal, side), from, side === 'give' ? ours : told)
}

/** A claim without its secret was made up. */
function believable(end: FoundEnd | null, hash: string): boolean {
  return end !== null && (end.kind === 'refunded' || opensHash(end.secret, hash))
}

function risesSteadily(journal: SwapJournal, side: SwapSide, height: number, blockS: number, nowMs: number): boolean {
  const sinceS = Math.max(0, nowMs - journal.beganMs) / 1_000
  return height <= journal.fromHeight[side] + SUDDEN_BLOCKS + SUDDEN_PACE * Math.ceil(sinceS / blockS)
}

async function countAll(
  journal: SwapJournal,
  side: SwapSide,
  chain: SwapChain,
  from: number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const deposit = journal.deposits[side]
  const wanted = kept(journal, 'sweep', side).map(each => each.txid)
  if (deposit !== null && deposit.txid !== '' && !deposit.counted) wanted.push(deposit.txid)
  for (const txid of wanted) {
    const count = await chain.confirmations(txid, from)
    if (count !== null) counts.set(txid, count)
  }
  return counts
}

async function feesPaid(
  journal: SwapJournal,
  side: SwapSide,
  chain: SwapChain,
  seen: readonly (FoundFunding | FoundEnd | null)[],
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, bigint>> {
  const inBlocks = new Set(seen.flatMap(each => (each !== null && each.confirmations > 0 ? [each.txid] : [])))
  for (const [txid, count] of counts) if (count > 0) inBlocks.add(txid)
  const open = journal.transactions.filter(each => each.side === side && each.countedMs === 0).map(each => each.txid)
  const deposit = journal.deposits[side]
  if (deposit !== null && !deposit.counted) open.push(deposit.txid)
  const fees = new Map<string, bigint>()
  for (const txid of open.filter(each => inBlocks.has(each))) {
    const fee = await chain.feePaid(txid)
    if (fee !== null) fees.set(txid, fee)
  }
  return fees
}
