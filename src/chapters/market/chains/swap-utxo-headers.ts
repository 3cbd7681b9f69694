// Headers of a chain of Bitcoin's kind, believed when they follow each other and show work: heights of blocks, which
// were taken back, and the clock of time locks (median of the last eleven times, BIP 113), computed here and never
// asked for.

import { AppError } from '../../../base/errors.ts'
import type { ReadHeader } from '../../wallets/core/tx-reader.ts'
import type { UtxoChain } from '../../wallets/service/wallet-utxo-chain.ts'

/** Blocks that may be taken back; a server that shows more than these differently is not believed. */
const MAX_REORG = 100
/**
 * Headers kept below the newest when no older ones are asked for: those of a reorganisation, and of the median before
 * it.
 */
const FIRST_HEADERS = MAX_REORG + 11
/** Headers kept at all. What is asked for below is not looked for. */
const MAX_HEADERS = 100_000
/** The median is taken of so many times (BIP 113). */
const MEDIAN_SPAN = 11

/** What is kept of a header. */
export type KeptHeader = Pick<ReadHeader, 'hash' | 'previous' | 'time' | 'bits'>

/**
 * Headers of a chain of Bitcoin's kind, believed when they follow each other and show work: heights of blocks, which
 * were taken back, and the clock of time locks (median of the last eleven times, BIP 113), computed here and never
 * asked for.
 */
export class SwapHeaders {
  /** From `#lowest` to the tip. */
  #headers: KeptHeader[] = []
  #lowest = 0

  /** Height of the newest; -1: none. */
  get tip(): number {
    return this.#lowest + this.#headers.length - 1
  }

  /** The least height that can be asked for. */
  get floor(): number {
    return Math.max(0, this.tip - MAX_HEADERS + 1)
  }

  at(height: number): KeptHeader | null {
    return this.#headers[height - this.#lowest] ?? null
  }

  /** Median time past at the tip, Unix seconds. */
  medianTime(): number {
    const times = this.#headers.slice(-MEDIAN_SPAN).map(({ time }) => time)
    return times.sort((a, b) => a - b)[times.length >> 1] ?? 0
  }

  /**
   * Follows the server's chain. Answers the height up to which nothing changed. Rejects with AppError
   * WalletServerFailed; what was known stays then.
   */
  async follow(chain: UtxoChain): Promise<number> {
    const height = await chain.height()
    if (this.#headers.length === 0) return this.#begin(chain, height)
    const common = await this.#common(chain, height)
    const fresh = await this.#readUp(chain, common, height)
    this.#headers = [...this.#headers.slice(0, common - this.#lowest + 1), ...fresh]
    this.#dropOld()
    return common
  }

  async #begin(chain: UtxoChain, height: number): Promise<number> {
    const lowest = Math.max(0, height - FIRST_HEADERS + 1)
    const first = await chain.header(await chain.hashAt(lowest))
    await chain.checkLink(first, lowest, null)
    const headers = [kept(first)]
    headers.push(...(await this.#readUp(chain, lowest, height, first)))
    this.#lowest = lowest
    this.#headers = headers
    return height
  }

  async #common(chain: UtxoChain, height: number): Promise<number> {
    const start = this.tip
    for (let at = Math.min(start, height); at >= this.#lowest && start - at <= MAX_REORG; at -= 1)
      if ((await chain.hashAt(at)) === this.at(at)?.hash) return at
    const text = `The server shows another chain than before: more than ${MAX_REORG} blocks differ.`
    throw new AppError('WalletServerFailed', text)
  }

  /** Headers above `from`, up to a height. */
  async #readUp(chain: UtxoChain, from: number, to: number, at = this.at(from)): Promise<KeptHeader[]> {
    const found: KeptHeader[] = []
    let before = at
    for (let height = from + 1; height <= to; height += 1) {
      const header = await chain.header(await chain.hashAt(height))
      await chain.checkLink(header, height, before)
      before = kept(header)
      found.push(before)
    }
    return found
  }

  /**
   * Reads headers down to a height, each by the hash that the one above it tells. Rejects with AppError
   * WalletServerFailed.
   */
  async reach(chain: UtxoChain, height: number): Promise<void> {
    const older: KeptHeader[] = []
    let [above] = this.#headers
    for (let at = this.#lowest - 1; at >= Math.max(height, this.floor) && above !== undefined; at -= 1) {
      const header = await chain.header(above.previous)
      await chain.checkLink(header, at, null)
      above = kept(header)
      older.push(above)
    }
    this.#headers = [...older.reverse(), ...this.#headers]
    this.#lowest -= older.length
  }

  #dropOld(): void {
    const surplus = this.#headers.length - MAX_HEADERS
    if (surplus <= 0) return
    this.#headers = this.#headers.slice(surplus)
    this.#lowest += surplus
  }
}

function kept({ hash, previous, time, bits }: KeptHeader): KeptHeader {
  return { hash, previous, time, bits }
}
