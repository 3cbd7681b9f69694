// HTTP exchanges over circuits of our own (10.2): a request in one cell, the answer in parts. Exits answer nothing
// where they refuse or fail, so each exchange has a time-out.

import { AppError } from '../../../base/errors.ts'
import { type CircuitHttpRequest, NO_ANSWER_OF_EXIT } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { parseIp } from '../../../wire/net/compact-address.ts'
import { DecodeError } from '../../../base/errors.ts'
import { httpRequest, httpResponse } from '../wire/circuit-messages.ts'
import { HttpAnswer } from '../wire/http-parts.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import type { OwnCircuit } from './own-circuit.ts'
import type { CircuitWatch, OwnCircuits } from './own-circuits.ts'

/** HTTP exchanges of our own at a time. */
const MAX_EXCHANGES = 64
/** Bytes of a request: it has to fit one cell. */
const MAX_REQUEST_BYTES = 4_096

interface Exchange {
  readonly circuit: OwnCircuit
  readonly answer: HttpAnswer
  readonly end: (outcome: Uint8Array | AppError) => void
}

/** All exchanges of the node. */
export class CircuitExchanges implements CircuitWatch {
  readonly #deps: { readonly own: OwnCircuits; readonly clock: Clock; readonly random: Random }
  readonly #open = new Map<number, Exchange>()

  constructor(deps: { readonly own: OwnCircuits; readonly clock: Clock; readonly random: Random }) {
    this.#deps = deps
    deps.own.handlers.on(httpResponse, (circuit, part) => this.#part(circuit, part))
    deps.own.watch(this)
  }

  /** Rejects with AppError SourceFailed or Aborted. */
  run(circuit: OwnCircuit, request: CircuitHttpRequest): Promise<Uint8Array> {
    const { clock } = this.#deps
    if (request.signal?.aborted === true) return Promise.reject(new AppError('Aborted'))
    if (this.#open.size >= MAX_EXCHANGES) return Promise.reject(failed('too many requests over circuits'))
    if (request.request.length > MAX_REQUEST_BYTES) return Promise.reject(failed('too long a request for a circuit'))
    return new Promise((resolve, reject) => {
      const id = this.#freshId()
      const timer = clock.after(request.timeoutMs, () => end(failed(NO_ANSWER_OF_EXIT)))
      const aborted = (): void => end(new AppError('Aborted'))
      const end = (outcome: Uint8Array | AppError): void => {
        if (!this.#open.delete(id)) return
        timer.cancel()
        request.signal?.removeEventListener('abort', aborted)
        if (outcome instanceof AppError) reject(outcome)
        else resolve(outcome)
      }
      request.signal?.addEventListener('abort', aborted)
      this.#open.set(id, { circuit, answer: new HttpAnswer(request.maxBytes), end })
      circuit.send(textOf(id, request))
    })
  }

  ready(): void {
    // Nothing waits for circuits here.
  }

  removed(circuit: OwnCircuit): void {
    for (const exchange of [...this.#open.values()]) {
      if (exchange.circuit === circuit) exchange.end(failed('the circuit ended'))
    }
  }

  #part(circuit: OwnCircuit, part: PayloadOf<typeof httpResponse>): void {
    const exchange = this.#open.get(part.identifier)
    if (exchange === undefined || exchange.circuit !== circuit) {
      this.#deps.own.handlers.countDropped()
      return
    }
    try {
      const answer = exchange.answer.add(part)
      if (answer !== null) exchange.end(answer)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      exchange.end(failed('an answer that is none, or too large'))
    }
  }

  #freshId(): number {
    for (;;) {
      const id = this.#deps.random.below(0x1_0000_0000)
      if (!this.#open.has(id)) return id
    }
  }
}

function textOf(identifier: number, { host, port, request }: CircuitHttpRequest): Uint8Array {
  const target = parseIp(host) === null ? { host, port } : { ip: host, port }
  return encodeCellMessage(httpRequest, { identifier, target, request })
}

function failed(text: string): AppError {
  return new AppError('SourceFailed', text)
}
