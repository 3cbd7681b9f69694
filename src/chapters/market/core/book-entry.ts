// What a book keeps of one order.

import { compareTerms, sameTerms } from '../wire/order-codec.ts'
import type { OrderStatement, OrderTerms } from '../wire/types.ts'

/**
 * `stands`: it can be seen and matched; `closed`: kept so that no older statement opens it again; `fraud`: two
 * statements prove that its owner said different things of it; `over`: its time has passed, kept a little longer for
 * clocks that are behind; `gone`: not in the book any more.
 */
export type EntryStage = 'stands' | 'closed' | 'fraud' | 'over' | 'gone'

/** What a book keeps of one order. */
export interface BookEntry {
  /** Those of the statement. */
  terms: OrderTerms
  /** The last; of a fraud the one with the longest time. */
  statement: OrderStatement
  /** Of a fraud: the other one. */
  proof: OrderStatement | null
  stage: EntryStage
  /** Unix time, milliseconds: when the time of all its statements is over. */
  endMs: number
  /** Unix time, milliseconds: when to look at it again. */
  dueMs: number
}

/** When the time of an order is over; Unix time, milliseconds. */
export function endOf({ timeMs, timeoutS }: OrderTerms): number {
  return timeMs + timeoutS * 1000
}

/** An entry with its first statement. */
export function entryOf(statement: OrderStatement): BookEntry {
  const { terms } = statement
  return { terms, statement, proof: null, stage: stageOf(statement), endMs: endOf(terms), dueMs: 0 }
}

/** The stage of an order with this statement. */
export function stageOf({ state }: OrderStatement): 'stands' | 'closed' {
  return state.status === 'closed' ? 'closed' : 'stands'
}

/**
 * Whether a statement takes the place of another of the same terms: a closing one always that of one that is not, then
 * the higher sequence, then the smaller hash. All nodes keep the same one, whichever came first.
 */
export function isLater(one: OrderStatement, other: OrderStatement): boolean {
  const closed = Number(stageOf(one) === 'closed') - Number(stageOf(other) === 'closed')
  if (closed !== 0) return closed > 0
  if (one.state.sequence !== other.state.sequence) return one.state.sequence > other.state.sequence
  return one.hash < other.hash
}

/**
 * The two statements that prove a fraud, out of several with different terms: the last (isLater) with the terms that
 * last longest, then the last with those that come next. All nodes keep the same two, whichever came first, and nothing
 * that they have seen outlives them. Null: all have the same terms.
 */
export function proofOf(statements: readonly OrderStatement[]): readonly [OrderStatement, OrderStatement] | null {
  const sorted = statements.toSorted(compareProofs)
  const first = sorted[0] as OrderStatement
  const second = sorted.find(one => !sameTerms(one, first))
  return second === undefined ? null : [first, second]
}

function compareProofs(one: OrderStatement, other: OrderStatement): number {
  const byTerms = endOf(other.terms) - endOf(one.terms) || compareTerms(one, other)
  return byTerms || (isLater(one, other) ? -1 : 1)
}
