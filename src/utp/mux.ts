// uTP on a UDP port that others use too: gives datagrams to their connections, opens and accepts connections, and
// drives all of them with one timer and one job at the end of a turn of the loop. Owns no socket. Invariant: at most
// `maxConnections` streams.

import { AppError } from '../base/errors.ts'
import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../ports/tcp.ts'
import { canonicalIp } from '../wire/net/compact-address.ts'
import { encodeUtpPacket, isUtp, readUtpHeader, UTP_TYPE, UtpHeader } from '../wire/net/utp.ts'
import type { ConnectionOptions } from './connection.ts'
import { HalfOpen } from './half-open.ts'
import { PACKET_BYTES, PacketPool } from './packet-pool.ts'
import { microsBetween, microsOf, seqAdd } from './sequence.ts'
import { type StreamHost, UtpStream } from './stream.ts'
import { StreamTable } from './stream-table.ts'

/** Connections at a time, in and out and those that only wait for their last acknowledgement. */
export const MAX_CONNECTIONS = 1000
/** Connections that wait for the answer to their SYN. */
export const MAX_CONNECTING = 256
/** Memory of packets under way, and of what readers have not taken, over all connections. */
const SEND_POOL_BYTES = 64 * 1024 * 1024
const RECEIVE_POOL_BYTES = 64 * 1024 * 1024
/** How often connections look at the time: while something is under way, and while they are idle. */
const TICK_MS = 20
const IDLE_TICK_MS = 100
/** RESETs sent in answer to packets of no connection, a second. */
export const MAX_RESETS_PER_SECOND = 50
/** Tries to find an id that no connection to the same address has. */
const ID_TRIES = 16

/** Where datagrams go, for one family of addresses. UdpSocket is one. */
export interface DatagramSender {
  /**
   * Sends one datagram, or loses it. `bytes` may be kept until they have left: they are not written to before the other
   * side has acknowledged them, and never when they were sent twice.
   */
  send(bytes: Uint8Array, to: PeerAddress): void
}

/** Settings. */
export interface UtpNetworkOptions {
  /** Default MAX_CONNECTIONS. */
  readonly maxConnections?: number
  /** Most bytes of a datagram where a proxy needs some of them; default: what Ethernet carries. */
  readonly maxDatagramBytes?: number
}

/** What it works with. */
export interface UtpNetworkDeps {
  readonly clock: Clock
  readonly random: Random
  /** Sockets by family, null where there is none. Looked up for each datagram, so what is behind it may change. */
  readonly sockets: { readonly 4: DatagramSender | null; readonly 6: DatagramSender | null }
}

type Accept = (stream: TcpStream) => TcpStreamHandlers | null

/** TcpNetwork over uTP. `receive` gets every datagram of the sockets. */
export class UtpNetwork implements TcpNetwork, StreamHost {
  readonly #options: UtpNetworkOptions
  readonly #deps: UtpNetworkDeps
  readonly #table = new StreamTable()
  readonly #halfOpen = new HalfOpen()
  readonly #unproven = new Set<UtpStream>()
  readonly #header = new UtpHeader()
  readonly #sendPool = new PacketPool(Math.floor(SEND_POOL_BYTES / PACKET_BYTES))
  readonly #receivePool = new PacketPool(Math.floor(RECEIVE_POOL_BYTES / PACKET_BYTES))
  readonly #listeners = new Map<4 | 6, Accept>()
  #turn: UtpStream[] = []
  #timer: Timer | null = null
  /** A connection had something under way at the last look. */
  #waits = true
  #resetsLeft = MAX_RESETS_PER_SECOND
  #resetsSinceMs = 0
  #closed = false

