// Takes in statements that others give. Whatever costs little is asked first: is it known, is its form right, is it
// over, is it older than what we have, has the peer told too much, has its trader said too much. Only then its
// signature is checked. A peer that gives what its trader did not sign is not heard any more.

import { createHash } from 'node:crypto'
import { Allowance } from '../../../base/allowance.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { SignatureCheck } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { decodeStatement, sameTerms } from '../wire/order-codec.ts'
import { verifyStatement } from '../wire/order-signature.ts'
import type { OrderStatement } from '../wire/types.ts'
import type { BookDigests } from '../core/book-digests.ts'
import { endOf, isLater, proofOf } from '../core/book-entry.ts'
import type { Book, BookChange } from '../core/book.ts'
import { MAX_AHEAD_MS } from '../core/limits.ts'
import { MAX_REMEMBERED_PEERS, MAX_REMEMBERED_TRADERS } from './limits.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import { TtlMap } from '../../../base/ttl-map.ts'

/**
 * Statements that a peer told, unasked, of which the signature is checked: saved up, and one more each so many
 * milliseconds (600 a minute).
 */
export const CHECKS_OF_PEER = { burst: 600, refillMs: 100 } as const
/**
 * Statements of all peers together that are checked, asked for or not: a check takes a tenth of a millisecond, so that
 * this is at most 4 % of a core.
 */
export const CHECKS_OF_ALL = { burst: 4_000, refillMs: 2.5 } as const
/**
 * New statements of one trader, all its orders at once and a little more: an order can be given new states without end,
 * and every node would pass them on.
 */
export const STATEMENTS_OF_TRADER = { burst: 1_200, refillMs: 500 } as const
/** Signatures that are being checked by a thread. */
export const MAX_CHECKING = 256
/** Hashes of statements that the book does not want: they are not looked at again for so long. */
const REFUSED_MS = 120_000
/** So many; the first goes first. */
const MAX_REFUSED = 20_000
/** A peer that gave what its trader did not sign is not heard for so long. */
export const BLAMED_MS = 600_000

/** What it works with. */
export interface StatementIntakeDeps {
  readonly book: Book & BookDigests
  readonly clock: Clock
  readonly check: SignatureCheck
  /** It changed the book. `against`: in a fraud the other statement, if the book had it; else null. */
  taken(statement: OrderStatement, from: string, against: OrderStatement | null): void
}

/** Figures of it. */
export interface StatementIntakeCounts {
  /** Signatures checked. */
  readonly checks: number
  /** Statements that were dropped without a check. */
  readonly spared: number
  readonly blames: number
}

/** What became of a statement: a change of the book, or why it did not come so far. */
export type Taken = BookChange | 'malformed' | 'forged' | 'over budget'

/** Takes in statements that others give. */
export class StatementIntake {
  readonly #deps: StatementIntakeDeps
  readonly #ofAll = new Allowance(CHECKS_OF_ALL.burst, CHECKS_OF_ALL.refillMs)
  readonly #ofPeers = new KeyedRateLimiter(CHECKS_OF_PEER, MAX_REMEMBERED_PEERS)
  readonly #ofTraders = new KeyedRateLimiter(STATEMENTS_OF_TRADER, MAX_REMEMBERED_TRADERS)
  readonly #refused = new TtlMap<true>(MAX_REFUSED, REFUSED_MS)
  readonly #blamed = new TtlMap<true>(MAX_REMEMBERED_PEERS, BLAMED_MS)
  /** By hash, so that none is checked twice at a time. */
  readonly #checking = new Map<string, Promise<Taken>>()
  #checks = 0
  #spared = 0
  #blames = 0
  #closed = false

  constructor(deps: StatementIntakeDeps) {
    this.#deps = deps
  }

