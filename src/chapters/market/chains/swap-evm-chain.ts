// Swaps on a chain of Ethereum's kind: money under a hash and a time lock in the one contract of that chain
// (src/chapters/market/chains/hash-time-lock.sol; decisions 0442 and 0443). The deposit is the account of the swap's
// key. Its transactions follow each other by their numbers: what is made next always takes the number that the newest
// block leaves free, so of all that was made for one step a block can take only one.

import { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../../wallets/ports/json-rpc.ts'
import type {
  ChainNow,
  ChainPace,
  FoundEnd,
  FoundFunding,
  DepositFacts,
  SignedTransaction,
  SwapChain,
} from '../ports/swap-chain.ts'
import { claimCall, fundedData, fundingCode, LOCK_ADDRESS, lockId, refundCall, secretOf } from './evm-contract.ts'
import { type EvmTransfer, evmAddressOf, readEvmTransfer, signEvmTransfer } from '../../wallets/core/evm-signing.ts'
import type { Asset } from '../../wallets/core/assets.ts'
import type { LegTerms } from '../wire/types.ts'
import { RAISE, SWAP_GAS, WaitingFees } from './swap-evm-fees.ts'
import { EvmSwapServer } from './swap-evm-server.ts'
import { checkEvmTerms } from './swap-evm-terms.ts'
import { type EvmBlock, type EvmFees, PLAIN_GAS } from '../../wallets/service/wallet-evm-chain.ts'

/** anvil, Hardhat: chains for tests on one machine. */
const LOCAL_CHAIN = 31_337n
const LOCAL_PACE: ChainPace = { blockS: 1, confirmations: 2, clockLagS: 10 }
/** A slot is 12 seconds; after 12 blocks two thirds of all validators have seen it twice over. */
const USUAL_PACE: ChainPace = { blockS: 12, confirmations: 12, clockLagS: 60 }

/** Which chain. */
export interface EvmSwapOptions {
  readonly asset: Asset
  readonly chainId: bigint
}

/** What it works with. */
export interface EvmSwapDeps {
  /** The server in force. Throws AppError NoWalletServer. */
  rpc(): JsonRpc
}

/** A transaction before its number and its fee are known. */
type Step = Pick<EvmTransfer, 'to' | 'value' | 'data' | 'gasLimit'>

/**
 * Swaps on a chain of Ethereum's kind: money under a hash and a time lock in the one contract of that chain
 * (src/chapters/market/chains/hash-time-lock.sol; decisions 0442 and 0443).
 */
export class EvmSwapChain implements SwapChain {
  readonly asset: Asset
  readonly pace: ChainPace
  readonly #chainId: bigint
  readonly #deps: EvmSwapDeps
  readonly #waiting = new WaitingFees()
  #server: EvmSwapServer | null = null

  constructor({ asset, chainId }: EvmSwapOptions, deps: EvmSwapDeps) {
    this.asset = asset
    this.pace = chainId === LOCAL_CHAIN ? LOCAL_PACE : USUAL_PACE
    this.#chainId = chainId
    this.#deps = deps
  }

  /** Both pay fixed addresses, no matter who sends them. */
  termsKey(_key: Uint8Array, payTo: string): string {
    return payTo.toLowerCase()
  }

  checkTerms(terms: LegTerms): void {
    checkEvmTerms(terms, this.asset)
  }

  depositAddress(key: Uint8Array): string {
    return evmAddressOf(new HDKey({ privateKey: key }))
  }

  async depositNeed(role: 'fund' | 'claim', amount: bigint): Promise<bigint> {
    const { chain } = this.#current()
    const head = await chain.head()
    const { maxFee } = await chain.fees(head)
    if (role === 'claim') return (SWAP_GAS.claim * RAISE + PLAIN_GAS) * maxFee
    const gas = this.#fundGas(await this.#mustMake(head))
    return amount + (gas * 2n + SWAP_GAS.refund * RAISE + PLAIN_GAS) * maxFee
  }

  async now(): Promise<ChainNow> {
    const { height, time } = await this.#current().chain.head()
    return { height, timeS: time }
  }

  /** What blocks have: nothing else can be spent on these chains. */
  async deposit(key: Uint8Array): Promise<DepositFacts> {
    const { chain } = this.#current()
    const { height } = await chain.head()
    return { balance: await chain.balance(this.depositAddress(key), height) }
  }

  /**
   * One transaction, which makes the contract where it is missing. The refund cannot be signed before: its number and
   * its fee are not known.
   */
  async makeFunding(
    terms: LegTerms,
    key: Uint8Array,
    _payTo: string,
  ): Promise<{ readonly funding: readonly SignedTransaction[]; readonly refund: null }> {
    this.checkTerms(terms)
    const { chain } = this.#current()
    const head = await chain.head()
    const making = await this.#mustMake(head)
    const { maxFee } = await chain.fees(head)
    const deposit = await chain.balance(this.depositAddress(key), head.height)
    const gasLimit = this.#fundGas(making)
    if (deposit < terms.amount + (gasLimit + SWAP_GAS.refund) * maxFee) {
      throw new AppError(
        'InsufficientFunds',
        'The deposit of this swap cannot pay the funding and what may take it back.',
      )
    }
    const step = { to: null, value: terms.amount, data: fundingCode(terms, making), gasLimit }
    return { funding: [await this.#make(key, step, 0, SWAP_GAS.refund * maxFee)], refund: null }
  }

  #fundGas(making: boolean): bigint {
    return making ? SWAP_GAS.fund + SWAP_GAS.make : SWAP_GAS.fund
  }

  /** Whether the contract is missing, or so new that its block could be taken back. */
  async #mustMake({ height }: EvmBlock): Promise<boolean> {
    const server = this.#current()
    if (!(await server.hasContract(height))) return true
    // Servers forget old states; making what is there costs gas only.
    const before = await server.hasContract(Math.max(0, height - this.pace.confirmations)).catch(() => false)
    return !before
  }

  async findFunding(terms: LegTerms, fromHeight: number, _hint: string | null): Promise<FoundFunding | null> {
    this.checkTerms(terms)
    const server = this.#current()
    const head = await server.chain.head()
    const id = lockId(terms)
    if ((await server.stateAt(id, head.height)) === 'none') return null
    const { txid, height, data } = await server.log('Funded', id, fromHeight, head)
    if (data.toLowerCase() !== fundedData(terms))
      throw failed('The server shows other terms than those of the contract.')
    return { place: id, txid, height, confirmations: head.height - height + 1 }
  }

  async findEnd(terms: LegTerms, _funding: FoundFunding, fromHeight: number): Promise<FoundEnd | null> {
    const server = this.#current()
    const head = await server.chain.head()
    const id = lockId(terms)
    const state = await server.stateAt(id, head.height)
    if (state !== 'claimed' && state !== 'refunded') return null
    const { txid, height, data } = await server.log(state === 'claimed' ? 'Claimed' : 'Refunded', id, fromHeight, head)
    const secret = state === 'claimed' ? secretOf(data, terms.hash) : null
    if (state === 'claimed' && secret === null) throw failed('The server shows a secret that does not open the lock.')
    return { kind: state, txid, confirmations: head.height - height + 1, secret }
  }

  async makeClaim(
    terms: LegTerms,
    _funding: FoundFunding,
    secret: string,
    key: Uint8Array,
    _payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    const step = { to: LOCK_ADDRESS, value: 0n, data: claimCall(terms, secret), gasLimit: SWAP_GAS.claim }
    return this.#make(key, step, urgency, 0n)
  }

  async makeRefund(
    terms: LegTerms,
    _funding: FoundFunding,
    key: Uint8Array,
    _payTo: string,
    urgency: number,
  ): Promise<SignedTransaction> {
    const step = { to: LOCK_ADDRESS, value: 0n, data: refundCall(terms), gasLimit: SWAP_GAS.refund }
    return this.#make(key, step, urgency, 0n)
  }

  /**
   * At a price that leaves nothing behind: with a most and a tip the rest of the fee would stay. It takes the number of
   * a funding that waits, and so makes it void; a claim or a refund that waits is let be.
   */
  async makeSweep(key: Uint8Array, payTo: string): Promise<SignedTransaction | null> {
    const { chain } = this.#current()
    const head = await chain.head()
    const from = this.depositAddress(key).toLowerCase()
    const nonce = await chain.nonce(from, head.height)
    const replaces = (await chain.nonce(from, 'pending')) > nonce
    if (replaces && this.#waiting.takes(from, nonce)) {
      throw new AppError(
        'TransferRefused',
        'A transaction of this deposit waits for a block; the rest is given back after it.',
      )
    }
    const { maxFee, tip } = await chain.fees(head)
    const price = head.baseFee === null || replaces ? maxFee : (head.baseFee * 3n) / 2n + (tip ?? 0n)
    const balance = await chain.balance(from, head.height)
    const most = balance / PLAIN_GAS / 2n
    if (most < price) return null
    const limits = { usual: { maxFee: price, tip: null }, urgency: 0, replaces, most, least: 0n }
    const fees = this.#waiting.feesFor(from, nonce, limits)
    return this.#sign(key, { to: payTo, value: balance - PLAIN_GAS * fees.maxFee, gasLimit: PLAIN_GAS }, nonce, fees, 0)
  }

  async feePaid(txid: string): Promise<bigint | null> {
    return (await this.#current().chain.receipt(txid))?.fee ?? null
  }

  async confirmations(txid: string): Promise<number | null> {
    const { chain } = this.#current()
    const head = await chain.head()
    const receipt = await chain.receipt(txid)
    if (receipt === null) return (await chain.knows(txid)) ? 0 : null
    if (!receipt.succeeded) return null
    if ((await chain.block(receipt.height))?.hash !== receipt.blockHash || receipt.height > head.height) {
      throw failed('The server shows a transaction that its block does not have.')
    }
    return head.height - receipt.height + 1
  }

  /** It is tried first: what would fail in a block costs its fee there. */
  async send({ raw, txid }: SignedTransaction): Promise<void> {
    const server = this.#current()
    const transfer = readEvmTransfer(raw)
    const { from, nonce, maxFee, tip, to } = transfer
    await server.chain.head()
    this.#waiting.note(from, nonce, { maxFee, tip, urgency: -1, takes: to === LOCK_ADDRESS })
    if (await this.#isKnown(server, txid)) return
    await server.attempt(transfer)
    try {
      await server.chain.send(raw)
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error
      if (await this.#isKnown(server, txid)) return
      throw new AppError('TransferRefused', `The chain does not take this transaction: ${error.message}`)
    }
  }

  async #isKnown({ chain }: EvmSwapServer, txid: string): Promise<boolean> {
    const receipt = await chain.receipt(txid)
    if (receipt?.succeeded === false) throw new AppError('TransferRefused', 'This transaction failed in its block.')
    return receipt !== null || chain.knows(txid)
  }

  /**
   * The number is read before all else: should a block take what was made before, this one has its number and is
   * refused. `rest`: stays in the deposit.
   */
  async #make(key: Uint8Array, step: Step, urgency: number, rest: bigint): Promise<SignedTransaction> {
    const { chain } = this.#current()
    const head = await chain.head()
    const from = this.depositAddress(key).toLowerCase()
    const nonce = await chain.nonce(from, head.height)
    const usual = await chain.fees(head)
    const balance = (await chain.balance(from, head.height)) - step.value - rest
    const most = balance > 0n ? balance / step.gasLimit : 0n
    const least = head.baseFee ?? usual.maxFee
    const fees = this.#waiting.feesFor(from, nonce, { usual, urgency, replaces: false, most, least })
    return this.#sign(key, step, nonce, fees, urgency)
  }

  #sign(key: Uint8Array, step: Step, nonce: number, fees: EvmFees, urgency: number): SignedTransaction {
    const signer = new HDKey({ privateKey: key })
    try {
      const { hash, raw } = signEvmTransfer(signer, { chainId: this.#chainId, nonce, ...step, ...fees })
      const takes = step.to === LOCK_ADDRESS
      this.#waiting.note(evmAddressOf(signer).toLowerCase(), nonce, { ...fees, urgency, takes })
      return { raw, txid: hash, fee: step.gasLimit * fees.maxFee }
    } finally {
      signer.wipePrivateData()
    }
  }

  #current(): EvmSwapServer {
    const rpc = this.#deps.rpc()
    if (this.#server?.chain.isOf(rpc) !== true) this.#server = new EvmSwapServer(rpc, this.#chainId)
    return this.#server
  }
}

function failed(text: string): AppError {
  return new AppError('WalletServerFailed', text)
}
