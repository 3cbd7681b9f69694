// A whole chain in memory, for swaps: blocks by the virtual clock, waiting transactions that replace each other by
// their fee, contracts whose hash and time locks are ENFORCED, reorganisations, congestion. One ledger of outputs
// serves both kinds of chains; what differs is in fake-swap-chain.ts.

import { createHash } from 'node:crypto'
import { AppError } from '../../../../src/base/errors.ts'
import type { ChainNow, ChainPace } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { Asset } from '../../../../src/chapters/wallets/core/assets.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'
import type { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

/** Money at an address, or under the terms of a contract. */
export interface FakeOutput {
  readonly address: string
  readonly terms: LegTerms | null
  readonly amount: bigint
}

/** A transaction. `signers`: public keys whose private ones its maker had. */
export interface FakeTransaction {
  readonly txid: string
  readonly inputs: readonly string[]
  readonly outputs: readonly FakeOutput[]
  readonly signers: readonly string[]
  readonly secret: string | null
  readonly fee: bigint
}

/** What a chain is made with. */
export interface FakeChainOptions {
  readonly asset: Asset
  readonly kind: 'utxo' | 'evm'
  readonly pace: ChainPace
  readonly clock: VirtualClock
}

interface Block {
  readonly timeS: number
  readonly transactions: readonly FakeTransaction[]
}

/** A usual fee. */
export const USUAL_FEE = 100n

const json = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each))

const textsOfTerms = new WeakMap<LegTerms, string>()

/** The same text for the same terms. */
export function termsText(terms: LegTerms): string {
  const known = textsOfTerms.get(terms)
  if (known !== undefined) return known
  const { asset, hash, amount, lockS, claimKey, refundKey } = terms
  const text = json([asset.coin, asset.chain, hash, amount, lockS, claimKey, refundKey])
  textsOfTerms.set(terms, text)
  return text
}

/** Its id is the hash of the rest. */
export function makeTransaction(parts: Omit<FakeTransaction, 'txid'>): FakeTransaction {
  const { inputs, outputs, signers, secret, fee } = parts
  const shown = outputs.map(({ address, terms, amount }) => [address, terms === null ? '' : termsText(terms), amount])
  const txid = createHash('sha256')
    .update(json([inputs, shown, signers, secret, fee]))
    .digest('hex')
  return { txid, ...parts }
}

/**
 * A whole chain in memory, for swaps: blocks by the virtual clock, waiting transactions that replace each other by
 * their fee, contracts whose hash and time locks are ENFORCED, reorganisations, congestion.
 */
export class FakeChain {
  readonly options: FakeChainOptions
  /** Blocks take no transaction with less. */
  leastFee = 0n
  /** What new transactions reckon with. */
  usualFee = USUAL_FEE
  /** Of all blocks. */
  fees = 0n
  /** In the order in which they were sent. */
  waiting: FakeTransaction[] = []
  /** No block comes while it is set. */
  halted = false
  readonly #blocks: Block[] = []
  #unspent = new Map<string, FakeOutput>()
  /** Sent by wallets, which send again what a chain forgets. */
  readonly #ofWallets: FakeTransaction[] = []

  constructor(options: FakeChainOptions) {
    this.options = options
  }

  get height(): number {
    return this.#blocks.length - 1
  }

  now(): ChainNow {
    const times = this.#blocks.slice(this.options.kind === 'evm' ? -1 : -11).map(block => block.timeS)
    times.sort((a, b) => a - b)
    return { height: this.height, timeS: times[times.length >> 1] ?? 0 }
  }

  /** Money out of nothing: only before anything else. */
  endow(address: string, amount: bigint): void {
    const output = { address, terms: null, amount }
    const made = makeTransaction({ inputs: [], outputs: [output], signers: [address], secret: null, fee: 0n })
    this.#blocks.push({ timeS: this.#wallS(), transactions: [made] })
    this.#apply(made)
  }

  /** Blocks come at their pace from now on; answers what stops them. */
  run(): () => void {
    const timer = this.options.clock.every(this.options.pace.blockS * 1_000, () => {
      if (!this.halted) this.mine()
    })
    return () => timer.cancel()
  }

