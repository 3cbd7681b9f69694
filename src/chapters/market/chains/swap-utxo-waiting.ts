// What waits for a block, as far as swaps ask: the server's list is read through once, a mark of 32 bits for each thing
// in it is kept, and only transactions whose marks fit are looked at again. The server does not learn what is looked
// for.

import { factsIn, markOf, marksOf, type WatchedFact, type WatchKey } from '../../wallets/core/watched-facts.ts'
import type { UtxoChain } from '../../wallets/service/wallet-utxo-chain.ts'

/** Transactions fetched for one question; the next goes on. */
const MAX_LOOKS = 2_000
const LOOKS_AT_ONCE = 4
/** Transactions whose marks are kept; where more wait, those beyond are seen with their block. */
const MAX_KEPT = 100_000
/** Of one: what is larger pays so many that it is none of a swap. */
const MAX_MARKS = 2_000

/**
 * What waits for a block, as far as swaps ask: the server's list is read through once, a mark of 32 bits for each thing
 * in it is kept, and only transactions whose marks fit are looked at again.
 */
export class SwapWaiting {
  #marks = new Map<string, Uint32Array>()
  #reading: Promise<void> | null = null

  /**
   * What waits says of each key, in no order. `hint`: a transaction that may say something. Rejects with AppError
   * WalletServerFailed.
   */
  async find(chain: UtxoChain, keys: readonly WatchKey[], hint: string | null = null): Promise<WatchedFact[][]> {
    if (keys.length === 0) return []
    await this.#refresh(chain)
    const marks = keys.map(markOf)
    const likely = new Set(hint === null ? [] : [hint])
    for (const [txid, has] of this.#marks) if (marks.some(mark => has.includes(mark))) likely.add(txid)
    const found = new Map<WatchKey, WatchedFact[]>(keys.map(key => [key, []]))
    for (const txid of likely) {
      const tx = await chain.transaction(txid)
      if (tx === null) continue
      for (const [key, fact] of factsIn(tx, null, each => found.has(each))) found.get(key)?.push(fact)
    }
    return keys.map(key => found.get(key) ?? [])
  }

  async #refresh(chain: UtxoChain): Promise<void> {
    this.#reading ??= this.#read(chain).finally(() => {
      this.#reading = null
    })
    await this.#reading
  }

  async #read(chain: UtxoChain): Promise<void> {
    const ids = await chain.waiting()
    const waiting = new Set(ids)
    for (const txid of [...this.#marks.keys()]) if (!waiting.has(txid)) this.#marks.delete(txid)
    const room = Math.min(MAX_LOOKS, MAX_KEPT - this.#marks.size)
    const fresh = ids.filter(txid => !this.#marks.has(txid)).slice(0, room)
    for (let at = 0; at < fresh.length; at += LOOKS_AT_ONCE) {
      const some = fresh.slice(at, at + LOOKS_AT_ONCE)
      const found = await Promise.all(some.map(txid => chain.transaction(txid)))
      for (const [index, tx] of found.entries()) {
        const marks = tx === null ? [] : marksOf([tx])
        this.#marks.set(some[index] ?? '', marks.length > MAX_MARKS ? new Uint32Array() : Uint32Array.from(marks))
      }
    }
  }
}
