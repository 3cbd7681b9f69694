// Reads the blocks of a chain once for all swaps of a coin, and keeps what they say of what is watched. Something that
// is watched later costs a second look only at blocks whose marks may have it. Blocks that are taken back take what
// they said with them. Nothing is stored: the caller says where to begin.

import { AppError } from '../../../base/errors.ts'
import type { ReadBlock } from '../../wallets/core/tx-reader.ts'
import { factsIn, markOf, marksOf, type WatchedFact, type WatchKey } from '../../wallets/core/watched-facts.ts'
import type { SwapHeaders } from './swap-utxo-headers.ts'
import type { UtxoChain } from '../../wallets/service/wallet-utxo-chain.ts'

/** Things that are watched; the one not asked about for longest goes. */
const MAX_WATCHES = 4_096
/** Facts of one of them: dust payments to a script must not fill the memory; the first are kept. */
const MAX_FACTS = 500
/** Marks kept of blocks: 16 MiB, a day and a half of Bitcoin. Older blocks are read again where they are asked for. */
const MAX_MARKS = 4_194_304
/** Blocks fetched at a time: each may have 4 MB. */
const BATCH = 4
/** Read for one question; the next goes on. */
const MAX_BLOCKS_READ = 4_000
const MAX_BYTES_READ = 128 * 1024 * 1024

interface Watch {
  readonly mark: number
  from: number
  facts: WatchedFact[]
}

/** Reads the blocks of a chain once for all swaps of a coin, and keeps what they say of what is watched. */
export class SwapScan {
  readonly #headers: SwapHeaders
  readonly #watches = new Map<WatchKey, Watch>()
  readonly #marks = new Map<number, Uint32Array>()
  #markCount = 0
  /** Heights of blocks to be read. */
  readonly #todo = new Set<number>()
  /** Blocks up to here were read, but those to be read again. */
  #read = -1
  #pass: Promise<void> | null = null

  constructor(headers: SwapHeaders) {
    this.#headers = headers
  }

  /**
   * What blocks from a height on say of keys, oldest first. Rejects with AppError WalletServerFailed (also: too much is
   * still to be read).
   */
  async look(chain: UtxoChain, keys: readonly WatchKey[], from: number): Promise<WatchedFact[][]> {
    await this.#run(chain)
    for (const key of keys) this.#watch(key, from)
    while (this.#todo.size > 0) await this.#run(chain)
    return keys.map(key => this.#of(key).filter(({ height }) => (height ?? 0) >= from))
  }

  /** Whether a fact of anything that is watched has this transaction. */
  hasSeen(txid: string): boolean {
    for (const { facts } of this.#watches.values()) if (facts.some(fact => fact.txid === txid)) return true
    return false
  }

  /** What is known of a key, oldest first. */
  #of(key: WatchKey): WatchedFact[] {
    return [...(this.#watches.get(key)?.facts ?? [])].sort((a, b) => (a.height ?? 0) - (b.height ?? 0))
  }

  /** Follows the server's chain, and reads its new blocks. */
  async follow(chain: UtxoChain): Promise<void> {
    await this.#run(chain)
  }

  #watch(key: WatchKey, wanted: number): void {
    const from = Math.max(wanted, this.#headers.floor)
    const old = this.#watches.get(key)
    const watch = old ?? { mark: markOf(key), from: Infinity, facts: [] }
    this.#watches.delete(key)
    this.#watches.set(key, watch)
    const until = Math.min(this.#read + 1, watch.from)
    for (let height = from; height < until; height += 1)
      if (this.#marks.get(height)?.includes(watch.mark) !== false) this.#todo.add(height)
    watch.from = Math.min(watch.from, from)
    for (const each of this.#watches.keys()) {
      if (this.#watches.size <= MAX_WATCHES) break
      this.#watches.delete(each)
    }
  }

  async #run(chain: UtxoChain): Promise<void> {
    this.#pass ??= this.#readAll(chain).finally(() => {
      this.#pass = null
    })
    await this.#pass
  }

  async #readAll(chain: UtxoChain): Promise<void> {
    const headers = this.#headers
    this.#forgetAbove(await headers.follow(chain))
    // Nothing is watched at first: what is watched from the past is read when it is asked for.
    if (this.#watches.size > 0) for (let next = this.#read + 1; next <= headers.tip; next += 1) this.#todo.add(next)
    this.#read = headers.tip
    let bytes = 0
    for (let blocks = 0; this.#todo.size > 0; blocks += BATCH) {
      if (blocks >= MAX_BLOCKS_READ || bytes > MAX_BYTES_READ) throw this.#unfinished()
      bytes += await this.#readSome(chain)
    }
  }

  #unfinished(): AppError {
    return new AppError('WalletServerFailed', `The chain is being read: ${this.#todo.size} blocks are left.`)
  }

  /** The lowest blocks of those to be read. How many bytes they had. */
  async #readSome(chain: UtxoChain): Promise<number> {
    let lowest = Infinity
    for (const height of this.#todo) lowest = Math.min(lowest, height)
    const heights = Array.from({ length: BATCH }, (_none, at) => lowest + at).filter(each => this.#todo.has(each))
    await this.#headers.reach(chain, lowest)
    const blocks = await Promise.all(heights.map(height => this.#fetch(chain, height)))
    for (const [at, height] of heights.entries()) {
      const block = blocks[at]
      this.#todo.delete(height)
      if (block !== null && block !== undefined) this.#take(block, height)
    }
    return blocks.reduce(
      (sum, block) => sum + (block?.transactions.reduce((all, tx) => all + tx.raw.length, 0) ?? 0),
      0,
    )
  }

  async #fetch(chain: UtxoChain, height: number): Promise<ReadBlock | null> {
    const header = this.#headers.at(height)
    return header === null ? null : chain.block(header.hash, height)
  }

  #take(block: ReadBlock, height: number): void {
    this.#keepMarks(height, marksOf(block.transactions))
    for (const tx of block.transactions) {
      for (const [key, fact] of factsIn(tx, height, each => this.#watches.has(each))) {
        const watch = this.#watches.get(key)
        const known = watch?.facts.some(({ txid, index }) => txid === fact.txid && index === fact.index)
        if (watch === undefined || known === true || watch.facts.length >= MAX_FACTS) continue
        watch.facts.push(fact)
        // In this block or later.
        if (key.startsWith('script ')) this.#watch(`spent ${fact.txid}:${fact.index}`, height)
      }
    }
  }

  #keepMarks(height: number, marks: Uint32Array): void {
    this.#dropMarks(height)
    this.#marks.set(height, marks)
    this.#markCount += marks.length
    for (const old of this.#marks.keys()) {
      if (this.#markCount <= MAX_MARKS) break
      this.#dropMarks(old)
    }
  }

  #dropMarks(height: number): void {
    this.#markCount -= this.#marks.get(height)?.length ?? 0
    this.#marks.delete(height)
  }

  #forgetAbove(height: number): void {
    if (height >= this.#read) return
    for (const watch of this.#watches.values()) watch.facts = watch.facts.filter(fact => (fact.height ?? 0) <= height)
    for (const at of [...this.#marks.keys()]) if (at > height) this.#dropMarks(at)
    for (const at of [...this.#todo]) if (at > height) this.#todo.delete(at)
    this.#read = height
  }
}