  constructor(options: UtpNetworkOptions, deps: UtpNetworkDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Connections there are, those that end included. */
  get connections(): number {
    return this.#table.size
  }

  /** Incoming connections whose address is not proven. */
  get halfOpen(): number {
    return this.#halfOpen.total
  }

  /** Packets in use for sending and for what was not read; 0 when all is quiet. */
  get packetsInUse(): { readonly sending: number; readonly unread: number } {
    return { sending: this.#sendPool.used, unread: this.#receivePool.used }
  }

  // --- TcpNetwork

  /** `options.localIp` is not looked at: packets leave through the socket that is there. */
  connect(
    remote: PeerAddress,
    options: { localIp: string | null; timeoutMs: number },
    handlers: TcpStreamHandlers,
  ): TcpStream {
    const ip = canonicalIp(remote.ip)
    const to = { ip: ip ?? remote.ip, port: remote.port }
    const receiveId = this.#freeId(to)
    const stream = this.#makeStream(to, handlers, receiveId, seqAdd(receiveId, 1))
    const refusal = ip === null ? 'not an address' : this.#refusal(to)
    if (refusal !== null) {
      stream.ended(new Error(refusal))
      return stream
    }
    this.#table.add(stream)
    this.#arm()
    stream.connection.connect(options.timeoutMs, this.now())
    return stream
  }

  /**
   * Takes connections of the family of `at.ip`; where the port is, is the socket's business. Rejects with AppError
   * PortTaken.
   */
  async listen(at: PeerAddress, accept: Accept): Promise<TcpListener> {
    const family = familyOf(at.ip)
    if (this.#listeners.has(family)) throw new AppError('PortTaken', 'uTP is already listened to.')
    this.#listeners.set(family, accept)
    return {
      address: at,
      close: async () => {
        if (this.#listeners.get(family) === accept) this.#listeners.delete(family)
      },
    }
  }

  // --- the sockets

  /** Takes a datagram in; false when it is none of uTP's. `bytes` is valid only during the call, `from` canonical. */
  receive(bytes: Uint8Array, from: PeerAddress): boolean {
    if (!isUtp(bytes)) return false
    if (this.#closed) return true
    const header = this.#header
    try {
      readUtpHeader(bytes, header)
    } catch {
      // A DecodeError: dropped without a log line, as everywhere where packets may come from anybody.
      return true
    }
    const stream = this.#streamFor(header, from)
    if (stream !== null) stream.connection.receive(header, bytes, this.now())
    else if (header.type === UTP_TYPE.syn) this.#syn(header, from)
    else if (header.type !== UTP_TYPE.reset) this.#sendReset(header, from)
    return true
  }

  /**
   * Ends all connections of a family at once, because its socket is going; the other sides hear of it if it can still
   * send.
   */
  drop(family: 4 | 6, reason: string): void {
    for (const stream of this.#table.all()) if (familyOf(stream.remote.ip) === family) stream.fail(new Error(reason))
  }

  /**
   * Ends all connections to one address (addressKey) at once: it knows us by another one now. Answers whether there
   * were any.
   */
  dropAt(key: string, reason: string): boolean {
    const lost = [...this.#table.all()].filter(stream => addressKey(stream.remote) === key)
    for (const stream of lost) stream.fail(new Error(reason))
    return lost.length > 0
  }

  /** Ends all connections at once, telling the other sides. From now on nothing is sent. */
  close(): void {
    if (this.#closed) return
    this.#listeners.clear()
    this.drop(4, 'uTP is closed')
    this.drop(6, 'uTP is closed')
    this.#closed = true
    this.#timer?.cancel()
    this.#timer = null
  }

  // --- StreamHost

  now(): number {
    return this.#deps.clock.now()
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    if (!this.#closed) this.#deps.sockets[familyOf(to.ip)]?.send(bytes, to)
  }

  later(stream: UtpStream): void {
    if (stream.queued) return
    stream.queued = true
    this.#turn.push(stream)
    // After all datagrams that are read in this turn: microtasks would run between them.
    if (this.#turn.length === 1) setImmediate(() => this.#turnEnd())
  }

  accepted(stream: UtpStream): TcpStreamHandlers | null {
    this.#proven(stream)
    return this.#listeners.get(familyOf(stream.remote.ip))?.(stream) ?? null
  }

  // --- packets

  #streamFor(header: UtpHeader, from: PeerAddress): UtpStream | null {
    if (header.type === UTP_TYPE.reset) return this.#table.findForReset(from, header.connectionId)
    // A SYN carries the id of the packets its sender wants to get; those it sends later carry the next one.
    const id = header.type === UTP_TYPE.syn ? seqAdd(header.connectionId, 1) : header.connectionId
    return this.#table.find(from, id)
  }

  #syn(header: UtpHeader, from: PeerAddress): void {
    if (!this.#listeners.has(familyOf(from.ip))) return this.#sendReset(header, from)
    // Too many: no answer. A real peer asks again.
    if (this.#table.size >= this.#maxConnections || !this.#halfOpen.admit(from.ip)) return
    const remote = { ip: from.ip, port: from.port }
    const stream = this.#makeStream(remote, null, seqAdd(header.connectionId, 1), header.connectionId)
    this.#unproven.add(stream)
    this.#table.add(stream)
    this.#arm()
    stream.connection.accept(header, this.now())
  }

  /** Tells a stranger that there is no such connection; it may have outlived ours. */
  #sendReset(header: UtpHeader, to: PeerAddress): void {
    const nowMs = this.now()
    if (nowMs - this.#resetsSinceMs >= 1000) {
      this.#resetsSinceMs = nowMs
      this.#resetsLeft = MAX_RESETS_PER_SECOND
    }
    if (this.#resetsLeft === 0) return
    this.#resetsLeft -= 1
    const reset = encodeUtpPacket({
      type: UTP_TYPE.reset,
      connectionId: header.connectionId,
      timestamp: microsOf(nowMs),
      difference: microsBetween(microsOf(nowMs), header.timestamp),
      window: 0,
      seq: header.ack,
      ack: header.seq,
      extensions: [],
      payload: new Uint8Array(0),
    })
    this.send(reset, to)
  }

  // --- streams

  get #maxConnections(): number {
    return this.#options.maxConnections ?? MAX_CONNECTIONS
  }

  #makeStream(remote: PeerAddress, handlers: TcpStreamHandlers | null, receiveId: number, sendId: number): UtpStream {
    const { maxDatagramBytes } = this.#options
    const options: ConnectionOptions = {
      family: familyOf(remote.ip),
      ...(maxDatagramBytes === undefined ? {} : { maxDatagramBytes }),
      sendId,
      receiveId,
      firstSeq: this.#deps.random.below(0x10000),
      sendPool: this.#sendPool,
      receivePool: this.#receivePool,
    }
    return new UtpStream(this, remote, handlers, options)
  }

  /** Why there can be no connection to an address now, or null. */
  #refusal(to: PeerAddress): string | null {
    if (this.#closed) return 'uTP is closed'
    if (this.#deps.sockets[familyOf(to.ip)] === null) return 'no socket for this family of addresses'
    if (this.#table.size >= this.#maxConnections) return 'too many connections'
    let connecting = 0
    for (const stream of this.#table.all()) if (stream.connection.state === 'syn-sent') connecting += 1
    return connecting >= MAX_CONNECTING ? 'too many connections are being opened' : null
  }

  #freeId(to: PeerAddress): number {
    let id = this.#deps.random.below(0x10000)
    for (let tries = 1; tries < ID_TRIES && this.#table.find(to, id) !== null; tries++)
      id = this.#deps.random.below(0x10000)
    return id
  }

  #proven(stream: UtpStream): void {
    if (this.#unproven.delete(stream)) this.#halfOpen.leave(stream.remote.ip)
  }

  #turnEnd(): void {
    const turn = this.#turn
    this.#turn = []
    const nowMs = this.now()
    for (const stream of turn) {
      stream.queued = false
      stream.turnEnd(nowMs)
      if (stream.gone) this.#remove(stream)
    }
  }

  #remove(stream: UtpStream): void {
    this.#proven(stream)
    this.#table.remove(stream)
  }

  /** One timer for all, while there are any. */
  #arm(): void {
    if (this.#timer !== null || this.#closed) return
    this.#timer = this.#deps.clock.after(this.#waits ? TICK_MS : IDLE_TICK_MS, () => {
      this.#timer = null
      const nowMs = this.now()
      this.#waits = false
      for (const { connection } of this.#table.all()) {
        connection.tick(nowMs)
        if (connection.waits) this.#waits = true
      }
      if (this.#table.size > 0) this.#arm()
    })
  }
}

function familyOf(ip: string): 4 | 6 {
  return ip.includes(':') ? 6 : 4
}