  get counts(): StatementIntakeCounts {
    return { checks: this.#checks, spared: this.#spared, blames: this.#blames }
  }

  /** Whether the peer (its member name) is not heard at present. */
  isBlamed(member: string): boolean {
    return this.#blamed.get(member, this.#deps.clock.now()) === true
  }

  /** The peer gave what no honest peer gives. */
  blame(member: string): void {
    this.#blames++
    this.#blamed.set(member, true, this.#deps.clock.now())
  }

  /** Whether a statement with this hash is worth asking for. */
  wants(hash: string): boolean {
    return (
      this.#refused.get(hash, this.#deps.clock.now()) === undefined &&
      !this.#checking.has(hash) &&
      this.#deps.book.statement(hash) === null
    )
  }

  /** Takes in an encoding that `from` (a member name) told unasked. Never rejects. */
  take(bytes: Uint8Array, from: string): Taken | Promise<Taken> {
    return this.#take(bytes, from, null)
  }

  /** Takes in an encoding that is one of those we asked for: any other one is refused. Never rejects. */
  takeAsked(bytes: Uint8Array, from: string, hashes: readonly string[]): Taken | Promise<Taken> {
    return this.#take(bytes, from, hashes)
  }

  #take(bytes: Uint8Array, from: string, askedFor: readonly string[] | null): Taken | Promise<Taken> {
    if (this.#closed || this.isBlamed(from)) return this.#spare('over budget')
    const hash = createHash('sha256').update(bytes).digest('hex')
    if (askedFor?.includes(hash) === false) return this.#spare('known')
    const running = this.#checking.get(hash)
    if (running !== undefined) return running
    if (!this.wants(hash)) return this.#spare('known')
    try {
      return this.takeStatement(decodeStatement(bytes), from, askedFor !== null)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.blame(from)
      return this.#spare('malformed')
    }
  }

  /** The same of one that is read already. */
  takeStatement(statement: OrderStatement, from: string, asked: boolean): Taken | Promise<Taken> {
    const running = this.#checking.get(statement.hash)
    if (running !== undefined) return running
    const idle = this.#closed ? 'over budget' : (this.#idle(statement) ?? this.#overBudget(statement, from, asked))
    if (idle !== null) return this.#spare(idle)
    this.#checks++
    const right = verifyStatement<boolean | Promise<boolean>>(
      statement,
      (...signed) => this.#deps.check.verifyOrLater?.(...signed) ?? this.#deps.check.verify(...signed),
    )
    if (typeof right === 'boolean') return this.#judge(statement, from, right)
    const judged = right
      .then(
        fine => this.#judge(statement, from, fine),
        // Too many wait for the thread: it comes again.
        (): Taken => 'over budget',
      )
      .finally(() => this.#checking.delete(statement.hash))
    this.#checking.set(statement.hash, judged)
    return judged
  }

  /** Nothing is taken in any more. */
  close(): void {
    this.#closed = true
  }

  /** Why the book would not want it, signed or not; null: it would. */
  #idle(statement: OrderStatement): Taken | null {
    const { book, clock } = this.#deps
    const { terms, hash } = statement
    if (book.statement(hash) !== null) return 'known'
    const wallMs = clock.wallMs()
    if (terms.timeMs > wallMs + MAX_AHEAD_MS) return 'future'
    const proofs = book.proofs(terms)
    // Of a fraud two statements are kept; a third one that would not be among them is not worth a check.
    if (proofs.length > 0) return proofOf([...proofs, statement])?.includes(statement) === true ? null : 'known'
    const known = book.get(terms)
    // One with other terms proves a fraud, also when its own time is over.
    if (known !== null && !sameTerms(known, statement)) return null
    if (endOf(terms) <= wallMs) return 'expired'
    return known !== null && !isLater(statement, known) ? this.#refuse(hash, 'older') : null
  }

  #overBudget({ terms }: OrderStatement, from: string, asked: boolean): Taken | null {
    const nowMs = this.#deps.clock.now()
    if (this.#checking.size >= MAX_CHECKING || !this.#ofTraders.has(terms.trader, nowMs)) return 'over budget'
    const mayPeer = asked || this.#ofPeers.take(from, nowMs)
    return mayPeer && this.#ofAll.take(nowMs) ? null : 'over budget'
  }

  #judge(statement: OrderStatement, from: string, right: boolean): Taken {
    if (this.#closed) return 'over budget'
    if (!right) {
      this.blame(from)
      return this.#refuse(statement.hash, 'forged')
    }
    const { book, clock, taken } = this.#deps
    this.#ofTraders.take(statement.terms.trader, clock.now())
    const before = book.get(statement.terms)
    const change = book.put(statement)
    if (change === 'newer' && before !== null) this.#refuse(before.hash, 'older')
    if (change === 'new' || change === 'newer' || change === 'fraud')
      taken(statement, from, change === 'fraud' ? before : null)
    else if (change !== 'future' && change !== 'expired') this.#refuse(statement.hash, change)
    return change
  }

  #refuse(hash: string, why: Taken): Taken {
    this.#refused.set(hash, true, this.#deps.clock.now())
    return why
  }

  #spare(why: Taken): Taken {
    this.#spared++
    return why
  }
}
