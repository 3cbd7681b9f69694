// The port of swaps on a fake chain: one for each node, so that the server of one can fail or lie while that of the
// other works.

import { createHash } from 'node:crypto'
import { AppError } from '../../../../src/base/errors.ts'
import type {
  ChainNow,
  ChainPace,
  FoundEnd,
  FoundFunding,
  DepositFacts,
  SignedTransaction,
  SwapChain,
} from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { Asset } from '../../../../src/chapters/wallets/core/assets.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'
import {
  type FakeChain,
  type FakeOutput,
  type FakeTransaction,
  makeTransaction,
  termsText,
  USUAL_FEE,
} from './fake-chain.ts'

/** The dearest fee is so many usual ones. */
const DEAREST = 13n
const LEAST_AMOUNT = 3_000n

/**
 * The port of swaps on a fake chain: one for each node, so that the server of one can fail or lie while that of the
 * other works.
 */
export class FakeSwapChain implements SwapChain {
  readonly asset: Asset
  readonly pace: ChainPace
  /** Every call fails. */
  down = false
  /** Of calls; it fails those for which this answers true. */
  fails: (call: string) => boolean = () => false
  /** What it says instead of the truth. */
  lie: (now: ChainNow) => ChainNow = now => now
  /** Transactions are swallowed: their sender believes that they are sent. */
  mute = false
  readonly chain: FakeChain

  constructor(chain: FakeChain) {
    this.chain = chain
    this.asset = chain.options.asset
    this.pace = chain.options.pace
  }

