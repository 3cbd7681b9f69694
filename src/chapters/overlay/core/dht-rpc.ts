// Questions to nodes of the overlay DHT: each ends in an answer of the very node that was asked, or in null after a
// while.

import type { Clock } from '../../../ports/clock.ts'
import {
  connectPeerRequest,
  connectPeerResponse,
  dhtPingRequest,
  dhtPingResponse,
  findRequest,
  findResponse,
  storePeerRequest,
  storePeerResponse,
  storeRequest,
  storeResponse,
} from '../wire/dht-messages.ts'
import type { Shape, ValuesOf } from '../wire/fields.ts'
import type { PacketMessage } from '../wire/message.ts'
import type { DhtNodeRef } from './dht-contact.ts'
import type { Overlay, SignedSender } from './overlay.ts'
import { type RequestKind, requestKind } from './requests.ts'

/** Answers to questions of the DHT, but for finds (section 12). */
const DHT_REQUEST_MS = 5_000
/** Answers to finds (section 12). */
const DHT_FIND_MS = 2_000
/** Questions of a kind that wait. */
const MAX_DHT_ASKED = 256

interface Asked {
  readonly key: string
  readonly sentMs: number
  readonly end: (values: unknown) => void
}

/** A question with its answer. */
interface Method<Q extends Shape, A extends Shape> {
  readonly request: PacketMessage<Q>
  readonly response: PacketMessage<A>
  readonly kind: RequestKind<Asked>
}

function method<Q extends Shape, A extends Shape>(
  request: PacketMessage<Q>,
  response: PacketMessage<A>,
  timeoutMs = DHT_REQUEST_MS,
): Method<Q, A> {
  return { request, response, kind: requestKind(`dht ${request.name}`, { timeoutMs, limit: MAX_DHT_ASKED }) }
}

/** Questions that can be asked. */
export const dhtMethods = {
  ping: method(dhtPingRequest, dhtPingResponse),
  find: method(findRequest, findResponse, DHT_FIND_MS),
  store: method(storeRequest, storeResponse),
  storePeer: method(storePeerRequest, storePeerResponse),
  connectPeer: method(connectPeerRequest, connectPeerResponse),
} as const

/** What it works with. */
export interface DhtRpcDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  answered(node: DhtNodeRef, rttMs: number): void
  silent(node: DhtNodeRef): void
}

/** The waiting questions. */
export class DhtRpc {
  readonly #deps: DhtRpcDeps
  readonly #waiting = new Set<(values: null) => void>()
  #closed = false

  constructor(deps: DhtRpcDeps) {
    this.#deps = deps
    this.#listen(dhtMethods.ping)
    this.#listen(dhtMethods.find)
    this.#listen(dhtMethods.store)
    this.#listen(dhtMethods.storePeer)
    this.#listen(dhtMethods.connectPeer)
  }

  /**
   * Asks; null when no answer came, too many wait, or all is closed. Never rejects. `values` without the identifier.
   */
  ask<Q extends Shape, A extends Shape>(
    { request, kind }: Method<Q, A>,
    node: DhtNodeRef,
    values: Omit<ValuesOf<Q>, 'identifier'>,
  ): Promise<ValuesOf<A> | null> {
    const { overlay, clock, silent } = this.#deps
    return new Promise(resolve => {
      const end = (answer: unknown): void => {
        this.#waiting.delete(end)
        resolve(answer as ValuesOf<A> | null)
      }
      const state = { key: keyOf(node.publicKey), sentMs: clock.now(), end }
      const identifier = this.#closed
        ? null
        : overlay.requests.open(kind, state, () => {
            silent(node)
            end(null)
          })
      if (identifier === null) return resolve(null)
      this.#waiting.add(end)
      overlay.send(request, { ...values, identifier } as unknown as ValuesOf<Q>, node.address)
    })
  }

  /** Ends all questions with null. */
  close(): void {
    this.#closed = true
    for (const end of [...this.#waiting]) end(null)
  }

  #listen<Q extends Shape, A extends Shape>({ response, kind }: Method<Q, A>): void {
    const { overlay, clock, answered } = this.#deps
    overlay.onSigned(response, (values, from: SignedSender) => {
      const identifier = (values as { readonly identifier?: unknown }).identifier as number
      const asked = overlay.requests.peek(kind, identifier)
      if (asked === undefined || asked.key !== keyOf(from.publicKey)) return overlay.countDropped()
      overlay.requests.take(kind, identifier)
      answered({ publicKey: from.publicKey, address: from.address }, clock.now() - asked.sentMs)
      asked.end(values)
    })
  }
}

function keyOf(publicKey: Uint8Array): string {
  return Buffer.from(publicKey).toString('latin1')
}
