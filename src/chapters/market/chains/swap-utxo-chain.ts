// Swaps on a chain of Bitcoin's kind (SwapChain): contracts in P2WSH, deposits in P2WPKH, read from whole blocks of a
// server that is asked for no address (decision 0441). It keeps no state that a restart would miss.

import { AppError, errorText } from '../../../base/errors.ts'
import { RpcRefusal, type JsonRpc } from '../../wallets/ports/json-rpc.ts'
import type {
  ChainNow,
  ChainPace,
  FoundEnd,
  FoundFunding,
  DepositFacts,
  DepositTrace,
  SignedTransaction,
  SwapChain,
} from '../ports/swap-chain.ts'
import { addressOfScript, dustLimit, scriptOfAddress } from '../../wallets/core/addresses.ts'
import { feeOf, type SpendableCoin } from '../../wallets/core/coin-selection.ts'
import type { UtxoCoin, UtxoNetwork } from '../../wallets/core/coins.ts'
import { checkHtlcTerms, htlcOutput } from './htlc-script.ts'
import {
  contractSpendSize,
  fundingPayments,
  publicKeyOf,
  depositScript,
  depositSpendSize,
  spendContract,
  spendDeposit,
  sumOf,
} from './htlc-spend.ts'
import { type Asset, chainTag, sameAsset } from '../../wallets/core/assets.ts'
import type { LegTerms } from '../wire/types.ts'
import { SwapBlocks } from './swap-utxo-blocks.ts'
import { findEnd, findFunding, readPlace, spendOf } from './swap-utxo-contract.ts'
import { raisedFee, raisedRate, utxoPace } from './swap-utxo-pace.ts'

/**
 * Steps by which the rate may have risen until a deposit is used: it is given as much as that costs, and what is left
 * comes back.
 */
const RATE_ROOM = 2
/** Coins of a deposit that are spent together; it is paid once, more is dust of strangers. */
const MAX_COINS = 50
/** bcoin answers before it has looked at what it was sent: it is asked so many times whether it has it. */
const SENT_LOOKS = 25
/**
 * Bitcoin Core: it is starting, it has no peers, it is reading its chain; of JSON-RPC: it has no such method. The
 * transaction is not looked at then.
 */
const NOT_NOW = new Set([-28, -9, -10, -32601])
/** All coins there will ever be of any such chain, in the smallest unit: 84 million. */
const MAX_AMOUNT = 8_400_000_000_000_000n
/** Scripts of their kinds, for sizes and dust. */
const CONTRACT_SCRIPT = Uint8Array.from({ length: 34 }, (_none, at) => (at === 1 ? 32 : 0))
const DEPOSIT_SCRIPT = Uint8Array.from({ length: 22 }, (_none, at) => (at === 1 ? 20 : 0))

interface Spend {
  readonly key: Uint8Array
  readonly terms: LegTerms
  readonly funding: FoundFunding
  readonly secret: string | null
  readonly payTo: string
  readonly urgency: number
}

/**
 * Swaps on a chain of Bitcoin's kind (SwapChain): contracts in P2WSH, deposits in P2WPKH, read from whole blocks of a
 * server that is asked for no address (decision 0441).
 */
export class SwapUtxoChain implements SwapChain {
  readonly asset: Asset
  readonly pace: ChainPace
  readonly #coin: UtxoCoin
  readonly #network: UtxoNetwork
  readonly #blocks: SwapBlocks

  /** `rpc`: the server in force; throws AppError NoWalletServer. */
  constructor(coin: UtxoCoin, network: UtxoNetwork, deps: { readonly rpc: () => JsonRpc }) {
    this.asset = { coin: coin.id, chain: chainTag(coin.id, network.name) }
    this.pace = utxoPace(network)
    this.#coin = coin
    this.#network = network
    this.#blocks = new SwapBlocks(coin, network, deps.rpc)
  }

  termsKey(key: Uint8Array, payTo: string): string {
    this.#scriptOf(payTo)
    return Buffer.from(publicKeyOf(key)).toString('hex')
  }

  checkTerms(terms: LegTerms): void {
    if (!sameAsset(terms.asset, this.asset))
      throw new AppError('InvalidParameter', `The swap is of another chain than ${this.#coin.name}.`)
    checkHtlcTerms(terms)
    const { usualRate } = this.#coin
    const least = feeOf(contractSpendSize(terms, true, CONTRACT_SCRIPT), usualRate) + this.#dust(CONTRACT_SCRIPT)
    if (terms.amount < least)
      throw new AppError('InvalidParameter', `A swap of less than ${least} of the smallest unit is lost in fees.`)
    if (terms.amount > MAX_AMOUNT) throw new AppError('InvalidParameter', 'A swap of more than there is.')
  }