  get #evm(): boolean {
    return this.chain.options.kind === 'evm'
  }

  termsKey(key: Uint8Array, payTo: string): string {
    return this.#evm ? payTo.toLowerCase() : publicKey(key)
  }

  checkTerms({ asset, amount, lockS }: LegTerms): void {
    const wrong = asset.chain !== this.asset.chain || amount < LEAST_AMOUNT || !Number.isInteger(lockS)
    if (wrong) throw new AppError('InvalidParameter', 'This cannot be held.')
  }

  depositAddress(key: Uint8Array): string {
    return publicKey(key)
  }

  async depositNeed(role: 'fund' | 'claim', amount: bigint): Promise<bigint> {
    this.#ask('depositNeed')
    const gas = this.#evm ? (DEAREST + 2n) * USUAL_FEE : 0n
    return role === 'fund' ? amount + 3n * USUAL_FEE + gas : gas
  }

  async now(): Promise<ChainNow> {
    this.#ask('now')
    return this.lie(this.chain.now())
  }

  async deposit(key: Uint8Array): Promise<DepositFacts> {
    this.#ask('deposit')
    return { balance: sumOf(this.#coins(key).map(([, output]) => output)) }
  }

  async makeFunding(
    terms: LegTerms,
    key: Uint8Array,
    payTo: string,
  ): Promise<{ funding: SignedTransaction[]; refund: SignedTransaction | null }> {
    this.#ask('makeFunding')
    const fee = this.chain.usualFee
    const made = this.#spend(key, [], [{ address: '', terms, amount: terms.amount }], fee, null)
    if (this.#evm) return { funding: [signed(made)], refund: null }
    const refund = plain([`${made.txid}:0`], [payTo, terms.amount - fee], publicKey(key), null, fee)
    return { funding: [signed(made)], refund: signed(refund) }
  }

  async findFunding(terms: LegTerms, fromHeight: number, hint: string | null): Promise<FoundFunding | null> {
    this.#ask('findFunding')
    const wanted = termsText(terms)
    for (const { transaction, height } of this.chain.transactions(fromHeight)) {
      if (height === null && transaction.txid !== hint) continue
      const place = transaction.outputs.findIndex(each => each.terms !== null && termsText(each.terms) === wanted)
      if (place < 0) continue
      return { place: `${transaction.txid}:${place}`, txid: transaction.txid, ...this.#depth(height) }
    }
    return null
  }

  async findEnd(_terms: LegTerms, funding: FoundFunding, fromHeight: number): Promise<FoundEnd | null> {
    this.#ask('findEnd')
    for (const { transaction, height } of this.chain.transactions(fromHeight)) {
      if (!transaction.inputs.includes(funding.place)) continue
      const { txid, secret } = transaction
      return { kind: secret === null ? 'refunded' : 'claimed', txid, secret, ...this.#depth(height) }
    }
    return null
  }

  async makeClaim(
    terms: LegTerms,
    funding: FoundFunding,
    secret: string,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    this.#ask('makeClaim')
    return this.#end(terms, funding, secret, key, payTo, urgency)
  }

  async makeRefund(
    terms: LegTerms,
    funding: FoundFunding,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    this.#ask('makeRefund')
    return this.#end(terms, funding, null, key, payTo, urgency)
  }

  async makeSweep(key: Uint8Array, payTo: string): Promise<SignedTransaction | null> {
    this.#ask('makeSweep')
    const coins = this.#coins(key)
    const fee = this.chain.usualFee
    const rest = sumOf(coins.map(([, output]) => output)) - fee
    if (rest <= 0n) return null
    return signed(
      plain(
        coins.map(([place]) => place),
        [payTo, rest],
        publicKey(key),
        null,
        fee,
      ),
    )
  }

  feePaid(): Promise<null> {
    return Promise.resolve(null)
  }

  async confirmations(txid: string): Promise<number | null> {
    this.#ask('confirmations')
    if (!this.chain.isKnown(txid)) return null
    return this.#depth(this.chain.heightOf(txid)).confirmations
  }

  async send({ raw }: SignedTransaction): Promise<void> {
    this.#ask('send')
    if (!this.mute) this.chain.send(parse(raw))
  }

  #end(
    terms: LegTerms,
    funding: FoundFunding,
    secret: string | null,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): SignedTransaction {
    const fee = USUAL_FEE * BigInt(1 + urgency)
    if (!this.#evm) return signed(plain([funding.place], [payTo, terms.amount - fee], publicKey(key), secret, fee))
    const owner = secret === null ? terms.refundKey : terms.claimKey
    const paid = { address: owner, terms: null, amount: terms.amount }
    const contract = { address: '', terms, amount: terms.amount }
    return signed(this.#spend(key, [[funding.place, contract]], [paid], fee, secret))
  }

  /** A transaction of the deposit: what it does not need comes back to it. */
  #spend(
    key: Uint8Array,
    more: readonly (readonly [string, FakeOutput])[],
    outputs: readonly FakeOutput[],
    fee: bigint,
    secret: string | null,
  ): FakeTransaction {
    const inputs = [...more, ...this.#coins(key)]
    const rest = sumOf(inputs.map(([, output]) => output)) - sumOf(outputs) - fee
    if (rest < 0n) throw new AppError('InsufficientFunds')
    const change = rest === 0n ? [] : [{ address: publicKey(key), terms: null, amount: rest }]
    const places = inputs.map(([place]) => place)
    return makeTransaction({ inputs: places, outputs: [...outputs, ...change], signers: [publicKey(key)], secret, fee })
  }

  /** Of Ethereum's kind only what blocks have. */
  #coins(key: Uint8Array): [string, FakeOutput][] {
    const own = publicKey(key)
    return [...this.chain.spendable(!this.#evm)].filter(([, output]) => output.address === own)
  }

  #depth(height: number | null): { confirmations: number; height: number | null } {
    return { height, confirmations: height === null ? 0 : this.chain.height - height + 1 }
  }

  #ask(call: string): void {
    if (this.down || this.fails(call)) throw new AppError('WalletServerFailed')
  }
}

/** Of a key; 66 hexadecimal digits. */
export function publicKey(key: Uint8Array): string {
  return `02${createHash('sha256').update('public').update(key).digest('hex')}`
}

function plain(
  inputs: readonly string[],
  [address, amount]: readonly [string, bigint],
  signer: string,
  secret: string | null,
  fee: bigint,
): FakeTransaction {
  return makeTransaction({ inputs, outputs: [{ address, terms: null, amount }], signers: [signer], secret, fee })
}

function sumOf(outputs: readonly FakeOutput[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n)
}

function signed(transaction: FakeTransaction): SignedTransaction {
  const raw = JSON.stringify(transaction, (_name, value: unknown) =>
    typeof value === 'bigint' ? { $: String(value) } : value,
  )
  return { raw, txid: transaction.txid, fee: transaction.fee }
}

function parse(raw: string): FakeTransaction {
  return JSON.parse(raw, (_name, value: unknown) => {
    const digits = (value as { $?: unknown } | null)?.$
    return typeof digits === 'string' ? BigInt(digits) : value
  }) as FakeTransaction
}
