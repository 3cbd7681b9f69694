// The chain of a coin as its swaps see it: blocks that were read, what waits, the clock of time locks. One for all swaps of the coin.

import type { ChainNow } from '../ports/swap-chain.ts'
import type { JsonRpc } from '../ports/json-rpc.ts'
import type { UtxoCoin, UtxoNetwork } from '../wallet/coins.ts'
import type { SpendableCoin } from '../wallet/coin-selection.ts'
import type { WatchedFact, WatchKey } from '../wallet/watched-facts.ts'
import { SwapHeaders } from './swap-utxo-headers.ts'
import { SwapScan } from './swap-utxo-scan.ts'
import { SwapWaiting } from './swap-utxo-waiting.ts'
import { UtxoChain } from './wallet-utxo-chain.ts'

/** See the top of the file. All of it rejects with AppError WalletServerFailed. */
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

  /** What is left of all that paid a script, in blocks from a height on and among what waits. `hint`: a transaction that may pay it. */
  async coinsOf(script: string, from: number, hint: string | null): Promise<SpendableCoin[]> {
    const key: WatchKey = `script ${script}`
    const inBlocks = await this.look(key, from)
    const known = new Set(inBlocks.map(({ txid }) => txid))
    const [waiting = []] = await this.waiting([key], hint)
    const paid = [...inBlocks, ...waiting.filter(({ txid }) => !known.has(txid))].filter(({ young }) => !young)
    const spends = paid.map(({ txid, index }): WatchKey => `spent ${txid}:${index}`)
    const ends = await this.#scan.look(this.chain, spends, from)
    const leaving = await this.waiting(spends, null)
    const left = paid.filter((_coin, at) => (ends[at]?.length ?? 0) + (leaving[at]?.length ?? 0) === 0)
    return left.map(({ txid, index, value }) => ({ txid, index, value, script }))
  }
}