  depositAddress(key: Uint8Array): string {
    return addressOfScript(depositScript(key), this.#network)
  }

  async depositNeed(role: 'fund' | 'claim', amount: bigint): Promise<bigint> {
    if (role === 'claim') return 0n
    const rate = raisedRate(await this.#blocks.chain.rate(), RATE_ROOM, this.#coin)
    const funding = feeOf(depositSpendSize(1, [CONTRACT_SCRIPT, DEPOSIT_SCRIPT]), rate)
    const sweep = feeOf(depositSpendSize(1, [CONTRACT_SCRIPT]), rate)
    return amount + funding + sweep + this.#dust(CONTRACT_SCRIPT)
  }

  async now(): Promise<ChainNow> {
    return this.#blocks.now()
  }

  async deposit(key: Uint8Array, trace: DepositTrace): Promise<DepositFacts> {
    return { balance: sumOf(await this.#coins(key, trace)) }
  }

  async makeFunding(
    terms: LegTerms,
    key: Uint8Array,
    payTo: string,
    trace: DepositTrace,
  ): Promise<{ readonly funding: readonly SignedTransaction[]; readonly refund: SignedTransaction | null }> {
    this.checkTerms(terms)
    this.#scriptOf(payTo)
    const rate = await this.#blocks.chain.rate()
    const coins = await this.#worthy(key, trace, rate)
    const keep = this.#dust(CONTRACT_SCRIPT) + feeOf(depositSpendSize(1, [CONTRACT_SCRIPT]), rate)
    const contract = { script: htlcOutput(terms), value: terms.amount }
    const funding = spendDeposit(key, coins, fundingPayments(coins, contract, depositScript(key), { rate, keep }))
    const { txid } = funding
    const found: FoundFunding = { place: `${txid}:0`, txid, confirmations: 0, height: null }
    const refund = this.#sign({ terms, funding: found, secret: null, key, payTo, urgency: 0 }, rate, null)
    return { funding: [funding], refund }
  }

  async findFunding(terms: LegTerms, fromHeight: number, hint: string | null): Promise<FoundFunding | null> {
    return findFunding(this.#blocks, terms, fromHeight, hint)
  }

  async findEnd(terms: LegTerms, funding: FoundFunding, fromHeight: number): Promise<FoundEnd | null> {
    return findEnd(this.#blocks, terms, funding, fromHeight)
  }

  async makeClaim(
    terms: LegTerms,
    funding: FoundFunding,
    secret: string,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    return this.#spend({ terms, funding, secret, key, payTo, urgency })
  }

  async makeRefund(
    terms: LegTerms,
    funding: FoundFunding,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    return this.#spend({ terms, funding, secret: null, key, payTo, urgency })
  }

  async makeSweep(key: Uint8Array, payTo: string, trace: DepositTrace): Promise<SignedTransaction | null> {
    const script = this.#scriptOf(payTo)
    const rate = await this.#blocks.chain.rate()
    const coins = await this.#worthy(key, trace, rate)
    const value = sumOf(coins) - feeOf(depositSpendSize(coins.length, [script]), rate)
    return coins.length === 0 || value < this.#dust(script) ? null : spendDeposit(key, coins, [{ script, value }])
  }

  /** Fees of these chains are what was signed. */
  feePaid(): Promise<null> {
    return Promise.resolve(null)
  }

  async confirmations(txid: string, fromHeight: number): Promise<number | null> {
    const inBlocks = async () => (await this.#blocks.look(`tx ${txid}`, fromHeight))[0]
    const first = await inBlocks()
    if (first === undefined && (await this.#blocks.chain.transaction(txid)) !== null) return 0
    // It may have gone into a block since.
    const found = first ?? (await inBlocks())
    return found === undefined ? null : this.#blocks.depth(found.height)
  }

  async send({ raw, txid }: SignedTransaction): Promise<void> {
    try {
      await this.#blocks.chain.send(Buffer.from(raw, 'hex'))
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error
      if (NOT_NOW.has(error.code))
        throw new AppError('WalletServerFailed', `The server does not send: ${error.message}`)
      // Whose outputs are spent already is not known to servers any more.
      if (this.#blocks.hasSeen(txid)) return
      throw new AppError('TransferRefused', `The chain does not take this transfer: ${errorText(error)}`)
    }
    for (let look = 0; look < SENT_LOOKS; look += 1) if ((await this.#blocks.chain.transaction(txid)) !== null) return
    if (this.#blocks.hasSeen(txid)) return
    throw new AppError('TransferRefused', 'The chain does not take this transfer: the server has not kept it.')
  }

  async #spend(spend: Spend): Promise<SignedTransaction> {
    const rate = await this.#blocks.chain.rate()
    const [others = []] = await this.#blocks.waiting([spendOf(spend.funding.place)], null)
    const waiting = others.filter(({ inputs }) => inputs === 1).map(({ paid }) => spend.terms.amount - paid)
    return this.#sign(spend, rate, waiting[0] ?? null)
  }

  /** `waiting`: fee of what spends the contract already and waits. */
  #sign({ key, terms, funding, secret, payTo, urgency }: Spend, rate: bigint, waiting: bigint | null) {
    const script = this.#scriptOf(payTo)
    const { amount } = terms
    const size = contractSpendSize(terms, secret !== null, script)
    const fee = raisedFee({ size, rate, urgency, waiting, most: amount - this.#dust(script) }, this.#coin)
    return spendContract(key, { ...readPlace(funding.place), terms, amount, secret, payTo: script, fee })
  }

  async #coins(key: Uint8Array, { fromHeight, paidBy }: DepositTrace): Promise<SpendableCoin[]> {
    return this.#blocks.coinsOf(Buffer.from(depositScript(key)).toString('hex'), fromHeight, paidBy)
  }

  /** Those that have more than they cost, the largest first. */
  async #worthy(key: Uint8Array, trace: DepositTrace, rate: bigint): Promise<SpendableCoin[]> {
    const cost = feeOf(depositSpendSize(1, []) - depositSpendSize(0, []), rate)
    const coins = (await this.#coins(key, trace)).filter(({ value }) => value > cost)
    return coins.sort((a, b) => (a.value > b.value ? -1 : 1)).slice(0, MAX_COINS)
  }

  /** AppError InvalidAddress. */
  #scriptOf(address: string): Uint8Array {
    return scriptOfAddress(address, this.#network)
  }

  #dust(script: Uint8Array): bigint {
    return dustLimit(script, this.#coin)
  }
}
