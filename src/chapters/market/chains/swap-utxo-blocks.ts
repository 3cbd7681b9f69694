// The chain of a coin as its swaps see it: blocks that were read, what waits, the clock of time locks. One for all
// swaps of the coin.

import type { ChainNow } from '../ports/swap-chain.ts'
import type { JsonRpc } from '../../wallets/ports/json-rpc.ts'
import type { UtxoCoin, UtxoNetwork } from '../../wallets/core/coins.ts'
import type { SpendableCoin } from '../../wallets/core/coin-selection.ts'
import type { WatchedFact, WatchKey } from '../../wallets/core/watched-facts.ts'
import { SwapHeaders } from './swap-utxo-headers.ts'
import { SwapScan } from './swap-utxo-scan.ts'
import { SwapWaiting } from './swap-utxo-waiting.ts'
import { UtxoChain } from '../../wallets/service/wallet-utxo-chain.ts'

/**
 * The chain of a coin as its swaps see it: blocks that were read, what waits, the clock of time locks. All of it
 * rejects with AppError WalletServerFailed.
 */
export class SwapBlocks {
  readonly #coin: UtxoCoin
  readonly #network: UtxoNetwork
  readonly #rpc: () => JsonRpc
  readonly #headers = new SwapHeaders()
  readonly #scan = new SwapScan(this.#headers)
  readonly #waiting = new SwapWaiting()
  #chain: UtxoChain | null = null

  /** `rpc`: the server in force; throws AppError NoWalletServer. */
  constructor(coin: UtxoCoin, network: UtxoNetwork, rpc: () => JsonRpc) {
    this.#coin = coin
    this.#network = network
    this.#rpc = rpc
  }

  /** The chain as the server in force has it. */
  get chain(): UtxoChain {
    const rpc = this.#rpc()
    if (this.#chain?.isOf(rpc) !== true) this.#chain = new UtxoChain(rpc, this.#coin, this.#network)
    return this.#chain
  }

  async now(): Promise<ChainNow> {
    await this.#scan.follow(this.chain)
    return { height: this.#headers.tip, timeS: this.#headers.medianTime() }
  }

  /** What blocks from a height on say, oldest first. */
  async look(key: WatchKey, from: number): Promise<WatchedFact[]> {
    const [facts = []] = await this.#scan.look(this.chain, [key], from)
    return facts
  }

  /** The oldest fact of a key that fits: in blocks, else one that waits. `hint`: a transaction that may have it. */
  async first(
    key: WatchKey,
    from: number,
    hint: string | null,
    fits: (fact: WatchedFact) => boolean = () => true,
  ): Promise<WatchedFact | null> {
    const inBlocks = (await this.look(key, from)).find(fits)
    const found = inBlocks ?? (await this.waiting([key], hint))[0]?.find(fits)
    // It may have gone into a block between the two.
    return found ?? (await this.look(key, from)).find(fits) ?? null
  }

  /** What waits and says something of each key. `hint`: a transaction that may. */
  async waiting(keys: readonly WatchKey[], hint: string | null): Promise<WatchedFact[][]> {
    return this.#waiting.find(this.chain, keys, hint)
  }

  /** Whether a block that was read for something else has it. */
  hasSeen(txid: string): boolean {
    return this.#scan.hasSeen(txid)
  }

  /** Confirmations of a height; null: it waits. */
  depth(height: number | null): number {
    return height === null ? 0 : this.#headers.tip - height + 1
  }

  /**
   * What is left of all that paid a script, in blocks from a height on and among what waits. `hint`: a transaction that
   * may pay it.
   */
  async coinsOf(script: string, from: number, hint: string | null): Promise<SpendableCoin[]> {
    const key: WatchKey = `script ${script}`
    // What waits first: what goes into a block meanwhile is seen in both, and not in neither.
    const [waiting = []] = await this.waiting([key], hint)
    const inBlocks = await this.look(key, from)
    const known = new Set(inBlocks.map(({ txid }) => txid))
    const paid = [...inBlocks, ...waiting.filter(({ txid }) => !known.has(txid))].filter(({ young }) => !young)
    const spends = paid.map(({ txid, index }): WatchKey => `spent ${txid}:${index}`)
    const leaving = await this.waiting(spends, null)
    const ends = await this.#scan.look(this.chain, spends, from)
    const left = paid.filter((_coin, at) => (ends[at]?.length ?? 0) + (leaving[at]?.length ?? 0) === 0)
    return left.map(({ txid, index, value }) => ({ txid, index, value, script }))
  }
}
