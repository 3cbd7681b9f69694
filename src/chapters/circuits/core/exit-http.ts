// HTTP requests of others that leave here (10.2): plain HTTP to servers that strangers may reach, five at a time for a
// circuit, five seconds each. Only answers of kinds that trackers and web seeds give are returned, so that this is no
// proxy for everything.

import type { Clock, Timer } from '../../../ports/clock.ts'
import type { NameResolver } from '../../../ports/name-resolver.ts'
import type { TcpNetwork, TcpStream } from '../../../ports/tcp.ts'
import { httpRequest, httpResponse } from '../wire/circuit-messages.ts'
import { httpParts } from '../wire/http-parts.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import type { EndingCircuit } from './ending-circuit.ts'
import { isAskedPort, isOneGet } from './exit-request.ts'
import { isReturned, isWholeAnswer } from './http-answer.ts'

/** HTTP requests of one circuit at a time. */
const HTTP_REQUESTS = 5
/** HTTP requests of all circuits together at a time. */
const MAX_HTTP_REQUESTS = 32
/** Time of an HTTP request. */
const HTTP_TIMEOUT_MS = 5_000
/** Bytes of an answer that an exit returns. */
const MAX_HTTP_ANSWER_BYTES = 1024 * 1024
/** Pieces in which such an answer may trickle in. */
const MAX_HTTP_CHUNKS = 2_048
/** Parts of an answer that leave in one turn. */
const HTTP_PARTS_A_TURN = 32
/** Between such turns. */
const HTTP_TURN_MS = 2

/** What it works with. */
export interface ExitHttpDeps {
  readonly clock: Clock
  readonly tcp: TcpNetwork
  readonly resolver: NameResolver
  readonly counts: { up: number; down: number; refused: number }
  flags(): number
  /** Whether strangers may have us connect to this literal address. */
  mayReach(ip: string): boolean
  /** Ports from 1024 up where strangers may not have us ask. */
  readonly refusedPorts: ReadonlySet<number>
}

type Asked = PayloadOf<typeof httpRequest>

/**
 * HTTP requests of others that leave here (10.2): plain HTTP to servers that strangers may reach, five at a time for a
 * circuit, five seconds each.
 */
export class ExitHttp {
  readonly #deps: ExitHttpDeps
  readonly #open = new WeakMap<EndingCircuit, number>()
  #openInAll = 0

  constructor(deps: ExitHttpDeps) {
    this.#deps = deps
  }

  /** Carries a request; nothing is answered where it fails. `asked` is valid only during the call. */
  request(circuit: EndingCircuit, asked: Asked): void {
    const open = this.#open.get(circuit) ?? 0
    const full = open >= HTTP_REQUESTS || this.#openInAll >= MAX_HTTP_REQUESTS
    if ((this.#deps.flags() & PEER_FLAG.exitHttp) === 0 || full || !this.#isAllowed(asked)) {
      this.#deps.counts.refused++
      return
    }
    this.#open.set(circuit, open + 1)
    this.#openInAll++
    const request = Uint8Array.from(asked.request)
    const { identifier, target } = asked
    this.#exchange(circuit, target, request).then(
      answer => {
        this.#closed(circuit)
        if (answer !== null && isReturned(request, answer)) this.#answer(circuit, identifier, answer)
        else this.#deps.counts.refused++
      },
      () => {
        this.#closed(circuit)
        this.#deps.counts.refused++
      },
    )
  }

  /** One complete GET to a port of web servers: nothing else leaves here under our address. */
  #isAllowed({ target, request }: Asked): boolean {
    return isAskedPort(target.port, this.#deps.refusedPorts) && isOneGet(request)
  }

  #closed(circuit: EndingCircuit): void {
    this.#openInAll--
    this.#open.set(circuit, (this.#open.get(circuit) ?? 1) - 1)
  }

  #answer(circuit: EndingCircuit, identifier: number, answer: Uint8Array): void {
    this.#deps.counts.down += answer.length
    this.#sendParts(circuit, httpParts(identifier, answer))
  }

  /** In turns: a lost part is not sent again, and sockets on the way hold only so many. */
  #sendParts(circuit: EndingCircuit, parts: ReturnType<typeof httpParts>): void {
    if (circuit.gone) return
    for (const part of parts.splice(0, HTTP_PARTS_A_TURN)) circuit.send(encodeCellMessage(httpResponse, part))
    if (parts.length > 0) this.#deps.clock.after(HTTP_TURN_MS, () => this.#sendParts(circuit, parts))
  }

  /** The answer as it came; null: there was none within the time and the bytes allowed. */
  async #exchange(circuit: EndingCircuit, target: Asked['target'], request: Uint8Array): Promise<Uint8Array | null> {
    const { resolver, mayReach, tcp, clock } = this.#deps
    const found = await resolver.resolve('host' in target ? target.host : target.ip)
    const usable = found.filter(({ ip }) => mayReach(ip))
    const chosen = usable.find(({ family }) => family === 4) ?? usable[0]
    if (chosen === undefined || circuit.gone) return null
    this.#deps.counts.up += request.length
    return new Promise(done => {
      const exchange = new Exchange(request, { clock, circuit, done })
      exchange.open(tcp, { ip: chosen.ip, port: target.port })
    })
  }
}

/** One connection; `done` is called once. */
class Exchange {
  readonly #chunks: Uint8Array[] = []
  readonly #done: (answer: Uint8Array | null) => void
  readonly #request: Uint8Array
  readonly #timer: Timer
  #stream: TcpStream | null = null
  #bytes = 0
  #ended = false

  constructor(
    request: Uint8Array,
    deps: {
      readonly clock: Clock
      readonly circuit: EndingCircuit
      readonly done: (answer: Uint8Array | null) => void
    },
  ) {
    this.#request = request
    this.#done = deps.done
    this.#timer = deps.clock.after(HTTP_TIMEOUT_MS, () => this.#end(null))
    deps.circuit.onEnd(() => this.#end(null))
  }

  open(tcp: TcpNetwork, to: { readonly ip: string; readonly port: number }): void {
    if (this.#ended) return
    this.#stream = tcp.connect(
      to,
      { localIp: null, timeoutMs: HTTP_TIMEOUT_MS },
      {
        open: () => void this.#stream?.write(this.#request),
        data: chunk => this.#data(chunk),
        drain: () => undefined,
        close: error => this.#end(error === null ? Buffer.concat(this.#chunks) : null),
      },
    )
  }

  #data(chunk: Uint8Array): void {
    if (this.#ended) return
    this.#bytes += chunk.length
    if (this.#bytes > MAX_HTTP_ANSWER_BYTES || this.#chunks.length >= MAX_HTTP_CHUNKS) return this.#end(null)
    this.#chunks.push(Uint8Array.from(chunk))
    const answer = Buffer.concat(this.#chunks)
    if (isWholeAnswer(answer)) this.#end(answer)
  }

  #end(answer: Uint8Array | null): void {
    if (this.#ended) return
    this.#ended = true
    this.#timer.cancel()
    this.#stream?.destroy()
    this.#done(answer)
  }
}
