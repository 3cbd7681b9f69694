// The lookups of one family: so many at once, others wait for their turn in the order they came. Bounded: what comes
// when even the queue is full ends without a result. Invariant: onDone is called once, never within add(), not after
// cancel().

import type { Clock } from '../ports/clock.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import { Lookup } from './lookup.ts'
import { LookupRun, type LookupSpec } from './lookup-run.ts'
import type { Rpc } from './rpc.ts'
import type { Family } from './types.ts'

/** Most lookups that wait; each torrent has one at most. */
const MAX_WAITING_LOOKUPS = 10_000

/** Something that can be given up. */
export interface Cancellable {
  cancel(): void
}

interface Entry {
  readonly spec: LookupSpec
  run: LookupRun | null
}

/** What the queue works with. */
export interface LookupQueueDeps {
  readonly family: Family
  readonly rpc: Rpc
  readonly clock: Clock
  ownId(): Uint8Array
  /** Known nodes near a target, to begin with. */
  nearest(target: Uint8Array): readonly NodeContact[]
}

/** Runs lookups. */
export class LookupQueue {
  readonly #limit: number
  readonly #deps: LookupQueueDeps
  readonly #active = new Set<Entry>()
  readonly #waiting = new Set<Entry>()
  #closed = false

  constructor(limit: number, deps: LookupQueueDeps) {
    this.#limit = limit
    this.#deps = deps
  }

  get active(): number {
    return this.#active.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs a lookup as soon as there is room; `first` sets the limit aside. */
  add(spec: LookupSpec, first = false): Cancellable {
    const entry: Entry = { spec, run: null }
    if (this.#closed || this.#waiting.size >= MAX_WAITING_LOOKUPS)
      return this.#deps.clock.after(0, () => spec.onDone(new Lookup(spec.target, spec.target)))
    if (first || this.#active.size < this.#limit) this.#start(entry)
    else this.#waiting.add(entry)
    return { cancel: () => this.#cancel(entry) }
  }

  /** Ends everything at once, without results. */
  close(): void {
    this.#closed = true
    const entries = [...this.#active, ...this.#waiting]
    this.#active.clear()
    this.#waiting.clear()
    for (const entry of entries) entry.run?.cancel()
    for (const { spec } of entries) spec.onDone(new Lookup(spec.target, spec.target))
  }

  #start(entry: Entry): void {
    const { spec } = entry
    const done: LookupSpec = {
      target: spec.target,
      query: spec.query,
      contacts: spec.contacts ?? [],
      onReply: (reply, candidate) => spec.onReply?.(reply, candidate),
      onDone: lookup => {
        this.#active.delete(entry)
        this.#fill()
        spec.onDone(lookup)
      },
    }
    const run = new LookupRun(done, this.#deps)
    entry.run = run
    this.#active.add(entry)
    this.#deps.clock.after(0, () => run.start(this.#deps.nearest(spec.target)))
  }

  #cancel(entry: Entry): void {
    this.#waiting.delete(entry)
    if (!this.#active.delete(entry)) return
    entry.run?.cancel()
    this.#fill()
  }

  #fill(): void {
    for (const entry of this.#waiting) {
      if (this.#closed || this.#active.size >= this.#limit) return
      this.#waiting.delete(entry)
      this.#start(entry)
    }
  }
}
