// Questions of one kind that were sent over circuits and wait for their answers. Invariants: each ends once, with its answer, or with
// null when none came in time or its circuit went; an answer that comes over another circuit is nobody's.

import { type RequestKind, requestKind, type Requests } from '../overlay/index.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { STEP_TIMEOUT_MS } from './hidden-limits.ts'
import type { HiddenCircuit } from './hidden-seam.ts'

interface Waiting<T> {
  readonly circuit: HiddenCircuit
  readonly end: (answer: T | null) => void
}

/** A question that was given a number. */
export interface Asked<T> {
  readonly identifier: number
  readonly answer: Promise<T | null>
}

/** See the top of the file. */
export class Answers<T> {
  readonly #requests: Requests
  readonly #counts: HiddenCounts
  readonly #kind: RequestKind<Waiting<T>>
  readonly #waiting = new Map<number, Waiting<T>>()

  constructor(name: string, deps: { readonly requests: Requests; readonly counts: HiddenCounts }) {
    this.#requests = deps.requests
    this.#counts = deps.counts
    this.#kind = requestKind<Waiting<T>>(name, { timeoutMs: STEP_TIMEOUT_MS })
  }

  /** A number for a question over `circuit`, and its answer to come. Null: too many wait. */
  ask(circuit: HiddenCircuit): Asked<T> | null {
    let end: (answer: T | null) => void = () => undefined
    const answer = new Promise<T | null>(resolve => {
      end = resolve
    })
    const waiting: Waiting<T> = { circuit, end }
    const identifier = this.#requests.open(this.#kind, waiting, () => {
      this.#waiting.delete(identifier as number)
      end(null)
    })
    if (identifier === null) return null
    this.#waiting.set(identifier, waiting)
    return { identifier, answer }
  }

  /** An answer came over `circuit`; nobody waiting for it is counted. */
  give(circuit: HiddenCircuit, identifier: number, answer: T): void {
    const waiting = this.#requests.peek(this.#kind, identifier)
    if (waiting === undefined || waiting.circuit !== circuit) {
      this.#counts.unasked++
      return
    }
    this.#end(identifier, waiting, answer)
  }

  /** What waits on a circuit that is gone has no answer. */
  circuitGone(circuit: HiddenCircuit): void {
    for (const [identifier, waiting] of this.#waiting)
      if (waiting.circuit === circuit) this.#end(identifier, waiting, null)
  }

  #end(identifier: number, waiting: Waiting<T>, answer: T | null): void {
    this.#requests.take(this.#kind, identifier)
    this.#waiting.delete(identifier)
    waiting.end(answer)
  }
}
