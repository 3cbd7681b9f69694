// Questions of one kind that were sent over circuits and wait for their answers; some kinds are sent again meanwhile,
// since cells get lost. Invariants: each ends once, with its answer, or with null when none came in time or its circuit
// went; an answer that comes over another circuit is ignored.

import { type RequestKind, requestKind, type Requests } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import type { HiddenCircuit } from './hidden-seam.ts'

interface Waiting<T> {
  readonly circuit: HiddenCircuit
  readonly end: (answer: T | null) => void
  readonly again: Timer | null
}

/** What questions work with. */
export interface AnswersDeps {
  readonly requests: Requests
  readonly counts: HiddenCounts
  readonly clock: Clock
}

/** How long one kind waits; `againMs`: sent again so often until then, null: never. */
export interface Patience {
  readonly timeoutMs: number
  readonly againMs: number | null
}

/**
 * Questions of one kind that were sent over circuits and wait for their answers; some kinds are sent again meanwhile,
 * since cells get lost.
 */
export class Answers<T> {
  readonly #deps: AnswersDeps
  readonly #againMs: number | null
  readonly #kind: RequestKind<Waiting<T>>
  readonly #waiting = new Map<number, Waiting<T>>()

  constructor(name: string, { timeoutMs, againMs }: Patience, deps: AnswersDeps) {
    this.#deps = deps
    this.#againMs = againMs
    this.#kind = requestKind<Waiting<T>>(name, { timeoutMs })
  }

  /** Asks over `circuit`: `send` gets the number of the question. Null: no answer came, or too many wait. */
  ask(circuit: HiddenCircuit, send: (identifier: number) => void): Promise<T | null> {
    const { requests, clock } = this.#deps
    return new Promise(resolve => {
      const ask = (): void => send(identifier as number)
      const again = this.#againMs === null ? null : clock.every(this.#againMs, ask)
      const waiting: Waiting<T> = { circuit, end: resolve, again }
      const identifier = requests.open(this.#kind, waiting, () => this.#end(identifier as number, waiting, null))
      if (identifier === null) {
        again?.cancel()
        resolve(null)
        return
      }
      this.#waiting.set(identifier, waiting)
      ask()
    })
  }

  /** An answer came over `circuit`; counted when no question waits for it. */
  give(circuit: HiddenCircuit, identifier: number, answer: T): void {
    const { requests, counts } = this.#deps
    const waiting = requests.peek(this.#kind, identifier)
    if (waiting === undefined || waiting.circuit !== circuit) {
      counts.unasked++
      return
    }
    this.#end(identifier, waiting, answer)
  }

  /** What waits on a circuit that is gone has no answer. */
  circuitGone(circuit: HiddenCircuit): void {
    for (const [identifier, waiting] of this.#waiting)
      if (waiting.circuit === circuit) this.#end(identifier, waiting, null)
  }

  #end(identifier: number, { end, again }: Waiting<T>, answer: T | null): void {
    again?.cancel()
    this.#deps.requests.take(this.#kind, identifier)
    this.#waiting.delete(identifier)
    end(answer)
  }
}
