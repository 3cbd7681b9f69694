// A wallet on a chain of Ethereum's kind: one address; its private key comes with each transfer from the caller that
// unlocked it. A transfer is on the disk before it is sent.

import type { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import { RpcRefusal } from '../ports/json-rpc.ts'
import { formatAmount } from '../core/amounts.ts'
import type { EvmCoin } from '../core/coins.ts'
import { checkEvmAddress, signEvmTransfer } from '../core/evm-signing.ts'
import { RefreshedWallet, sendAgain } from './refreshed-wallet.ts'
import type {
  ChainFacts,
  CheckedTransfer,
  CoinWallet,
  CoinWalletDeps,
  HistoryLine,
  MadeTransfer,
  TransferHooks,
} from './wallet-coin.ts'
import { EvmChain, type EvmFees, HIGHEST_FEE, PLAIN_GAS } from './wallet-evm-chain.ts'
import { EvmLedger, type OwnTransfer } from './wallet-evm-ledger.ts'
import { readEvmFacts, storeEvmFacts } from './wallet-evm-store.ts'
import { SentTransfers, type StoredSent } from './wallet-sent.ts'

/** As it is stored. */
export interface StoredEvmWallet {
  readonly version: 1
  readonly coin: string
  /** Chain id. */
  readonly network: string
  readonly address: string
  readonly from: number | null
  readonly facts: unknown
  readonly sent: readonly StoredSent[]
}

interface PlannedTransfer extends EvmFees {
  readonly to: string
  readonly value: bigint
  readonly gasLimit: bigint
  readonly nonce: number
}

/**
 * A wallet on a chain of Ethereum's kind: one address; its private key comes with each transfer from the caller that
 * unlocked it.
 */
export class EvmWallet implements CoinWallet {
  readonly sent: SentTransfers
  readonly #coin: EvmCoin
  readonly #chainId: bigint
  readonly #deps: CoinWalletDeps
  readonly #stored: StoredEvmWallet
  readonly #ledger: EvmLedger
  readonly #refreshed: RefreshedWallet<EvmChain>
  #chain: EvmChain | null = null

  constructor(coin: EvmCoin, chainId: bigint, stored: StoredEvmWallet, deps: CoinWalletDeps) {
    this.#coin = coin
    this.#chainId = chainId
    this.#deps = deps
    this.#stored = stored
    this.#ledger = new EvmLedger(stored.address, readEvmFacts(stored.facts))
    this.sent = new SentTransfers(stored.sent)
    this.#refreshed = new RefreshedWallet({
      clock: deps.clock,
      server: () => this.#server(),
      update: chain => this.#update(chain),
    })
  }

  get address(): string {
    return this.#stored.address
  }

  facts(): ChainFacts {
    const height = this.#ledger.mark?.height ?? -1
    const chain = String(this.#chainId)
    return { network: `chain ${chain}`, chain, height, behind: 0, problem: this.#refreshed.problem }
  }

  balance(): { available: bigint; pending: bigint } {
    return { available: this.#ledger.available, pending: this.#ledger.pending }
  }

  history(): HistoryLine[] {
    const height = this.#ledger.mark?.height ?? 0
    const own = this.address.toLowerCase()
    const inBlocks = this.#ledger.lines.map(({ hash, from, to, value, fee, height: at, time }): HistoryLine => {
      const outgoing = from === own
      return { txid: hash, outgoing, amount: value, fee, from, to, time, confirmations: height - at + 1 }
    })
    const waiting = this.#ledger.waiting().map(({ hash, to, value, gasLimit, maxFee, time }): HistoryLine => {
      const fee = gasLimit * maxFee
      return { txid: hash, outgoing: true, amount: value, fee, from: own, to: to.toLowerCase(), time, confirmations: 0 }
    })
    return [...inBlocks, ...waiting].reverse()
  }

  refresh(): Promise<void> {
    return this.#refreshed.refresh()
  }

  async #update(chain: EvmChain): Promise<null> {
    const changed = await this.#ledger.update(chain, this.#stored.from)
    for (const { hash, raw } of this.#ledger.waiting()) {
      if (!(await chain.knows(hash))) await sendAgain(hash, () => chain.send(raw), this.#deps.log)
    }
    if (changed) await this.#save()
    return null
  }

  #server(): EvmChain {
    const rpc = this.#deps.rpc()
    if (this.#chain?.isOf(rpc) !== true) this.#chain = new EvmChain(rpc, this.#chainId)
    return this.#chain
  }

  /** Every amount is above dust here. */
  check(destination: string): void {
    checkEvmAddress(destination)
  }

  async send(key: HDKey, transfer: CheckedTransfer, hooks: TransferHooks): Promise<MadeTransfer> {
    const chain = await this.#refreshed.current()
    const { amount, destination } = transfer
    const to = checkEvmAddress(destination)
    const fees = await this.#fees(chain, transfer.rate)
    const gasLimit = await chain.gas(this.address, to, amount)
    this.#demand(amount + gasLimit * fees.maxFee)
    const planned = { ...fees, to, value: amount, gasLimit, nonce: this.#ledger.nextNonce }
    const total = amount + gasLimit * fees.maxFee
    return this.#signAndSend(chain, key, planned, { total, more: total, key: transfer.key }, hooks)
  }

  async raiseFee(key: HDKey, txid: string, rate: bigint | null, hooks: TransferHooks): Promise<MadeTransfer> {
    const chain = await this.#refreshed.current()
    const old = this.#ledger.ownTransfer(txid)
    if (old === null) throw new AppError('TransferNotFound')
    if (!this.#ledger.waiting().some(({ hash }) => hash === txid)) {
      throw new AppError('StateConflict', 'A block has this transfer already, or another has taken its place.')
    }
    const now = await this.#fees(chain, rate)
    // Servers take a replacement from a tenth more on.
    const higher = (before: bigint): bigint => (before * 9n) / 8n + 1n
    const maxFee = now.maxFee > higher(old.maxFee) ? now.maxFee : higher(old.maxFee)
    const oldTip = old.tip ?? 0n
    const tip = old.tip === null ? null : (now.tip ?? 0n) > higher(oldTip) ? now.tip : higher(oldTip)
    if (maxFee > HIGHEST_FEE) throw new AppError('StateConflict', 'The fee of this transfer is as high as fees may be.')
    const more = old.gasLimit * (maxFee - old.maxFee)
    this.#demand(more)
    const planned = { to: old.to, value: old.value, gasLimit: old.gasLimit, nonce: old.nonce, maxFee, tip }
    const total = old.value + old.gasLimit * maxFee
    return this.#signAndSend(chain, key, planned, { total, more, key: '' }, hooks)
  }

  async price(asked: { destination: string; amount: bigint } | null): Promise<{ rate: bigint; fee: bigint }> {
    const chain = await this.#refreshed.current()
    const { maxFee } = await this.#fees(chain, null)
    if (asked === null) return { rate: maxFee, fee: PLAIN_GAS * maxFee }
    const gas = await chain.gas(this.address, checkEvmAddress(asked.destination), asked.amount)
    return { rate: maxFee, fee: gas * maxFee }
  }

  stop(): Promise<void> {
    return this.#refreshed.stop()
  }

  async #fees(chain: EvmChain, rate: bigint | null): Promise<EvmFees> {
    const { maxFee, tip } = await chain.fees(await chain.head())
    if (rate === null) return { maxFee, tip }
    if (rate < 1n || rate > HIGHEST_FEE) {
      throw new AppError('InvalidParameter', `The parameter fee_rate is not valid: expected 1 to ${HIGHEST_FEE}.`)
    }
    return { maxFee: rate, tip: tip === null ? null : tip > rate ? rate : tip }
  }

  #demand(total: bigint): void {
    const { available } = this.#ledger
    if (total <= available) return
    const { decimals, id } = this.#coin
    const text = `${formatAmount(total, decimals)} ${id} are needed with the fee, ${formatAmount(available, decimals)} are available`
    throw new AppError('InsufficientFunds', `Insufficient funds: ${text}.`)
  }

  async #signAndSend(
    chain: EvmChain,
    key: HDKey,
    planned: PlannedTransfer,
    cost: { total: bigint; more: bigint; key: string },
    hooks: TransferHooks,
  ): Promise<MadeTransfer> {
    hooks.approve(cost.total, cost.more)
    const { hash, raw } = signEvmTransfer(key, { chainId: this.#chainId, ...planned })
    const time = this.#deps.clock.wallMs()
    const fee = planned.gasLimit * planned.maxFee
    const facts = { destination: planned.to, amount: planned.value, fee, counted: cost.more, key: cost.key }
    await hooks.record({ ...facts, txid: hash, time })
    const own: OwnTransfer = { hash, raw, ...planned, time: Math.floor(time / 1000) }
    this.#ledger.add(own)
    this.sent.add({ ...facts, txid: hash, time })
    hooks.left(cost.more)
    try {
      await this.#save()
      await chain.send(raw)
      return { txid: hash, fee, sent: true }
    } catch (error) {
      if (error instanceof AppError && error.code === 'WalletServerFailed') return { txid: hash, fee, sent: false }
      this.#ledger.forget(hash)
      this.sent.remove(hash)
      hooks.back()
      if (!(error instanceof RpcRefusal)) throw error
      await this.#save()
      throw new AppError('TransferRefused', `The chain does not take this transfer: ${error.message}`)
    }
  }

  #save(): Promise<void> {
    const facts = storeEvmFacts(this.#ledger.facts())
    const stored: StoredEvmWallet = { ...this.#stored, facts, sent: this.sent.stored() }
    return this.#deps.save(JSON.stringify(stored))
  }
}
