// Which orders a book keeps when there are too many: every trader has the same share, those with the smallest numbers
// of each. It depends on nothing but trader and number, so books that hear the same orders keep the same ones,
// whichever came first (decision 0433).

import type { TraderId } from '../wire/types.ts'
import type { BookEntry } from './book-entry.ts'
import { Heap } from './heap.ts'

/** How many entries there may be. */
export interface BookRoom {
  readonly orders: number
  readonly ofTrader: number
}

/** How many entries a trader had. */
interface Share {
  readonly trader: TraderId
  readonly count: number
}

/**
 * Which orders a book keeps when there are too many: every trader has the same share, those with the smallest numbers
 * of each.
 */
export class BookShares {
  readonly #room: BookRoom
  /** Of each trader by rising number; none empty. */
  readonly #traders = new Map<TraderId, BookEntry[]>()
  #size = 0
  /**
   * Largest shares first; made when the book is full for the first time. Shares that are not what they were are passed
   * over.
   */
  #largest: Heap<Share> | null = null

  constructor(room: BookRoom) {
    this.#room = room
  }

  /** Entries in all. */
  get size(): number {
    return this.#size
  }

  /** Shares that are kept, also those that are not what they were. */
  get notes(): number {
    return this.#largest?.size ?? 0
  }

  find(trader: TraderId, number: number): BookEntry | undefined {
    const entries = this.#traders.get(trader)
    const found = entries?.[placeIn(entries, number)]
    return found?.terms.number === number ? found : undefined
  }

  /**
   * Puts in an entry that is not in. Answers the one that had to go for it, which may be itself; null: there was room.
   */
  add(entry: BookEntry): BookEntry | null {
    const entries = this.#traders.get(entry.terms.trader) ?? []
    const last = entries.at(-1)
    if (last !== undefined && entries.length >= this.#room.ofTrader) {
      if (entry.terms.number > last.terms.number) return entry
      this.#insert(entry)
      this.remove(last)
      return last
    }
    this.#insert(entry)
    if (this.#size <= this.#room.orders) return null
    const put = this.#lastOfLargest()
    this.remove(put)
    return put
  }

  remove(entry: BookEntry): void {
    const { trader, number } = entry.terms
    const entries = this.#traders.get(trader)
    if (entries === undefined) return
    const place = placeIn(entries, number)
    if (entries[place] !== entry) return
    entries.splice(place, 1)
    this.#size--
    if (entries.length === 0) this.#traders.delete(trader)
    else this.#counted(trader, entries.length)
  }

  #insert(entry: BookEntry): void {
    const { trader, number } = entry.terms
    const entries = this.#traders.get(trader)
    if (entries === undefined) this.#traders.set(trader, [entry])
    else entries.splice(placeIn(entries, number), 0, entry)
    this.#size++
    this.#counted(trader, entries?.length ?? 1)
  }

  #counted(trader: TraderId, count: number): void {
    if (this.#largest === null) return
    this.#largest.push({ trader, count })
    if (this.#largest.size > 2 * this.#room.orders) this.#largest = this.#allShares()
  }

  /** The largest share, of equal ones that of the largest trader id: its highest number. */
  #lastOfLargest(): BookEntry {
    this.#largest ??= this.#allShares()
    for (;;) {
      const share = this.#largest.first
      if (share === undefined) throw new Error('shares were not counted')
      const entries = this.#traders.get(share.trader)
      if (entries?.length === share.count) return entries.at(-1) as BookEntry
      this.#largest.pop()
    }
  }

  #allShares(): Heap<Share> {
    const shares = new Heap<Share>((one, other) =>
      one.count === other.count ? one.trader > other.trader : one.count > other.count,
    )
    for (const [trader, entries] of this.#traders) shares.push({ trader, count: entries.length })
    return shares
  }
}

/** The place of the first entry whose number is not below this one. */
function placeIn(entries: readonly BookEntry[], number: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as BookEntry).terms.number < number) low = middle + 1
    else high = middle
  }
  return low
}
