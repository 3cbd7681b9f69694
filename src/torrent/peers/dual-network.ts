// Connects by uTP first and by TCP when that does not answer soon, to near addresses the other way round (decision
// 0529), and remembers whom TCP reached; listens on both. What is above sees one stream. States of a stream: racing ->
// open (one carrier, the other is gone) -> closed. Invariant: while racing nothing is delivered but the end; `open` and
// `close` come at most once each, `close` last.

import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { ConnectOptions, TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'

/** Head start of the first: a far peer answers within it, and one without uTP costs no more than it. */
const HEAD_START_MS = 300
/**
 * The same where a user waits (decision 0525): a peer that has the first of them answers by it as a rule, because its
 * call goes out first, and one without it costs the user no more than this.
 */
const HURRIED_HEAD_START_MS = 5
/** uTP is given up after this long; libtorrent: 3 s. */
const UTP_TIMEOUT_MS = 3000
/** Addresses that TCP reached; the oldest makes room. */
const MAX_REMEMBERED = 4096

type Carrier = 'utp' | 'tcp'

/** What a DualNetwork works with. */
export interface DualNetworkDeps {
  readonly tcp: TcpNetwork
  readonly utp: TcpNetwork
  readonly clock: Pick<Clock, 'after'>
}

/** TcpNetwork over both. */
export class DualNetwork implements TcpNetwork {
  readonly #deps: DualNetworkDeps
  /** In the order in which they were reached last. */
  readonly #byTcp = new Set<string>()

  constructor(deps: DualNetworkDeps) {
    this.#deps = deps
  }

  connect(remote: PeerAddress, options: ConnectOptions, handlers: TcpStreamHandlers): TcpStream {
    const key = addressKey(remote)
    // TCP alone for a peer that only TCP reached: its next failure forgets that.
    if (this.#byTcp.has(key)) return this.#tcpOnly(key, remote, options, handlers)
    // uTP makes way for others on a line that it shares; to a near address there is none, and it costs many times TCP.
    // What once reached it by uTP is no reason to stay with that.
    const first = isLocalIp(remote.ip) ? 'tcp' : 'utp'
    const note = (carrier: Carrier): void => this.#note(key, carrier)
    return new DualStream({ ...this.#deps, remote, options, first, note }, handlers)
  }

  /** Listens by TCP, and by uTP on the UDP port of this node, for both families of addresses. */
  async listen(at: PeerAddress, accept: (stream: TcpStream) => TcpStreamHandlers | null): Promise<TcpListener> {
    const tcp = await this.#deps.tcp.listen(at, accept)
    const { port } = tcp.address
    const utp = await Promise.all(['0.0.0.0', '::'].map(ip => this.#deps.utp.listen({ ip, port }, accept)))
    return {
      address: tcp.address,
      close: async () => {
        await Promise.all([tcp, ...utp].map(listener => listener.close()))
      },
    }
  }

  #tcpOnly(key: string, remote: PeerAddress, options: ConnectOptions, handlers: TcpStreamHandlers): TcpStream {
    let heard = false
    return this.#deps.tcp.connect(remote, options, {
      open: () => handlers.open?.(),
      data: chunk => {
        heard = true
        handlers.data(chunk)
      },
      drain: () => handlers.drain(),
      close: error => {
        if (!heard) this.#byTcp.delete(key)
        handlers.close(error)
      },
    })
  }

  #note(key: string, carrier: Carrier): void {
    this.#byTcp.delete(key)
    if (carrier === 'utp') return
    for (const oldest of this.#byTcp) {
      if (this.#byTcp.size < MAX_REMEMBERED) break
      this.#byTcp.delete(oldest)
    }
    this.#byTcp.add(key)
  }
}

interface Race extends DualNetworkDeps {
  readonly remote: PeerAddress
  readonly options: ConnectOptions
  /** Which is tried first. */
  readonly first: Carrier
  /** Which carrier came first. */
  note(carrier: Carrier): void
}

/** One outgoing connection. */
class DualStream implements TcpStream {
  readonly remote: PeerAddress
  readonly incoming = false
  readonly #race: Race
  readonly #handlers: TcpStreamHandlers
  /** Those that are being tried; one when a carrier has won. */
  readonly #trying = new Map<Carrier, TcpStream>()
  #winner: TcpStream | null = null
  #headStart: Timer | null
  #utp = false
  #ended = false

  constructor(race: Race, handlers: TcpStreamHandlers) {
    this.#race = race
    this.#handlers = handlers
    this.remote = race.remote
    const headStartMs = race.options.hurried === true ? HURRIED_HEAD_START_MS : HEAD_START_MS
    this.#headStart = race.clock.after(headStartMs, () => this.#headStartOver())
    this.#try(race.first)
  }

  get utp(): boolean {
    return this.#utp
  }

  get bufferedBytes(): number {
    return this.#winner?.bufferedBytes ?? 0
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    // Writes come after `open` only.
    if (this.#winner !== null) return this.#winner.write(bytes, sent)
    if (sent !== undefined) this.#race.clock.after(0, sent)
    return true
  }

  cork(): void {
    this.#winner?.cork()
  }

  uncork(): void {
    this.#winner?.uncork()
  }

  pause(): void {
    this.#winner?.pause()
  }

  resume(): void {
    this.#winner?.resume()
  }

  destroy(): void {
    if (this.#winner !== null) return this.#winner.destroy()
    if (this.#ended) return
    this.#ended = true
    this.#headStart?.cancel()
    for (const stream of this.#trying.values()) stream.destroy()
    // As a stream's own end: never inside the call.
    this.#race.clock.after(0, () => this.#handlers.close(null))
  }

  reset(): void {
    const winner = this.#winner
    if (winner?.reset === undefined) this.destroy()
    else winner.reset()
  }

  /**
   * A thread that was busy finds its timers due before it reads what has come meanwhile: an answer of the first counts
   * although it is read late (decision 0534).
   */
  #headStartOver(): void {
    this.#headStart = this.#race.clock.after(0, () => this.#trySecond())
  }

  #trySecond(): void {
    this.#headStart?.cancel()
    this.#headStart = null
    if (!this.#ended && this.#winner === null) this.#try(this.#race.first === 'utp' ? 'tcp' : 'utp')
  }

  #try(carrier: Carrier): void {
    const { remote, options } = this.#race
    const timeoutMs = carrier === 'utp' ? Math.min(UTP_TIMEOUT_MS, options.timeoutMs) : options.timeoutMs
    const stream = this.#race[carrier].connect(
      remote,
      { localIp: options.localIp, timeoutMs },
      {
        open: () => this.#opened(carrier),
        data: chunk => this.#handlers.data(chunk),
        drain: () => this.#handlers.drain(),
        close: error => this.#closed(carrier, error),
      },
    )
    this.#trying.set(carrier, stream)
  }

  #opened(carrier: Carrier): void {
    const stream = this.#trying.get(carrier)
    if (stream === undefined || this.#ended || this.#winner !== null) return
    this.#winner = stream
    this.#utp = carrier === 'utp'
    this.#headStart?.cancel()
    this.#headStart = null
    this.#race.note(carrier)
    for (const [other, loser] of this.#trying) if (other !== carrier) loser.destroy()
    this.#handlers.open?.()
  }

  #closed(carrier: Carrier, error: Error | null): void {
    const stream = this.#trying.get(carrier)
    this.#trying.delete(carrier)
    if (this.#winner !== null) {
      if (this.#winner !== stream) return
      return this.#end(error)
    }
    if (this.#ended) return
    // Refused before the head start was over: no reason to wait for it.
    if (this.#headStart !== null) return this.#trySecond()
    if (this.#trying.size > 0) return
    this.#end(error)
  }

  #end(error: Error | null): void {
    if (this.#ended) return
    this.#ended = true
    this.#handlers.close(error)
  }
}
