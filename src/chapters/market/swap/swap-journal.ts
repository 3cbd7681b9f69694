// The journal of a swap: everything that must outlive the process, as one text. It is written before what it says is
// sent. Secrets in it (the key, the secret, raw transactions, which show the secret) are sealed. Pure.

import { AppError } from '../../../base/errors.ts'
import type { SecretSeal } from '../ports/market-files.ts'
import type { SignedTransaction } from '../ports/swap-chain.ts'
import type { Asset } from '../../wallets/core/assets.ts'
import type { LegTerms, SwapAgreement, SwapRole } from '../wire/types.ts'

/** Characters of a journal: 50 transactions of 4 KiB in hexadecimal, sealed, are less. */
const MAX_JOURNAL_CHARS = 1_048_576

/** The chain of what we give, and that of what we take. */
export type SwapSide = 'give' | 'take'
/** Both. */
export const SIDES: readonly SwapSide[] = ['give', 'take']

/** A transaction of ours. */
export interface KeptTransaction {
  readonly kind: 'fund' | 'claim' | 'refund' | 'sweep'
  readonly side: SwapSide
  readonly txid: string
  readonly fee: bigint
  /** What it moves. */
  readonly amount: bigint
  /** Sealed; '' when the swap is over. */
  readonly raw: string
  /** Step of its fee. */
  readonly urgency: number
  readonly madeMs: number
  /** 0 = it is not known whether it was sent. */
  readonly sentMs: number
  /** When it was first seen deep enough; 0 = not yet. */
  readonly countedMs: number
}

/** The payment of our wallet into the deposit. Amounts are fixed before it is asked for. */
export interface KeptDeposit {
  readonly amount: bigint
  readonly fee: bigint
  /** '' = it was asked for, and it is not known whether it was made. */
  readonly txid: string
  readonly timeMs: number
  readonly counted: boolean
  /** What was left in it last was not worth its fee. */
  readonly nothingWorth: bigint
}

/** A transaction of the other side. */
export interface KeptTheirs {
  readonly kind: 'fund' | 'claim' | 'refund'
  readonly side: SwapSide
  readonly txid: string
  readonly timeMs: number
  readonly counted: boolean
}

/** The journal of a swap: everything that must outlive the process, as one text. */
export interface SwapJournal {
  readonly version: 1
  readonly agreement: SwapAgreement
  readonly role: SwapRole
  readonly reservation: string
  /** Sealed; '' when the swap is over. */
  readonly key: string
  /** Sealed; '' = not known, or the swap is over. */
  readonly secret: string
  /** Addresses of our wallets. */
  readonly payTo: Readonly<Record<SwapSide, string>>
  /** From these heights on the contracts are looked for. */
  readonly fromHeight: Readonly<Record<SwapSide, number>>
  readonly beganMs: number
  readonly deposits: Readonly<Record<SwapSide, KeptDeposit | null>>
  readonly transactions: readonly KeptTransaction[]
  readonly theirs: readonly KeptTheirs[]
  /** The other side can have the money that we gave. */
  readonly given: boolean
  /** We have the money that we take. */
  readonly taken: boolean
  readonly outcome: 'completed' | 'refunded' | 'abandoned' | null
  /** Of the outcome; 0. */
  readonly endedMs: number
  /** Nothing is left to do, nothing secret is kept. */
  readonly closed: boolean
}

/** The terms of one side. */
export function legOf(journal: SwapJournal, side: SwapSide): LegTerms {
  const { first, second } = journal.agreement
  return (side === 'give') === (journal.role === 'initiator') ? first : second
}

/** Its coin. */
export function assetOf(journal: SwapJournal, side: SwapSide): Asset {
  return legOf(journal, side).asset
}

/** Transactions of a kind, the oldest first. */
export function kept(journal: SwapJournal, kind: KeptTransaction['kind'], side?: SwapSide): KeptTransaction[] {
  return journal.transactions.filter(each => each.kind === kind && (side === undefined || each.side === side))
}

/** Our claim has left for sure: the secret is no secret. */
export function shown(journal: SwapJournal): boolean {
  return kept(journal, 'claim').some(each => each.sentMs > 0)
}

/** A transaction as it is kept. */
export function keep(
  seal: SecretSeal,
  transaction: SignedTransaction,
  facts: Pick<KeptTransaction, 'kind' | 'side' | 'amount' | 'urgency' | 'madeMs'>,
): KeptTransaction {
  const { txid, fee, raw } = transaction
  return { ...facts, txid, fee, raw: seal.seal(Buffer.from(raw)), sentMs: 0, countedMs: 0 }
}

/** As it was signed. AppError StateUnreadable. */
export function opened(seal: SecretSeal, { raw, txid, fee }: KeptTransaction): SignedTransaction {
  return { raw: Buffer.from(seal.open(raw)).toString(), txid, fee }
}

/** Without anything secret. */
export function wiped(journal: SwapJournal): SwapJournal {
  const transactions = journal.transactions.map(each => ({ ...each, raw: '' }))
  return { ...journal, transactions, key: '', secret: '', closed: true }
}

/** As it is kept: on the disk deposits have the name of older versions. */
type StoredJournal = Omit<SwapJournal, 'deposits'> & { readonly purses: SwapJournal['deposits'] }

/** One line of JSON; whole numbers of any size are objects `{"$": "digits"}`. */
export function encodeJournal({ deposits, ...rest }: SwapJournal): string {
  const stored: StoredJournal = { ...rest, purses: deposits }
  return JSON.stringify(stored, (_name, value: unknown) => (typeof value === 'bigint' ? { $: String(value) } : value))
}

/** AppError StateUnreadable. */
export function decodeJournal(text: string): SwapJournal {
  try {
    if (text.length > MAX_JOURNAL_CHARS) throw new Error('it is too large')
    const journal = JSON.parse(text, (_name, value: unknown) => {
      const digits = (value as { $?: unknown } | null)?.$
      return typeof digits === 'string' ? BigInt(digits) : value
    }) as Partial<StoredJournal> | null
    if (!isJournal(journal)) throw new Error('it is none of this version')
    const { purses, ...rest } = journal
    return { ...rest, deposits: purses }
  } catch {
    // What was read is not repeated: it may be secret.
    throw new AppError('StateUnreadable', 'The journal of a swap cannot be read.')
  }
}

function isJournal(value: Partial<StoredJournal> | null): value is StoredJournal {
  const { agreement } = value ?? {}
  return (
    value?.version === 1 &&
    typeof agreement?.id === 'string' &&
    [agreement.first, agreement.second].every(leg => typeof leg?.amount === 'bigint' && Number.isInteger(leg.lockS)) &&
    (value.role === 'initiator' || value.role === 'participant') &&
    Array.isArray(value.transactions) &&
    Array.isArray(value.theirs) &&
    typeof value.key === 'string' &&
    typeof value.purses === 'object' &&
    typeof value.fromHeight?.give === 'number' &&
    typeof value.payTo?.give === 'string'
  )
}
