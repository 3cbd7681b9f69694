// Answers to the questions of other nodes of the overlay DHT. The asker is a node too, and comes into the table; one
// that asks too often is not answered; one that stores must have asked from the same address before.

import { sameBytes } from '../../../base/same-bytes.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OverlayAddress } from '../wire/address.ts'
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
import { decodeValue, MOST_VALUE_BYTES } from '../wire/dht-value.ts'
import type { PayloadOf } from '../wire/message.ts'
import { midOf } from '../wire/public-key.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import type { DhtNodeRef } from './dht-contact.ts'
import type { DhtStoredPeers } from './dht-stored-peers.ts'
import type { DhtTable } from './dht-table.ts'
import type { DhtTokens } from './dht-tokens.ts'
import type { DhtValues } from './dht-values.ts'
import type { SignatureCheck } from './identity.ts'
import { DHT_BUCKET, MAX_CHECKED_ADDRESSES } from './limits.ts'
import type { Overlay, SignedSender } from './overlay.ts'
import type { Punctures } from './punctures.ts'

/**
 * Questions of one node that are answered: so many saved up, and one more each so many milliseconds (section 12: 10 in
 * 5 s).
 */
const DHT_QUERIES = { burst: 10, refillMs: 500 } as const
/** A value is kept so long (section 12). */
const DHT_VALUE_AGE_MS = 3_600_000

/** What answers are made of. */
export interface DhtAnswersDeps {
  readonly overlay: Overlay
  readonly punctures: Punctures
  readonly clock: Clock
  readonly check: SignatureCheck
  readonly table: DhtTable
  readonly tokens: DhtTokens
  readonly values: DhtValues
  readonly stored: DhtStoredPeers
  /** A node asked us. */
  queried(node: DhtNodeRef, member: string): void
}

interface Asker extends DhtNodeRef {
  readonly member: string
  readonly mid: Uint8Array
}

/** Answers to the questions of other nodes of the overlay DHT. */
export class DhtAnswers {
  readonly #deps: DhtAnswersDeps
  readonly #allowances = new KeyedRateLimiter(DHT_QUERIES, MAX_CHECKED_ADDRESSES)

  constructor(deps: DhtAnswersDeps) {
    this.#deps = deps
  }

  /** Answers from here on. */
  listen(): void {
    const { overlay } = this.#deps
    overlay.onSigned(dhtPingRequest, (request, from) => this.#pinged(request, from))
    overlay.onSigned(findRequest, (request, from) => this.#find(request, from))
    overlay.onSigned(storeRequest, (request, from) => this.#store(request, from))
    overlay.onSigned(storePeerRequest, (request, from) => this.#storePeer(request, from))
    overlay.onSigned(connectPeerRequest, (request, from) => this.#connectPeer(request, from))
  }

  /** The asker, if it is answered. */
  #asker({ publicKey, address }: SignedSender): Asker | null {
    const { overlay, clock, queried } = this.#deps
    const mid = midOf(publicKey)
    const member = Buffer.from(mid).toString('hex')
    if (!this.#allowances.take(member, clock.now())) {
      overlay.countDropped()
      return null
    }
    queried({ publicKey, address }, member)
    return { publicKey, address, mid, member }
  }

  #pinged({ identifier }: PayloadOf<typeof dhtPingRequest>, from: SignedSender): void {
    const asker = this.#asker(from)
    if (asker === null) return
    this.#deps.stored.heard(asker.member)
    this.#deps.overlay.send(dhtPingResponse, { identifier }, from.address)
  }

  #find({ identifier, lan, target, offset, forceNodes }: PayloadOf<typeof findRequest>, from: SignedSender): void {
    const { overlay, tokens, clock, table, values: kept } = this.#deps
    const asker = this.#asker(from)
    if (asker === null) return
    const values = forceNodes ? [] : kept.get(target, offset, DHT_BUCKET)
    const nodes = values.length > 0 ? [] : table.nearest(target, DHT_BUCKET, asker.member)
    const [first] = nodes
    if (first !== undefined) this.#havePunctured(first, lan, from, identifier)
    const token = tokens.issue(asker, clock.now())
    overlay.send(findResponse, { identifier, token, values, nodes: nodes.map(refOf) }, from.address)
  }

  #store({ identifier, token, target, values }: PayloadOf<typeof storeRequest>, from: SignedSender): void {
    const { overlay, tokens, clock, table, values: kept } = this.#deps
    const asker = this.#asker(from)
    if (asker === null) return
    if (values.length > DHT_BUCKET || !tokens.accepts(token, asker, clock.now())) return overlay.countDropped()
    const ageMs = DHT_VALUE_AGE_MS / 2 ** Math.max(0, table.nearerThanOwn(target) - DHT_BUCKET + 1)
    for (const bytes of values) {
      const value = this.#checked(bytes)
      if (value === null) return overlay.countDropped()
      kept.put(target, value, bytes, ageMs, table.own)
    }
    overlay.send(storeResponse, { identifier }, from.address)
  }

  /** A value that is what it says; null for one that is not. */
  #checked(bytes: Uint8Array): ReturnType<typeof decodeValue> | null {
    if (bytes.length > MOST_VALUE_BYTES) return null
    try {
      const value = decodeValue(bytes)
      if (value.kind === 'unsigned') return value
      return this.#deps.check.verify(value.key, value.signedPart, value.signature) ? value : null
    } catch (error) {
      if (error instanceof DecodeError) return null
      throw error
    }
  }

  #storePeer({ identifier, token, target }: PayloadOf<typeof storePeerRequest>, from: SignedSender): void {
    const { overlay, tokens, clock, stored } = this.#deps
    const asker = this.#asker(from)
    if (asker === null) return
    const fine =
      sameBytes(asker.mid, target) &&
      tokens.accepts(token, asker, clock.now()) &&
      stored.put(asker.member, asker.publicKey, asker.address)
    if (!fine) return overlay.countDropped()
    overlay.send(storePeerResponse, { identifier }, from.address)
  }

  #connectPeer({ identifier, lan, target }: PayloadOf<typeof connectPeerRequest>, from: SignedSender): void {
    const { overlay, stored } = this.#deps
    const asker = this.#asker(from)
    if (asker === null) return
    const peer = stored.get(Buffer.from(target).toString('hex'))
    if (peer !== null) this.#havePunctured(peer, lan, from, identifier)
    overlay.send(connectPeerResponse, { identifier, nodes: peer === null ? [] : [refOf(peer)] }, from.address)
  }

  /** Has a node send a packet to the asker, so that it can be reached from there. */
  #havePunctured(node: DhtNodeRef, lan: OverlayAddress, from: SignedSender, identifier: number): void {
    this.#deps.punctures.request(node, { lan, wan: from.address }, identifier & 0xffff)
  }
}

function refOf({ address, publicKey }: DhtNodeRef): {
  readonly address: OverlayAddress
  readonly publicKey: Uint8Array
} {
  return { address, publicKey }
}
