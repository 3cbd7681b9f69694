// The order book: the last statement of every order that is known, until its time has passed. It takes checked
// statements in any order and comes to the same in all of them: later statements take the place of earlier ones, two
// with different terms close the order for ever (both are kept as proof), closed ones are kept so that nothing opens
// them again. What is over is out of sight at once, and leaves when the caller calls expire(): there is no timer here.

import type { Clock } from '../../../ports/clock.ts'
import { sameTerms } from '../wire/order-codec.ts'
import type { OrderRef, OrderStatement, OrderTerms, Side } from '../wire/types.ts'
import type { Book, BookChange, Pair } from './book.ts'
import type { BookDigest, BookDigests } from './book-digests.ts'
import { type BookEntry, endOf, entryOf, isLater, proofOf, stageOf } from './book-entry.ts'
import { type BookRoom, BookShares } from './book-shares.ts'
import { BookSides } from './book-sides.ts'
import { DigestTree } from './digest-tree.ts'
import { Heap } from './heap.ts'
import { MAX_AHEAD_MS, MAX_ORDERS_OF_TRADER, MAX_TIMEOUT_S } from './limits.ts'

/** Orders of which a book keeps something: about 1.5 KiB each. */
const MAX_ORDERS = 200_000
/** What is over is kept for so long, for others whose clocks are behind. Milliseconds. */
export const BOOK_SLACK_MS = 60_000
/**
 * Orders that one call of expire() looks at, some 5 ms: whoever lets many end at one moment shall not stop the node.
 */
export const MAX_EXPIRED_AT_ONCE = 400
/**
 * Digests of buckets that are made in one call of expire(), some 10 microseconds each: with the line above it stays
 * under 20 ms.
 */
const MAX_REFRESHED_AT_ONCE = 400

/** When an entry needs work. */
interface Due {
  readonly entry: BookEntry
  readonly dueMs: number
}

/** Dues that do not count any more are thrown out when there are more of them than this and all others. */
const SPARE_DUES = 1000

type Watcher = (statement: OrderStatement | null, change: BookChange) => void

/** The order book: the last statement of every order that is known, until its time has passed. */
export class OrderBook implements Book, BookDigests {
  readonly #clock: Pick<Clock, 'wallMs'>
  readonly #shares: BookShares
  readonly #sides = new BookSides<BookEntry>()
  readonly #digests = new DigestTree()
  readonly #dues = new Heap<Due>((one, other) => one.dueMs < other.dueMs)
  readonly #watchers = new Set<Watcher>()

  constructor(clock: Pick<Clock, 'wallMs'>, room: BookRoom = { orders: MAX_ORDERS, ofTrader: MAX_ORDERS_OF_TRADER }) {
    this.#clock = clock
    this.#shares = new BookShares(room)
  }

  get size(): number {
    return this.#sides.size
  }

  /** Orders that are kept in any form: what its bounds count. */
  get kept(): number {
    return this.#shares.size
  }

  /**
   * Notes beside the orders of what to do when: their number is in proportion to the orders kept, whatever came and
   * went.
   */
  get notes(): number {
    return this.#dues.size + this.#shares.notes
  }

  put(statement: OrderStatement): BookChange {
    const { trader, number } = statement.terms
    const entry = this.#shares.find(trader, number)
    const change = entry === undefined ? this.#putNew(statement) : this.#putAgain(entry, statement)
    if (change === 'new' || change === 'newer' || change === 'fraud') this.#tell(statement, change)
    return change
  }

  get({ trader, number }: OrderRef): OrderStatement | null {
    const entry = this.#shares.find(trader, number)
    return entry !== undefined && entry.stage !== 'fraud' && this.#isNow(entry) ? entry.statement : null
  }

  /** The two statements that prove that an order is a fraud (which: proofOf); none: it is not known to be one. */
  proofs({ trader, number }: OrderRef): readonly OrderStatement[] {
    const entry = this.#shares.find(trader, number)
    return entry === undefined || entry.proof === null ? [] : [entry.statement, entry.proof]
  }

