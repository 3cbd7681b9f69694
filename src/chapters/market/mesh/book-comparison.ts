// One comparison of our book with a peer's: digests that differ are followed down to lists of hashes, what we lack is
// asked for, and what the peer lacks is given. Invariant: it ends, whatever the peer says; its questions are bounded,
// and more of them are allowed only for statements that came.

import type { Peer } from '../../overlay/core/index.ts'
import { MAX_ASKED_DIGESTS, MAX_LISTED } from '../wire/market-messages.ts'
import type { BookRequestClient, ToldNode } from './book-request-client.ts'
import { type BookDigest, type BookDigests, DIGEST_DEPTH } from '../core/book-digests.ts'
import type { Gossip } from './gossip.ts'
import type { StatementIntake } from './statement-intake.ts'

/** Questions of a comparison that are out at a time. */
const RUN_PARALLEL = 4
/**
 * Questions that a comparison may cost when nothing comes of it. A difference of one order in a book of 100,000 is
 * found with five.
 */
export const RUN_QUESTIONS = 64
/** So many more for each statement that came of it. */
export const RUN_QUESTIONS_EACH = 4
/** Statements that a comparison gives the peer; the rest it finds itself. */
export const RUN_GIVEN = 150

/** What it works with. */
export interface BookComparisonDeps {
  readonly book: BookDigests
  readonly requests: BookRequestClient
  readonly incoming: StatementIntake
  readonly gossip: Gossip
}

/** What came of a comparison. */
export interface Compared {
  readonly questions: number
  /** Statements that changed our book. */
  readonly gained: number
  /** It cost all the questions that it may. */
  readonly exhausted: boolean
}

/** Hashes of ours under one prefix that are looked through. */
const MAX_OWN_LISTED = 512
const MAX_PREFIX_DIGITS = 64
const DIGITS = [...'0123456789abcdef']

/**
 * One comparison of our book with a peer's: digests that differ are followed down to lists of hashes, what we lack is
 * asked for, and what the peer lacks is given.
 */
export class BookComparison {
  readonly #peer: Peer
  readonly #deps: BookComparisonDeps
  /**
   * Prefixes whose digests to ask for, those whose hashes to ask for, and hashes of statements. The last is taken
   * first.
   */
  readonly #nodes: string[] = ['']
  readonly #lists: string[] = []
  readonly #wanted: string[] = []
  #questions = 0
  #gained = 0
  #given = 0
  #working = 0
  #silent = false
  #ended = false
  #done: (compared: Compared) => void = () => undefined

  constructor(peer: Peer, deps: BookComparisonDeps) {
    this.#peer = peer
    this.#deps = deps
  }

  /** Runs it; to be called once. Never rejects. */
  run(): Promise<Compared> {
    return new Promise(resolve => {
      this.#done = resolve
      this.#pump()
    })
  }

  get #mayAsk(): boolean {
    return this.#questions < RUN_QUESTIONS + RUN_QUESTIONS_EACH * this.#gained
  }

  get #left(): number {
    return this.#nodes.length + this.#lists.length + this.#wanted.length
  }

  #pump(): void {
    while (this.#working < RUN_PARALLEL && this.#left > 0 && this.#mayAsk && !this.#silent && !this.#isBlamed()) {
      this.#working++
      this.#questions++
      void this.#step().finally(() => {
        this.#working--
        this.#pump()
      })
    }
    if (this.#working > 0 || this.#ended) return
    this.#ended = true
    this.#done({ questions: this.#questions, gained: this.#gained, exhausted: !this.#mayAsk && this.#left > 0 })
  }

  /** Statements as soon as they fill a question, then what is deepest. */
  async #step(): Promise<void> {
    if (this.#wanted.length >= MAX_LISTED || this.#nodes.length + this.#lists.length === 0) return this.#askStatements()
    const prefix = this.#lists.pop()
    if (prefix !== undefined) return this.#askList(prefix)
    return this.#askDigests(this.#nodes.splice(-MAX_ASKED_DIGESTS))
  }

  async #askDigests(prefixes: readonly string[]): Promise<void> {
    const { requests, book } = this.#deps
    const told = await requests.digests(
      this.#peer,
      prefixes.map(prefix => ({ prefix, ...book.digest(prefix) })),
    )
    this.#silent ||= told === null
    const asked = new Set(prefixes)
    for (const node of told ?? []) if (asked.delete(node.prefix)) this.#follow(node)
  }

  #follow({ prefix, branches }: ToldNode): void {
    for (const [at, theirs] of branches.entries()) this.#differ(`${prefix}${DIGITS[at] ?? ''}`, theirs)
  }

  #differ(prefix: string, theirs: BookDigest): void {
    const ours = this.#deps.book.digest(prefix)
    if (ours.digest === theirs.digest && ours.count === theirs.count) return
    if (theirs.count === 0) this.#give(this.#deps.book.hashes(prefix, RUN_GIVEN))
    else if (theirs.count <= MAX_LISTED || prefix.length >= DIGEST_DEPTH) this.#lists.push(prefix)
    else this.#nodes.push(prefix)
  }

  async #askList(prefix: string): Promise<void> {
    const { requests, incoming, book } = this.#deps
    const told = await requests.list(this.#peer, prefix)
    if (told === null) {
      this.#silent = true
      return
    }
    const theirs = told.hashes.filter(hash => hash.startsWith(prefix))
    this.#wanted.push(...theirs.filter(hash => incoming.wants(hash)))
    if (told.more && prefix.length < MAX_PREFIX_DIGITS) this.#lists.push(...DIGITS.map(digit => prefix + digit))
    if (told.more) return
    const known = new Set(theirs)
    this.#give(book.hashes(prefix, MAX_OWN_LISTED).filter(hash => !known.has(hash)))
  }

  async #askStatements(): Promise<void> {
    const { requests, incoming } = this.#deps
    const hashes = this.#wanted.splice(-MAX_LISTED).filter(hash => incoming.wants(hash))
    if (hashes.length === 0) return
    const told = await requests.statements(this.#peer, hashes)
    const some = told.slice(0, hashes.length)
    const taken = await Promise.all(some.map(async bytes => incoming.takeAsked(bytes, this.#peer.member, hashes)))
    this.#gained += taken.filter(change => change === 'new' || change === 'newer' || change === 'fraud').length
  }

  #give(hashes: readonly string[]): void {
    const some = hashes.slice(0, RUN_GIVEN - this.#given)
    this.#given += some.length
    this.#deps.gossip.give(
      this.#peer,
      some.flatMap(hash => this.#deps.book.statement(hash)?.bytes ?? []),
    )
  }

  #isBlamed(): boolean {
    return this.#deps.incoming.isBlamed(this.#peer.member)
  }
}
