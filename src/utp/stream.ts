// A connection as the engine sees it: a TcpStream with handlers. Its callbacks about writes, the empty buffer and the
// end come at the end of a turn of the loop, never from inside a call; payload comes while its packet is read.
// Invariant: `close` comes once, last, and after every `sent`.

import type { PeerAddress } from '../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../ports/tcp.ts'
import { Connection, type ConnectionOptions, type ConnectionPort } from './connection.ts'

/** Bytes waiting above which write() asks to wait for drain. */
export const HIGH_WATER_BYTES = 256 * 1024

/** What a stream needs of the socket it shares with others. */
export interface StreamHost {
  now(): number
  /** Sends a datagram. */
  send(bytes: Uint8Array, to: PeerAddress): void
  /** Asks for turnEnd() once this turn of the loop is over. The flag `queued` belongs to the host. */
  later(stream: UtpStream): void
  /** The other side of an incoming stream has proven its address: the handlers that take the stream, null = refused. */
  accepted(stream: UtpStream): TcpStreamHandlers | null
}

/** A connection as a stream of bytes, as TCP streams are. */
export class UtpStream implements TcpStream, ConnectionPort {
  readonly remote: PeerAddress
  readonly utp = true
  readonly incoming: boolean
  readonly connection: Connection
  /** For the host. */
  queued = false
  readonly #host: StreamHost
  #handlers: TcpStreamHandlers | null
  /** Callbacks of writes that came after the end. */
  #late: (() => void)[] = []
  #ended: { readonly error: Error | null } | null = null
  #full = false

  /** `handlers`: null for an incoming stream, which gets its own once its address is proven. */
  constructor(host: StreamHost, remote: PeerAddress, handlers: TcpStreamHandlers | null, options: ConnectionOptions) {
    this.#host = host
    this.remote = remote
    this.#handlers = handlers
    this.incoming = handlers === null
    this.connection = new Connection(options, this)
  }

  /** True when nothing is left to do: the connection is closed and the handlers know. */
  get gone(): boolean {
    return this.connection.state === 'closed' && this.#ended !== null && this.#handlers === null && !this.queued
  }

  get bufferedBytes(): number {
    return this.connection.queuedBytes
  }

  // --- TcpStream

  write(bytes: Uint8Array, sent?: () => void): boolean {
    if (this.#ended !== null) {
      if (sent !== undefined) this.#late.push(sent)
      this.#host.later(this)
      return true
    }
    this.connection.write(bytes, sent, this.#host.now())
    if (this.bufferedBytes > HIGH_WATER_BYTES) this.#full = true
    return !this.#full
  }

  /** Does nothing: what is not a full packet waits for the end of the turn anyway. */
  cork(): void {}

  /** Does nothing, see cork(). */
  uncork(): void {}

  pause(): void {
    this.connection.pause(true)
  }

  resume(): void {
    this.connection.pause(false)
  }

  destroy(): void {
    this.connection.close(this.#host.now())
  }

  reset(): void {
    this.connection.abort(this.#host.now())
  }

  /** Ends without a word to the other side (the socket is going). */
  fail(error: Error): void {
    this.ended(error)
    this.connection.abort(this.#host.now())
  }

  // --- ConnectionPort

  transmit(bytes: Uint8Array): void {
    this.#host.send(bytes, this.remote)
  }

  atTurnEnd(): void {
    this.#host.later(this)
  }

  opened(): void {
    if (!this.incoming) return this.#handlers?.open?.()
    this.#handlers = this.#host.accepted(this)
    if (this.#handlers === null) this.connection.abort(this.#host.now())
  }

  read(chunk: Uint8Array): void {
    this.#handlers?.data(chunk)
  }

  ended(error: Error | null): void {
    this.#ended ??= { error }
    this.#host.later(this)
  }

  // --- the host

  /** The turn is over: moves the connection on, then tells the user what happened. */
  turnEnd(nowMs: number): void {
    this.connection.turnEnd(nowMs)
    for (const sent of this.connection.takeSent()) sent()
    for (const sent of this.#late.splice(0)) sent()
    if (this.#ended !== null) this.#tellEnd(this.#ended.error)
    else if (this.#full && this.bufferedBytes === 0) {
      this.#full = false
      this.#handlers?.drain()
    }
  }

  #tellEnd(error: Error | null): void {
    const handlers = this.#handlers
    this.#handlers = null
    handlers?.close(error)
  }
}
