// Brings a ledger up to the newest block of a server: finds where both agree, takes blocks back and in, looks at what
// waits, and sends again what no block has taken. Bounded in time: a long chain is read in slices.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { UtxoLedger } from '../core/utxo-ledger.ts'
import { sendAgain } from './refreshed-wallet.ts'
import type { UtxoChain } from './wallet-utxo-chain.ts'

/** Blocks that may be taken back; a server that shows more than these differently is not believed. */
export const MAX_REORG = 100
/** Blocks fetched at a time: each may have 4 MB. */
const BATCH = 4
/** One slice of reading. */
const SLICE_MS = 3_000
/** Waiting transactions looked at in one go; where more wait, payments are seen with their block. */
const MAX_LOOKS = 2_000
const LOOKS_AT_ONCE = 4

/** What a slice did. */
export interface SyncResult {
  readonly changed: boolean
  /** Blocks still to be read. */
  readonly behind: number
}

/**
 * Brings a ledger up to the newest block of a server: finds where both agree, takes blocks back and in, looks at what
 * waits, and sends again what no block has taken.
 */
export class UtxoSync {
  readonly #ledger: UtxoLedger
  readonly #clock: Clock
  readonly #log: Log
  /** Waiting transactions that were looked at and are not ours. */
  #looked = new Set<string>()

  constructor(ledger: UtxoLedger, deps: { readonly clock: Clock; readonly log: Log }) {
    this.#ledger = ledger
    this.#clock = deps.clock
    this.#log = deps.log
  }

  /** One slice. `from`: where a ledger without blocks begins; null = now. Rejects with AppError WalletServerFailed. */
  async run(chain: UtxoChain, from: number | null): Promise<SyncResult> {
    const height = await chain.height()
    const start = this.#ledger.tip
    if (start === null) await this.#begin(chain, Math.max(0, Math.min(from ?? height - MAX_REORG, height)))
    else await this.#findFork(chain, height)
    const behind = await this.#readBlocks(chain, height)
    // What waits can be distinguished from what is in blocks only when those are read.
    const waiting = behind === 0 ? await this.#lookAtWaiting(chain) : false
    return { changed: start !== this.#ledger.tip || waiting, behind }
  }

  async #begin(chain: UtxoChain, height: number): Promise<void> {
    if (height === 0) {
      const first = await chain.blockAt(0)
      return this.#ledger.begin({ height: 0, hash: first.hash, bits: first.bits })
    }
    const before = await chain.blockAt(height - 1)
    this.#ledger.begin({ height: height - 1, hash: before.hash, bits: before.bits })
  }

  async #findFork(chain: UtxoChain, height: number): Promise<void> {
    const ledger = this.#ledger
    const tip = ledger.tip?.height ?? 0
    let at = Math.min(tip, height)
    while (at >= ledger.lowest && tip - at <= MAX_REORG) {
      if ((await chain.hashAt(at)) === ledger.blockAt(at)?.hash) {
        if (at < tip) this.#log.warn('blocks were taken back', { from: tip, to: at })
        return ledger.disconnectAbove(at)
      }
      at -= 1
    }
    const text = `The server shows another chain than before: more than ${tip - at - 1} blocks differ. Nothing was changed.`
    throw new AppError('WalletServerFailed', text)
  }

  /** Blocks that are left. */
  async #readBlocks(chain: UtxoChain, height: number): Promise<number> {
    const until = this.#clock.now() + SLICE_MS
    for (;;) {
      const next = (this.#ledger.tip?.height ?? -1) + 1
      const count = Math.min(BATCH, height - next + 1)
      if (count <= 0) return 0
      if (this.#clock.now() >= until) return height - next + 1
      const blocks = await Promise.all(Array.from({ length: count }, (_none, index) => chain.blockAt(next + index)))
      for (const [index, block] of blocks.entries()) {
        await chain.checkLink(block, next + index, this.#ledger.tip)
        this.#ledger.connect(next + index, block)
      }
    }
  }

  async #lookAtWaiting(chain: UtxoChain): Promise<boolean> {
    const ids = await chain.waiting()
    const waiting = new Set(ids)
    this.#looked = new Set([...this.#looked].filter(txid => waiting.has(txid)))
    const fresh = ids.filter(txid => !this.#looked.has(txid) && this.#ledger.transaction(txid) === null)
    let changed = this.#ledger.dropMissing(waiting)
    const looks = fresh.slice(0, MAX_LOOKS)
    const time = Math.floor(this.#clock.wallMs() / 1000)
    for (let at = 0; at < looks.length; at += LOOKS_AT_ONCE) {
      const found = await Promise.all(looks.slice(at, at + LOOKS_AT_ONCE).map(txid => chain.transaction(txid)))
      for (const tx of found) if (tx !== null && this.#ledger.seen(tx, time)) changed = true
    }
    for (const txid of looks) if (this.#ledger.transaction(txid) === null) this.#looked.add(txid)
    for (const { txid, raw } of this.#ledger.waiting()) {
      if (!waiting.has(txid)) await sendAgain(txid, () => chain.send(raw), this.#log)
    }
    return changed
  }
}
