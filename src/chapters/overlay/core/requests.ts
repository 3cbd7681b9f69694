// Requests that wait for their answers: an identifier by chance, a state to go on with, a time-out. Each kind has a
// bound of its own, so that one that is flooded takes nothing from the others. Invariant: each request ends exactly
// once, taken, expired or cleared; a second answer finds nothing.

import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'

declare const stateBrand: unique symbol

/** A kind of request; `S` is what is remembered until its answer comes. */
export interface RequestKind<S> {
  readonly name: string
  /** Width of the identifiers that the network sees. */
  readonly bits: 16 | 32
  readonly timeoutMs: number
  /** Most that wait at a time. */
  readonly limit: number
  readonly [stateBrand]?: S
}

/** Time-out of an answer where nothing else is said. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 10_000
/** Requests of a kind that wait, where nothing else is said. */
export const DEFAULT_REQUEST_LIMIT = 512

/** Makes a kind; the defaults are 16 bits, 10 s and 512. */
export function requestKind<S>(name: string, options: Partial<Omit<RequestKind<S>, 'name'>> = {}): RequestKind<S> {
  return { name, bits: 16, timeoutMs: DEFAULT_REQUEST_TIMEOUT_MS, limit: DEFAULT_REQUEST_LIMIT, ...options }
}

interface Waiting {
  readonly state: unknown
  readonly timer: Timer
}

/** The requests of one overlay. */
export class Requests {
  readonly #deps: { readonly clock: Clock; readonly random: Random }
  readonly #kinds = new Map<RequestKind<unknown>, Map<number, Waiting>>()
  #closed = false

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    this.#deps = deps
  }

  /**
   * Waits for an answer and gives its identifier; null when too many of the kind wait, or `id` is in use. `expired` is
   * called when none came in time, not after take() or clear(). `id`: chosen by the caller, for the global time of
   * introductions.
   */
  open<S>(kind: RequestKind<S>, state: S, expired: (state: S) => void = () => undefined, id?: number): number | null {
    const waiting = this.#of(kind)
    if (this.#closed || waiting.size >= kind.limit) return null
    const chosen = id ?? this.#freshId(kind.bits, waiting)
    if (waiting.has(chosen)) return null
    const timer = this.#deps.clock.after(kind.timeoutMs, () => {
      waiting.delete(chosen)
      expired(state)
    })
    waiting.set(chosen, { state, timer })
    return chosen
  }

  /** What waits under `id`, without ending it. */
  peek<S>(kind: RequestKind<S>, id: number): S | undefined {
    return this.#of(kind).get(id)?.state as S | undefined
  }

  /** The answer came: ends the request and gives its state; undefined when none waits (late, unasked or repeated). */
  take<S>(kind: RequestKind<S>, id: number): S | undefined {
    const waiting = this.#of(kind)
    const entry = waiting.get(id)
    if (entry === undefined) return undefined
    waiting.delete(id)
    entry.timer.cancel()
    return entry.state as S
  }

  /** How many of a kind wait. */
  waiting(kind: RequestKind<unknown>): number {
    return this.#kinds.get(kind)?.size ?? 0
  }

  /** Ends all without a word, and takes no more. */
  close(): void {
    this.#closed = true
    for (const waiting of this.#kinds.values()) for (const { timer } of waiting.values()) timer.cancel()
    this.#kinds.clear()
  }

  #of(kind: RequestKind<unknown>): Map<number, Waiting> {
    let waiting = this.#kinds.get(kind)
    if (waiting === undefined) this.#kinds.set(kind, (waiting = new Map()))
    return waiting
  }

  /** Fewer wait than half of all numbers: chance finds a free one soon. */
  #freshId(bits: 16 | 32, waiting: ReadonlyMap<number, Waiting>): number {
    for (;;) {
      const id = bits === 16 ? this.#deps.random.below(0x1_0000) : this.#deps.random.below(0x1_0000_0000)
      if (!waiting.has(id)) return id
    }
  }
}
