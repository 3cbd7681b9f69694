// Queries that wait for their answers (KRPC, BEP 5). An answer counts only when it comes from the address that was
// asked and carries the transaction id, four bytes of chance; everything else is dropped. No retries: lookups ask
// others instead. Time-outs follow the round-trip times of the network. Invariant: every query ends in exactly one
// reply() or failed().

import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { encodeKrpc } from '../wire/dht/krpc.ts'
import type { DhtQuery, DhtReply, KrpcMessage } from '../wire/dht/krpc-types.ts'
import { RttEstimate } from './rtt-estimate.ts'

/** Most queries that wait at once. */
export const MAX_WAITING = 512
const TRANSACTION_ID_BYTES = 4

/** Why a query has no reply: silence, an error message (with its code), or nothing was sent. */
export type RpcFailure =
  | { readonly reason: 'timeout' | 'closed' | 'busy' }
  | { readonly reason: 'error'; readonly code: number; readonly message: string }

/** Where the end of one query goes. */
export interface RpcHandlers {
  reply(reply: DhtReply): void
  failed(failure: RpcFailure): void
  /** It takes longer than usual. */
  slow?(): void
}

/** What every datagram says about us. */
export interface RpcIdentity {
  readonly id: Uint8Array
  readonly readOnly: boolean
  readonly version: Uint8Array | null
}

/** What a family learns from all queries. */
export interface RpcObserver {
  asked(address: PeerAddress): void
  replied(reply: DhtReply, from: PeerAddress, rttMs: number, seenAs: PeerAddress | null): void
  silent(address: PeerAddress): void
}

/** What queries go through. */
export interface RpcDeps {
  readonly clock: Clock
  readonly random: Random
  send(bytes: Uint8Array, to: PeerAddress): void
  identity(): RpcIdentity
  readonly observer: RpcObserver
}

interface Waiting {
  readonly to: PeerAddress
  readonly toKey: string
  readonly sentMs: number
  readonly handlers: RpcHandlers
  readonly slowTimer: Timer
  readonly endTimer: Timer
}

/** A query that was sent. */
export interface RpcCall {
  /** Gives it up: neither reply nor failed will be called. */
  cancel(): void
}

/** The waiting queries of one family. */
export class Rpc {
  readonly #deps: RpcDeps
  readonly #rtt = new RttEstimate()
  readonly #waiting = new Map<string, Waiting>()
  #closed = false
  #strays = 0

  constructor(deps: RpcDeps) {
    this.#deps = deps
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Answers to no query of ours, or from another address. */
  get strays(): number {
    return this.#strays
  }

  /** Sends `query`. When nothing can be sent, failed() is called in the next turn of the clock. */
  ask(to: PeerAddress, query: DhtQuery, handlers: RpcHandlers): RpcCall {
    const { clock } = this.#deps
    if (this.#closed || this.#waiting.size >= MAX_WAITING) {
      const reason = this.#closed ? 'closed' : 'busy'
      return clock.after(0, () => handlers.failed({ reason }))
    }
    const transactionId = this.#freshId()
    const key = hex(transactionId)
    this.#waiting.set(key, {
      to,
      toKey: addressKey(to),
      sentMs: clock.now(),
      handlers,
      slowTimer: clock.after(this.#rtt.slowMs, () => handlers.slow?.()),
      endTimer: clock.after(this.#rtt.timeoutMs, () => this.#timedOut(key)),
    })
    this.#deps.observer.asked(to)
    const message: KrpcMessage = { kind: 'query', transactionId, ...this.#deps.identity(), query }
    this.#deps.send(encodeKrpc(message), to)
    return { cancel: () => void this.#take(key) }
  }

  /** A reply or an error came from `from`; true when a query waited for it. */
  receive(message: Exclude<KrpcMessage, { kind: 'query' }>, from: PeerAddress): boolean {
    const key = hex(message.transactionId)
    const waiting = this.#waiting.get(key)
    if (waiting === undefined || waiting.toKey !== addressKey(from)) {
      this.#strays++
      return false
    }
    this.#take(key)
    const rttMs = this.#deps.clock.now() - waiting.sentMs
    this.#rtt.add(rttMs)
    if (message.kind === 'error') {
      waiting.handlers.failed({ reason: 'error', code: message.code, message: message.message })
      return true
    }
    this.#deps.observer.replied(message.reply, from, rttMs, message.seenAs)
    waiting.handlers.reply(message.reply)
    return true
  }

  /** Fails all that waits; nothing is sent any more. */
  close(): void {
    this.#closed = true
    for (const key of [...this.#waiting.keys()]) this.#take(key)?.handlers.failed({ reason: 'closed' })
  }

  #timedOut(key: string): void {
    const waiting = this.#take(key)
    if (waiting === null) return
    this.#deps.observer.silent(waiting.to)
    waiting.handlers.failed({ reason: 'timeout' })
  }

  #take(key: string): Waiting | null {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return null
    this.#waiting.delete(key)
    waiting.slowTimer.cancel()
    waiting.endTimer.cancel()
    return waiting
  }

  #freshId(): Uint8Array {
    for (;;) {
      const id = this.#deps.random.bytes(TRANSACTION_ID_BYTES)
      if (!this.#waiting.has(hex(id))) return id
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
