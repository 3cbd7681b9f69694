// The order of the queue: a number for each download, lowest first, no two alike. A move gives new numbers to what is
// moved, between those of its neighbours, so that it costs a few rows however long the queue is; where there is no room
// between two, their neighbourhood is spread. Data only. Invariant: seats are sorted, and numbers that next() gave are
// above all others.

import type { QueueMove } from './queue-api.ts'

/** A number that a move gives. */
export type NewOrder<Name> = readonly [name: Name, order: number]

interface Seat<Name> {
  readonly name: Name
  order: number
}

/** Numbers that are further apart than this have room between them; more, where they are so large that digits lack. */
const MIN_GAP = 2 ** -20
const MIN_GAP_PART = 2 ** -40
/** Larger ones in a store were not written by this program. */
const MAX_ORDER = 2 ** 50

/** Who stands where. */
export class QueueOrder<Name extends string> {
  readonly #seats: Seat<Name>[] = []
  readonly #byName = new Map<Name, Seat<Name>>()
  #next = 1

  /** A number behind all others, given once. */
  next(): number {
    const order = this.#next
    this.#next = order + 1
    return order
  }

  /**
   * Takes a download in; the number that it has now: `order`, or one close by where that is taken or is none. Nothing
   * changes for one that is in.
   */
  enter(name: Name, order: number): number {
    const known = this.#byName.get(name)
    if (known !== undefined) return known.order
    const seat = { name, order: this.#free(order) }
    this.#byName.set(name, seat)
    this.#seats.splice(this.#countBelow(seat.order), 0, seat)
    this.#next = Math.max(this.#next, Math.floor(seat.order) + 1)
    return seat.order
  }

  /** It is gone. */
  forget(name: Name): void {
    const seat = this.#byName.get(name)
    if (seat === undefined) return
    this.#byName.delete(name)
    this.#seats.splice(this.#countBelow(seat.order), 1)
  }

  /** How many stand before it; null: it is not in. */
  position(name: Name): number | null {
    const seat = this.#byName.get(name)
    return seat === undefined ? null : this.#countBelow(seat.order)
  }

  /** The numbers that a move changes, none where nothing moves; those who move keep their order. Names that are in. */
  plan(names: ReadonlySet<Name>, to: QueueMove): NewOrder<Name>[] {
    const plan = new Plan(this.#seats, () => this.next())
    const isMoved = ({ name }: Seat<Name>): boolean => names.has(name)
    if ('before' in to) plan.block(isMoved, this.#othersBefore(to.before as Name, names))
    else if ('position' in to) plan.block(isMoved, to.position)
    else if (to.step === 'top' || to.step === 'bottom') plan.block(isMoved, to.step === 'top' ? 0 : Infinity)
    else plan.step(isMoved, to.step)
    return plan.changes()
  }

  /** These numbers hold from now on; names that are not in are passed over. */
  apply(changes: readonly NewOrder<Name>[]): void {
    let any = false
    for (const [name, order] of changes) {
      const seat = this.#byName.get(name)
      if (seat === undefined) continue
      seat.order = order
      any = true
    }
    if (any) this.#seats.sort((a, b) => a.order - b.order)
  }

  #othersBefore(name: Name, moved: ReadonlySet<Name>): number {
    const end = this.position(name) ?? this.#seats.length
    let others = 0
    for (let at = 0; at < end; at += 1) if (!moved.has((this.#seats[at] as Seat<Name>).name)) others += 1
    return others
  }

  #free(order: number): number {
    if (!Number.isFinite(order) || Math.abs(order) > MAX_ORDER) return this.next()
    const at = this.#countBelow(order)
    const [there, behind] = [this.#seats[at], this.#seats[at + 1]]
    if (there?.order !== order) return order
    const between = behind === undefined ? this.next() : (order + behind.order) / 2
    return between > order && between !== behind?.order ? between : this.next()
  }

  #countBelow(order: number): number {
    let [low, high] = [0, this.#seats.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#seats[middle] as Seat<Name>).order < order) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** One move: the line as it is to be, and the numbers that this takes. */
class Plan<Name extends string> {
  #line: Seat<Name>[]
  readonly #next: () => number
  readonly #orders = new Map<Seat<Name>, number>()

  constructor(seats: readonly Seat<Name>[], next: () => number) {
    this.#line = [...seats]
    this.#next = next
  }

  /** What is moved stands side by side, behind so many others. */
  block(isMoved: (seat: Seat<Name>) => boolean, behind: number): void {
    const moved: Seat<Name>[] = []
    const others: Seat<Name>[] = []
    for (const seat of this.#line) (isMoved(seat) ? moved : others).push(seat)
    const at = Math.min(behind, others.length)
    const line = [...others.slice(0, at), ...moved, ...others.slice(at)]
    if (line.every((seat, index) => seat === this.#line[index])) return
    this.#line = line
    this.#spread(at, at + moved.length)
  }

  /** Each run of those that are moved passes one neighbour, which goes to its other end. */
  step(isMoved: (seat: Seat<Name>) => boolean, way: 'up' | 'down'): void {
    for (const [from, to] of this.#runs(isMoved, way)) {
      const passed = this.#line[way === 'up' ? from - 1 : to]
      if (passed === undefined) continue
      if (way === 'up') this.#line.splice(from - 1, to - from + 1, ...this.#line.slice(from, to), passed)
      else this.#line.splice(from, to - from + 1, passed, ...this.#line.slice(from, to))
      const at = way === 'up' ? to - 1 : from
      this.#spread(at, at + 1)
    }
  }

  /** Runs of those that are moved, first those that go first. */
  #runs(isMoved: (seat: Seat<Name>) => boolean, way: 'up' | 'down'): (readonly [from: number, to: number])[] {
    const runs: (readonly [number, number])[] = []
    for (let at = 0; at < this.#line.length; at += 1) {
      if (!isMoved(this.#line[at] as Seat<Name>)) continue
      const from = at
      while (at < this.#line.length && isMoved(this.#line[at] as Seat<Name>)) at += 1
      runs.push([from, at])
    }
    return way === 'up' ? runs : runs.reverse()
  }

  changes(): NewOrder<Name>[] {
    return [...this.#orders].filter(([seat, order]) => seat.order !== order).map(([{ name }, order]) => [name, order])
  }

  /** Numbers for a part of the line, between those of its neighbours; without room the part grows. */
  #spread(first: number, end: number): void {
    let [from, to] = [first, end]
    for (let wider = 16; ; wider *= 2) {
      const [low, high] = [this.#orderAt(from - 1), this.#orderAt(to)]
      const count = to - from
      if (high === undefined) return this.#give(from, to, () => this.#next())
      if (low === undefined) return this.#give(from, to, index => Math.ceil(high) - count + index)
      const gap = (high - low) / (count + 1)
      const least = Math.max(MIN_GAP, MIN_GAP_PART * Math.max(Math.abs(low), Math.abs(high)))
      if (gap >= least) return this.#give(from, to, index => low + gap * (index + 1))
      from = Math.max(0, from - wider)
      to = Math.min(this.#line.length, to + wider)
    }
  }

  #orderAt(at: number): number | undefined {
    const seat = this.#line[at]
    return seat === undefined ? undefined : (this.#orders.get(seat) ?? seat.order)
  }

  #give(from: number, to: number, order: (index: number) => number): void {
    for (let at = from; at < to; at += 1) this.#orders.set(this.#line[at] as Seat<Name>, order(at - from))
  }
}