  *crossing(terms: OrderTerms): Generator<OrderStatement> {
    for (const entry of this.#sides.crossing(terms)) {
      const { state } = entry.statement
      const open = state.status === 'open' && state.remaining > 0n
      if (open && entry.terms.trader !== terms.trader && this.#isNow(entry)) yield entry.statement
    }
  }

  pairs(): readonly Pair[] {
    return this.#sides.pairs()
  }

  *ticks(pair: Pair, side: Side): Generator<OrderStatement> {
    for (const entry of this.#sides.ticks(pair, side)) if (this.#isNow(entry)) yield entry.statement
  }

  expire(nowMs: number): void {
    const before = this.size
    for (let left = MAX_EXPIRED_AT_ONCE; left > 0; left--) {
      const due = this.#dues.first
      if (due === undefined || due.dueMs > nowMs) break
      this.#dues.pop()
      if (isDue(due)) this.#pass(due.entry, nowMs)
    }
    if (this.size < before) this.#tell(null, 'expired')
    this.#digests.refresh(MAX_REFRESHED_AT_ONCE)
  }

  watch(changed: Watcher): () => void {
    const watcher: Watcher = (statement, change) => changed(statement, change)
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  digest(prefix: string): BookDigest {
    return this.#digests.digest(prefix)
  }

  hashes(prefix: string, most: number): readonly string[] {
    return this.#digests.hashes(prefix, most)
  }

  statement(hash: string): OrderStatement | null {
    return this.#digests.statement(hash)
  }

  #putNew(statement: OrderStatement): BookChange {
    const nowMs = this.#clock.wallMs()
    if (statement.terms.timeMs > nowMs + MAX_AHEAD_MS) return 'future'
    if (endOf(statement.terms) <= nowMs) return 'expired'
    const entry = entryOf(statement)
    const gone = this.#shares.add(entry)
    if (gone === entry) return 'full'
    if (gone !== null) {
      this.#forget(gone)
      this.#tell(null, 'full')
    }
    this.#show(entry)
    this.#wait(entry, entry.endMs)
    return 'new'
  }

  #putAgain(entry: BookEntry, statement: OrderStatement): BookChange {
    const { hash } = statement
    if (hash === entry.statement.hash || hash === entry.proof?.hash) return 'known'
    if (entry.proof !== null || !sameTerms(statement, entry.statement)) return this.#putProof(entry, statement)
    if (!this.#isNow(entry)) return 'expired'
    if (!isLater(statement, entry.statement)) return 'older'
    // Its place among the others is that of its terms.
    if (stageOf(statement) === 'closed') this.#sides.remove(entry)
    entry.stage = stageOf(statement)
    this.#digests.remove(entry.statement)
    this.#replace(entry, statement)
    this.#digests.add(statement)
    return 'newer'
  }

  /**
   * A proof counts for a day after its time: as long as an order can last that was placed under its name before it was
   * forgotten.
   */
  #putProof(entry: BookEntry, statement: OrderStatement): BookChange {
    const nowMs = this.#clock.wallMs()
    if (statement.terms.timeMs > nowMs + MAX_AHEAD_MS) return 'future'
    if (endOf(statement.terms) + MAX_TIMEOUT_S * 1000 + 2 * BOOK_SLACK_MS <= nowMs) return 'expired'
    const known = entry.proof === null ? [entry.statement] : [entry.statement, entry.proof]
    const proof = proofOf([...known, statement])
    if (proof === null || !proof.includes(statement)) return 'known'
    const endMs = endOf(proof[0].terms)
    if (endMs <= nowMs) return 'expired'
    this.#hide(entry)
    this.#replace(entry, proof[0])
    entry.proof = proof[1]
    entry.stage = 'fraud'
    entry.endMs = endMs
    this.#show(entry)
    this.#wait(entry, endMs)
    return 'fraud'
  }

  #replace(entry: BookEntry, statement: OrderStatement): void {
    entry.statement = statement
    entry.terms = statement.terms
  }

  /** Its time is over: out of sight, and forgotten when that is a while ago. */
  #pass(entry: BookEntry, nowMs: number): void {
    const forgetMs = entry.endMs + BOOK_SLACK_MS
    this.#hide(entry)
    entry.stage = 'over'
    if (nowMs < forgetMs) return this.#wait(entry, forgetMs)
    this.#shares.remove(entry)
    entry.stage = 'gone'
  }

  #forget(entry: BookEntry): void {
    this.#hide(entry)
    entry.stage = 'gone'
  }

  #wait(entry: BookEntry, dueMs: number): void {
    if (entry.dueMs === dueMs) return
    entry.dueMs = dueMs
    this.#dues.push({ entry, dueMs })
    if (this.#dues.size > SPARE_DUES + 2 * this.kept) this.#dues.keep(isDue)
  }

  #isNow(entry: BookEntry): boolean {
    return this.#clock.wallMs() < entry.endMs
  }

  /** Puts an entry where it is seen. */
  #show(entry: BookEntry): void {
    if (entry.stage === 'stands') this.#sides.add(entry)
    this.#digests.add(entry.statement)
    if (entry.proof !== null) this.#digests.add(entry.proof)
  }

  /** Takes an entry away from where it is seen. */
  #hide(entry: BookEntry): void {
    this.#sides.remove(entry)
    this.#digests.remove(entry.statement)
    if (entry.proof !== null) this.#digests.remove(entry.proof)
  }

  #tell(statement: OrderStatement | null, change: BookChange): void {
    for (const watcher of this.#watchers) watcher(statement, change)
  }
}

/** Whether it was not put off meanwhile. */
function isDue({ entry, dueMs }: Due): boolean {
  return entry.stage !== 'gone' && entry.dueMs === dueMs
}
