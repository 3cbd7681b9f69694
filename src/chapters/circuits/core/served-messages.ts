// What the originators of circuits that end here may ask of us: datagrams out, pings, speed tests, HTTP requests,
// further hops.

import { Allowance } from '../../../base/allowance.ts'
import type { Clock } from '../../../ports/clock.ts'
import { isEarlyCell } from '../wire/cell.ts'
import {
  data,
  extend,
  httpRequest,
  longTestRequest,
  longTestResponse,
  ping,
  pong,
  testRequest,
  testResponse,
} from '../wire/circuit-messages.ts'
import { type DataText, isNoAddressAt, readDataText } from '../wire/data-cell.ts'
import { decodeCellMessage, encodeCellMessage } from '../../overlay/wire/message.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import type { CellHandlers } from './cell-handlers.ts'
import type { EndingCircuit } from './ending-circuit.ts'
import type { ExitHttp } from './exit-http.ts'
import { type ExitDeps, ExitSockets } from './exit-sockets.ts'
import { KnownAddresses } from './known-addresses.ts'
import type { ServingHop } from './serving-hop.ts'

/** Answers to speed tests of one circuit: saved up, and one more each so many milliseconds. */
export const TEST_ANSWERS = { burst: 2_048, refillMs: 2 } as const
/** Bytes of one. */
export const TEST_ANSWER_BYTES = 2_048

/** What it works with. */
export interface ServedDeps {
  readonly clock: Clock
  readonly serving: ServingHop
  readonly exit: ExitDeps
  readonly http: ExitHttp
}

/** Anything will do as answer to a speed test; it is encrypted on its way. */
const TEST_ANSWER = new Uint8Array(TEST_ANSWER_BYTES)

/** Registers the messages that every hop serves, and keeps what belongs to them. */
export class ServedMessages {
  readonly #handlers: CellHandlers<EndingCircuit>
  readonly #deps: ServedDeps
  readonly #exits = new Map<EndingCircuit, ExitSockets>()
  readonly #tests = new WeakMap<EndingCircuit, Allowance>()
  readonly #known = new KnownAddresses()
  readonly #text: DataText = { destinationAt: 0, originAt: 0, dataAt: 0 }

  constructor(handlers: CellHandlers<EndingCircuit>, deps: ServedDeps) {
    this.#handlers = handlers
    this.#deps = deps
    handlers.onRaw(data.id, (circuit, cell, at, end) => this.#data(circuit, cell, at, end))
    handlers.onRaw(extend.id, (circuit, cell, at, end) =>
      deps.serving.extend(circuit, isEarlyCell(cell), decodeCellMessage(extend, cell, at, end)),
    )
    handlers.on(ping, (circuit, { identifier }) => circuit.send(encodeCellMessage(pong, { identifier })))
    handlers.on(testRequest, (circuit, { identifier, responseSize }) => {
      const answer = this.#testAnswer(circuit, responseSize)
      if (answer !== null) circuit.send(encodeCellMessage(testResponse, { identifier, data: answer }))
    })
    handlers.on(longTestRequest, (circuit, { identifier, responseSize }) => {
      const answer = this.#testAnswer(circuit, responseSize)
      if (answer !== null) circuit.send(encodeCellMessage(longTestResponse, { identifier, data: answer }))
    })
    handlers.on(httpRequest, (circuit, values) => deps.http.request(circuit, values))
  }

  /** Whether a circuit has sockets of its own. */
  isExiting(circuit: EndingCircuit): boolean {
    return this.#exits.has(circuit)
  }

  #data(circuit: EndingCircuit, cell: Uint8Array, at: number, end: number): void {
    const text = this.#text
    readDataText(cell, at, end, text)
    if (isNoAddressAt(cell, text.destinationAt)) {
      this.#handlers.countDropped()
      return
    }
    const to = this.#known.read(cell, text.destinationAt, end)
    this.#exitOf(circuit).send(to, cell.subarray(text.dataAt, end))
  }

  #exitOf(circuit: EndingCircuit): ExitSockets {
    let exit = this.#exits.get(circuit)
    if (exit === undefined) {
      exit = new ExitSockets(circuit, this.#deps.exit)
      this.#exits.set(circuit, exit)
      circuit.onEnd(() => this.#exits.delete(circuit))
    }
    return exit
  }

  #testAnswer(circuit: EndingCircuit, size: number): Uint8Array | null {
    if ((this.#deps.exit.flags() & PEER_FLAG.speedTest) === 0) return this.#refuse()
    let left = this.#tests.get(circuit)
    if (left === undefined) {
      left = new Allowance(TEST_ANSWERS.burst, TEST_ANSWERS.refillMs)
      this.#tests.set(circuit, left)
    }
    if (!left.take(this.#deps.clock.now())) return this.#refuse()
    return TEST_ANSWER.subarray(0, Math.min(size, TEST_ANSWER_BYTES))
  }

  #refuse(): null {
    this.#handlers.countDropped()
    return null
  }
}
