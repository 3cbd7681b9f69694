// A wallet on a chain of Bitcoin's kind: one account of native segwit addresses, followed by its public key; its
// private key comes with each transfer from the caller that unlocked it. A transfer is on the disk before it is sent.

import { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import { RpcRefusal } from '../ports/json-rpc.ts'
import { addressOfScript, dustLimit, scriptOfAddress } from '../core/addresses.ts'
import { formatAmount } from '../core/amounts.ts'
import {
  type CoinChoice,
  chooseCoins,
  type CoinTarget,
  feeOf,
  OWN_SCRIPT_BYTES,
  settle,
  sizeOf,
} from '../core/coin-selection.ts'
import type { UtxoCoin, UtxoNetwork } from '../core/coins.ts'
import { readTransaction, type ReadTransaction } from '../core/tx-reader.ts'
import { type LedgerEntry, type StoredLedger, UtxoLedger } from '../core/utxo-ledger.ts'
import { type KeyPlace, type OwnCoin, type Payment, scriptOfPlace, signTransfer } from '../core/utxo-signing.ts'
import { RefreshedWallet } from './refreshed-wallet.ts'
import type {
  ChainFacts,
  CheckedTransfer,
  CoinWallet,
  CoinWalletDeps,
  HistoryLine,
  MadeTransfer,
  TransferHooks,
} from './wallet-coin.ts'
import { tookItsPlace } from './wallet-replacement.ts'
import { SentTransfers, type StoredSent } from './wallet-sent.ts'
import { UtxoChain } from './wallet-utxo-chain.ts'
import { UtxoSync } from './wallet-utxo-sync.ts'

/** The next slice of a chain that is being read, ms. */
const NEXT_SLICE_MS = 50
/** Bitcoin Core's least step of a fee that replaces another, for 1,000 virtual bytes. */
const REPLACE_RATE = 1_000n
/** A usual transfer: two inputs, a recipient and change. */
const USUAL_SIZE = sizeOf(2, [OWN_SCRIPT_BYTES, OWN_SCRIPT_BYTES])

/** As it is stored. */
export interface StoredUtxoWallet {
  readonly version: 1
  readonly coin: string
  readonly network: string
  /** Extended public key of the account. */
  readonly account: string
  /** Height at which its payments begin; null = where the chain was when it was made. */
  readonly from: number | null
  readonly ledger: StoredLedger
  readonly sent: readonly StoredSent[]
}

/**
 * A wallet on a chain of Bitcoin's kind: one account of native segwit addresses, followed by its public key; its
 * private key comes with each transfer from the caller that unlocked it.
 */
export class UtxoWallet implements CoinWallet {
  readonly sent: SentTransfers
  readonly #coin: UtxoCoin
  readonly #network: UtxoNetwork
  readonly #deps: CoinWalletDeps
  readonly #stored: StoredUtxoWallet
  readonly #account: HDKey
  readonly #ledger: UtxoLedger
  readonly #sync: UtxoSync
  readonly #refreshed: RefreshedWallet<UtxoChain>
  #chain: UtxoChain | null = null
  #behind = 0

  constructor(coin: UtxoCoin, network: UtxoNetwork, stored: StoredUtxoWallet, deps: CoinWalletDeps) {
    this.#coin = coin
    this.#network = network
    this.#deps = deps
    this.#stored = stored
    this.#account = HDKey.fromExtendedKey(stored.account)
    const branches = ([0, 1] as const).map(chain => this.#account.deriveChild(chain))
    const scriptOf = ({ chain, index }: KeyPlace) => scriptOfPlace(this.#account, { chain, index }, branches[chain])
    this.#ledger = new UtxoLedger(scriptOf, stored.ledger)
    this.#sync = new UtxoSync(this.#ledger, deps)
    this.sent = new SentTransfers(stored.sent)
    this.#refreshed = new RefreshedWallet({
      clock: deps.clock,
      server: () => this.#server(),
      update: chain => this.#slice(chain),
    })
  }

  get address(): string {
    return addressOfScript(scriptOfPlace(this.#account, this.#ledger.unused(0)), this.#network)
  }

  facts(): ChainFacts {
    const height = this.#ledger.tip?.height ?? -1
    const { name } = this.#network
    return { network: name, chain: name, height, behind: this.#behind, problem: this.#refreshed.problem }
  }

  balance(): { available: bigint; pending: bigint } {
    const { available, pending } = this.#ledger.view()
    return { available, pending }
  }

  history(): HistoryLine[] {
    return this.#ledger.view().entries.map(entry => this.#lineOf(entry))
  }

  #lineOf({ txid, outgoing, amount, fee, to, from, height, time }: LedgerEntry): HistoryLine {
    const addresses = (scripts: readonly string[]): string =>
      scripts.map(script => addressOfScript(Buffer.from(script, 'hex'), this.#network)).join(',')
    const confirmations = height === null ? 0 : (this.#ledger.tip?.height ?? height) - height + 1
    return { txid, outgoing, amount, fee, to: addresses(to), from: addresses(from), time, confirmations }
  }

  refresh(): Promise<void> {
    return this.#refreshed.refresh()
  }

  async #slice(chain: UtxoChain): Promise<number | null> {
    const { changed, behind } = await this.#sync.run(chain, this.#stored.from)
    this.#behind = behind
    if (changed) await this.#save()
    return behind > 0 ? NEXT_SLICE_MS : null
  }

  /** The chain as the server in force has it. Throws AppError NoWalletServer. */
  #server(): UtxoChain {
    const rpc = this.#deps.rpc()
    if (this.#chain?.isOf(rpc) !== true) this.#chain = new UtxoChain(rpc, this.#coin, this.#network)
    return this.#chain
  }

  check(destination: string, amount: bigint): void {
    const least = dustLimit(scriptOfAddress(destination, this.#network), this.#coin)
    if (amount >= least) return
    const text = `The parameter amount is not valid: the chain carries no less than ${formatAmount(least, this.#coin.decimals)}.`
    throw new AppError('InvalidParameter', text)
  }

  async send(key: HDKey, transfer: CheckedTransfer, hooks: TransferHooks): Promise<MadeTransfer> {
    const chain = await this.#refreshed.current()
    const { destination, amount, rate } = transfer
    const script = scriptOfAddress(destination, this.#network)
    const target = this.#target([script], amount, await this.#rate(chain, rate))
    const { coins, available } = this.#ledger.view()
    const choice = this.#choose(coins, target, available)
    hooks.approve(amount + choice.fee, amount + choice.fee)
    const payments = this.#payments([{ script, value: amount }], choice)
    const tx = readTransaction(signTransfer(key, choice.coins, payments))
    const counted = amount + choice.fee
    return this.#keepAndSend(chain, tx, { destination, amount, fee: choice.fee, counted, key: transfer.key }, hooks)
  }

  async raiseFee(key: HDKey, txid: string, rate: bigint | null, hooks: TransferHooks): Promise<MadeTransfer> {
    const chain = await this.#refreshed.current()
    const old = this.#replaceable(txid)
    const payments = old.outputs
      .filter(({ script }) => this.#ledger.placeOf(script)?.chain !== 1)
      .map(({ script, value }) => ({ script: Buffer.from(script, 'hex'), value }))
    const amount = payments.reduce((sum, { value }) => sum + value, 0n)
    const scripts = payments.map(({ script }) => script)
    const wanted = await this.#rate(chain, rate)
    const choice = this.#chooseAgain(old, scripts, amount, wanted)
    const more = choice.fee - this.#feeOf(old)
    hooks.approve(amount + choice.fee, more)
    const tx = readTransaction(signTransfer(key, choice.coins, this.#payments(payments, choice)))
    const destination = scripts.map(script => addressOfScript(script, this.#network)).join(',')
    const facts = { destination, amount, fee: choice.fee, counted: more, key: '' }
    return this.#keepAndSend(chain, tx, facts, hooks, txid)
  }

  async price(asked: { destination: string; amount: bigint } | null): Promise<{ rate: bigint; fee: bigint }> {
    const rate = await this.#rate(await this.#refreshed.current(), null)
    if (asked === null) return { rate: rate / 1000n, fee: feeOf(USUAL_SIZE, rate) }
    const target = this.#target([scriptOfAddress(asked.destination, this.#network)], asked.amount, rate)
    const { coins, available } = this.#ledger.view()
    return { rate: rate / 1000n, fee: this.#choose(coins, target, available).fee }
  }

  stop(): Promise<void> {
    return this.#refreshed.stop()
  }

  /** `rate`: of the smallest unit for a virtual byte. */
  async #rate(chain: UtxoChain, rate: bigint | null): Promise<bigint> {
    if (rate === null) return chain.rate()
    const { highestRate } = this.#coin
    if (rate < 1n || rate * 1000n > highestRate) {
      throw new AppError(
        'InvalidParameter',
        `The parameter fee_rate is not valid: expected 1 to ${highestRate / 1000n}.`,
      )
    }
    return rate * 1000n
  }

  #target(scripts: readonly Uint8Array[], amount: bigint, rate: bigint): CoinTarget {
    const change = scriptOfPlace(this.#account, this.#ledger.unused(1))
    return { scriptBytes: scripts.map(({ length }) => length), amount, rate, dust: dustLimit(change, this.#coin) }
  }

  #choose(coins: readonly OwnCoin[], target: CoinTarget, available: bigint): CoinChoice<OwnCoin> {
    try {
      return chooseCoins(coins, target)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'InsufficientFunds') throw error
      const { decimals, id } = this.#coin
      const there = `${formatAmount(available, decimals)} ${id} are available, fees come on top`
      throw new AppError('InsufficientFunds', `Insufficient funds: ${there}.`)
    }
  }

  /** A transfer of this node that may get a higher fee. */
  #replaceable(txid: string): ReadTransaction {
    const found = this.#ledger.transaction(txid)
    if (found === null || !found.own) throw new AppError('TransferNotFound')
    const { live } = this.#ledger.view()
    if (found.height !== null) throw new AppError('StateConflict', 'A block has this transfer already.')
    if (!live.has(txid)) throw new AppError('StateConflict', 'Another transfer has taken the place of this one.')
    const spentLater = this.#ledger.waiting().some(({ inputs }) => inputs.some(input => input.txid === txid))
    if (spentLater)
      throw new AppError('StateConflict', 'A later transfer spends the change of this one: raise the fee of that.')
    return found
  }

  #feeOf({ inputs, outputs }: ReadTransaction): bigint {
    const spent = this.#coinsOf(inputs).reduce((sum, { value }) => sum + value, 0n)
    return spent - outputs.reduce((sum, { value }) => sum + value, 0n)
  }

  #coinsOf(inputs: ReadTransaction['inputs']): OwnCoin[] {
    return inputs.flatMap(({ txid, index }) => {
      const output = this.#ledger.transaction(txid)?.outputs[index]
      const place = output === undefined ? null : this.#ledger.placeOf(output.script)
      return output === undefined || place === null ? [] : [{ txid, index, ...output, place }]
    })
  }

  /** The coins of the old one, and more where they are not enough: only such as are in blocks (BIP 125, rule 2). */
  #chooseAgain(
    old: ReadTransaction,
    scripts: readonly Uint8Array[],
    amount: bigint,
    rate: bigint,
  ): CoinChoice<OwnCoin> {
    const coins = this.#coinsOf(old.inputs)
    const more = this.#ledger.view().coins.filter(({ txid }) => this.#ledger.transaction(txid)?.height !== null)
    const oldFee = this.#feeOf(old)
    for (;;) {
      const size = sizeOf(coins.length, [...scripts.map(({ length }) => length), OWN_SCRIPT_BYTES])
      const least = ((oldFee + feeOf(size, REPLACE_RATE)) * 1000n) / BigInt(size) + 1n
      if (least > this.#coin.highestRate)
        throw new AppError('StateConflict', 'The fee of this transfer is as high as fees may be.')
      const target = this.#target(scripts, amount, least > rate ? least : rate)
      const sum = coins.reduce((total, { value }) => total + value, 0n)
      const choice = settle(coins, sum, target)
      // Without change the size is smaller, and so may be the fee.
      if (choice !== null && choice.fee >= oldFee + feeOf(size, REPLACE_RATE)) return choice
      const next = more.shift()
      if (next === undefined) throw new AppError('InsufficientFunds', 'There is nothing left for a higher fee.')
      coins.push(next)
    }
  }

  /** The change is at a place of chance: it does not tell itself from what is paid. */
  #payments(paid: readonly Payment[], { change }: CoinChoice): Payment[] {
    const all = [...paid]
    if (change > 0n) {
      const own = { script: scriptOfPlace(this.#account, this.#ledger.unused(1)), value: change }
      all.splice(this.#deps.random.below(all.length + 1), 0, own)
    }
    return all
  }

  async #keepAndSend(
    chain: UtxoChain,
    tx: ReadTransaction,
    facts: { destination: string; amount: bigint; fee: bigint; counted: bigint; key: string },
    hooks: TransferHooks,
    old: string | null = null,
  ): Promise<MadeTransfer> {
    const { txid } = tx
    const time = this.#deps.clock.wallMs()
    const transfer = { ...facts, txid, time }
    await hooks.record(transfer)
    this.#ledger.seen(tx, Math.floor(time / 1000), true)
    this.sent.add(transfer)
    hooks.left(facts.counted)
    try {
      await this.#save()
      await chain.send(tx.raw)
      if (old !== null && !(await tookItsPlace(() => chain.waiting(), this.#deps.clock, txid, old)))
        throw new RpcRefusal(0, 'the server keeps the one with the lower fee')
      return { txid, fee: facts.fee, sent: true }
    } catch (error) {
      // It may have arrived: it stays, and is sent again.
      if (error instanceof AppError && error.code === 'WalletServerFailed') return { txid, fee: facts.fee, sent: false }
      this.#ledger.forget(txid)
      this.sent.remove(txid)
      hooks.back()
      if (!(error instanceof RpcRefusal)) throw error
      await this.#save()
      throw new AppError('TransferRefused', `The chain does not take this transfer: ${error.message}`)
    }
  }

  #save(): Promise<void> {
    const stored: StoredUtxoWallet = { ...this.#stored, ledger: this.#ledger.stored(), sent: this.sent.stored() }
    return this.#deps.save(JSON.stringify(stored))
  }
}