  /** One block, with all that it may take. */
  mine(): void {
    for (const each of this.#ofWallets) if (!this.isKnown(each.txid)) this.#putWaiting(each)
    const { timeS } = this.now()
    const transactions: FakeTransaction[] = []
    for (const each of this.waiting) {
      if (each.fee < this.leastFee || this.#problem(each, this.#unspent, timeS) !== '') continue
      transactions.push(each)
      this.#apply(each)
    }
    this.#blocks.push({ timeS: Math.max(this.#wallS(), (this.#blocks.at(-1)?.timeS ?? 0) + 1), transactions })
    const mined = new Set(transactions.map(each => each.txid))
    this.waiting = this.waiting.filter(each => !mined.has(each.txid))
    this.#dropImpossible()
  }

  /**
   * The last `depth` blocks are replaced by one more without transactions; `forget`: nobody remembers those that were
   * in them.
   */
  reorganise(depth: number, forget: boolean): void {
    const gone = this.#blocks.splice(Math.max(2, this.#blocks.length - depth))
    const lost = gone.flatMap(block => block.transactions)
    this.#replay()
    this.waiting = forget ? [] : [...lost, ...this.waiting]
    const lastS = gone.at(-1)?.timeS ?? this.#wallS()
    for (const block of gone) this.#blocks.push({ timeS: block.timeS, transactions: [] })
    this.#blocks.push({ timeS: lastS + 1, transactions: [] })
  }

  /** Takes a transaction among those that wait. AppError TransferRefused. */
  send(transaction: FakeTransaction): void {
    if (this.isKnown(transaction.txid)) return
    const problem = this.#problem(transaction, this.spendable(true), this.now().timeS)
    const rivals = this.waiting.filter(each => each.inputs.some(input => transaction.inputs.includes(input)))
    const replaces = rivals.length > 0 && rivals.every(each => each.fee < transaction.fee)
    const alone = replaces ? this.#problem(transaction, this.spendable(true, rivals), this.now().timeS) : problem
    if (alone !== '') throw new AppError('TransferRefused', alone)
    this.waiting = this.waiting.filter(each => !rivals.includes(each))
    this.waiting.push(transaction)
    this.#dropImpossible()
  }

  /** As send(), by a wallet, which does not let it be forgotten. */
  sendOfWallet(transaction: FakeTransaction): void {
    this.send(transaction)
    this.#ofWallets.push(transaction)
  }

  isKnown(txid: string): boolean {
    return this.waiting.some(each => each.txid === txid) || this.heightOf(txid) !== null
  }

  /** Of the block that has it; null. */
  heightOf(txid: string): number | null {
    const height = this.#blocks.findLastIndex(block => block.transactions.some(each => each.txid === txid))
    return height < 0 ? null : height
  }

  /** All of the blocks from a height on, then those that wait. */
  *transactions(
    fromHeight: number,
  ): Iterable<{ readonly transaction: FakeTransaction; readonly height: number | null }> {
    for (let height = Math.max(0, fromHeight); height < this.#blocks.length; height++) {
      for (const transaction of this.#blocks[height]?.transactions ?? []) yield { transaction, height }
    }
    for (const transaction of this.waiting) yield { transaction, height: null }
  }

  /**
   * Outputs that can be spent, by place; `waiting`: also those of waiting transactions, without what these spend
   * (`except`: as if they were not).
   */
  spendable(waiting: boolean, except: readonly FakeTransaction[] = []): Map<string, FakeOutput> {
    const unspent = new Map(this.#unspent)
    if (!waiting) return unspent
    for (const each of this.waiting) if (!except.includes(each)) applyTo(unspent, each)
    return unspent
  }

  /** What an address has in blocks. */
  balance(address: string): bigint {
    let sum = 0n
    for (const output of this.#unspent.values()) if (output.address === address) sum += output.amount
    return sum
  }

  /** What lies under contracts. */
  underLocks(): bigint {
    let sum = 0n
    for (const output of this.#unspent.values()) if (output.terms !== null) sum += output.amount
    return sum
  }

  /** All money, with the fees that were paid: never changes. */
  total(): bigint {
    let sum = this.fees
    for (const output of this.#unspent.values()) sum += output.amount
    return sum
  }

  #putWaiting(transaction: FakeTransaction): void {
    try {
      this.send(transaction)
    } catch {
      // It waits for another, or is void: the next block tries again.
    }
  }

  #apply(transaction: FakeTransaction): void {
    applyTo(this.#unspent, transaction)
    this.fees += transaction.fee
  }

  #replay(): void {
    this.#unspent = new Map()
    this.fees = 0n
    for (const block of this.#blocks) for (const each of block.transactions) this.#apply(each)
  }

  /** What waited for money that is gone can never be in a block. */
  #dropImpossible(): void {
    const unspent = new Map(this.#unspent)
    this.waiting = this.waiting.filter(each => {
      if (!each.inputs.every(input => unspent.has(input))) return false
      applyTo(unspent, each)
      return true
    })
  }

  /** '' = it can be in the next block. */
  #problem(transaction: FakeTransaction, unspent: ReadonlyMap<string, FakeOutput>, timeS: number): string {
    let sum = -transaction.fee
    for (const input of transaction.inputs) {
      const output = unspent.get(input)
      if (output === undefined) return 'missing or spent input'
      const problem = this.#lockProblem(transaction, output, timeS)
      if (problem !== '') return problem
      sum += output.amount
    }
    for (const { amount } of transaction.outputs) {
      if (amount <= 0n) return 'an output of nothing'
      sum -= amount
    }
    return sum === 0n && transaction.fee > 0n ? '' : 'its sums differ'
  }

  #lockProblem(transaction: FakeTransaction, { address, terms }: FakeOutput, timeS: number): string {
    if (terms === null) return transaction.signers.includes(address) ? '' : 'not signed by its owner'
    const { secret, signers } = transaction
    const claims = secret !== null
    if (claims && !opens(secret, terms.hash)) return 'wrong secret'
    if (!claims && timeS <= terms.lockS) return 'non-final: its lock is not over'
    const owner = claims ? terms.claimKey : terms.refundKey
    // Anybody may end a contract of Ethereum's kind: it pays whom its terms name.
    if (this.options.kind === 'utxo') return signers.includes(owner) ? '' : 'not signed by its owner'
    const paid = transaction.outputs.some(each => each.address === owner && each.amount === terms.amount)
    return paid ? '' : 'pays another'
  }

  #wallS(): number {
    return Math.floor(this.options.clock.wallMs() / 1_000)
  }
}

function opens(secret: string, hash: string): boolean {
  return secret.length === 64 && createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex') === hash
}

function applyTo(unspent: Map<string, FakeOutput>, transaction: FakeTransaction): void {
  for (const input of transaction.inputs) unspent.delete(input)
  for (const [place, output] of transaction.outputs.entries()) unspent.set(`${transaction.txid}:${place}`, output)
}
