// The discovery overlay (protocol section 5): peers tell each other in which overlays they are, and ping each other.
// A peer in an overlay that we have too is a peer there at once.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import {
  discoveryPing,
  discoveryPong,
  idsOf,
  similarityRequest,
  similarityResponse,
} from '../wire/discovery-messages.ts'
import { introductionRequest, oldDiscoveryRequest } from '../wire/introduction-messages.ts'
import { decodePayload } from '../wire/message.ts'
import type { AnyRequest, Introductions } from './introductions.ts'
import type { Overlay, SignedSender } from './overlay.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Peer } from './peer.ts'
import type { PeerBook } from './peer-book.ts'
import { requestKind } from './requests.ts'

/** A ping of the discovery overlay is answered within this (section 12). */
const DISCOVERY_PING_MS = 5_000
/** Overlays of a peer that we look at, and of ours that we send. */
const MAX_COMMUNITY_IDS = 64

/** What it works with. */
export interface DiscoveryDeps {
  readonly overlay: Overlay
  readonly introductions: Introductions
  readonly book: PeerBook
  readonly own: OwnAddresses
  readonly clock: Clock
  /** Ids (20 bytes) of all overlays we are in. */
  communityIds(): readonly Uint8Array[]
  /** Takes a peer into another overlay of ours, if that has room; `overlay` in hex. */
  found(peer: Peer, overlay: string): void
}

const SIMILARITY = requestKind<Peer | null>('similarity')
const PING = requestKind<{ readonly peer: Peer; readonly sentMs: number }>('ping', { timeoutMs: DISCOVERY_PING_MS })
/** The old form of a request names the wanted peer, after this letter, behind the global time. */
const OLD_FORM_AT = 8
const OLD_FORM = 0x59
/** Shorter than this a request has no room for a name. */
const OLD_FORM_BYTES = 50

/**
 * The discovery overlay (protocol section 5): peers tell each other in which overlays they are, and ping each other.
 */
export class Discovery {
  readonly #deps: DiscoveryDeps

  constructor(deps: DiscoveryDeps) {
    this.#deps = deps
    const { overlay, introductions } = deps
    overlay.onSigned(similarityRequest, (request, from) => this.#asked(request, from))
    overlay.onSigned(similarityResponse, (response, from) => this.#answered(response, from))
    overlay.onPlain(discoveryPing, ({ identifier }, from) => this.#pong(identifier, from))
    overlay.onPlain(discoveryPong, ({ identifier }, from) => this.#ponged(identifier, from))
    introductions.onAnswered((_address, peer) => {
      if (peer !== null) this.#ask(peer)
    })
  }

  /** Asks a peer by chance; called once a second. */
  step(): void {
    const peer = this.#deps.overlay.randomPeer()
    if (peer !== null) this.#ask(peer)
  }

  /** Pings a peer of this overlay; its round-trip time is noted. */
  ping(peer: Peer): void {
    const { overlay, clock } = this.#deps
    const identifier = overlay.requests.open(PING, { peer, sentMs: clock.now() })
    if (identifier === null) return
    overlay.send(discoveryPing, { globalTime: BigInt(overlay.nextGlobalTime()), identifier }, peer)
  }

  #ask(peer: Peer): void {
    const { overlay, own } = this.#deps
    const identifier = overlay.requests.open(SIMILARITY, peer)
    if (identifier === null) return
    overlay.send(
      similarityRequest,
      {
        globalTime: BigInt(overlay.nextGlobalTime()),
        identifier,
        lan: own.lanFor(peer.address),
        wan: own.wanFor(peer.address),
        flags: 0,
        ids: Buffer.concat(this.#ids()),
      },
      peer,
    )
  }

  #asked({ identifier, ids }: { readonly identifier: number; readonly ids: Uint8Array }, from: SignedSender): void {
    const { overlay } = this.#deps
    if (ids.length % 20 !== 0) return overlay.countDropped()
    this.#isIn(from, idsOf(ids))
    overlay.send(
      similarityResponse,
      {
        globalTime: BigInt(overlay.nextGlobalTime()),
        identifier,
        ids: this.#ids(),
        overlap: new Uint8Array(0),
      },
      from.address,
    )
  }

  #answered(response: { readonly identifier: number; readonly ids: readonly Uint8Array[] }, from: SignedSender): void {
    const { overlay } = this.#deps
    if (overlay.requests.take(SIMILARITY, response.identifier) === undefined) return overlay.countDropped()
    this.#isIn(from, response.ids)
  }

  /** The sender is in these overlays. */
  #isIn(from: SignedSender, ids: readonly Uint8Array[]): void {
    const { overlay, found } = this.#deps
    const peer = from.peer ?? overlay.addPeer(from.publicKey, from.address)
    if (peer === null) return
    for (const id of ids.slice(0, MAX_COMMUNITY_IDS)) found(peer, Buffer.from(id).toString('hex'))
  }

  #ids(): readonly Uint8Array[] {
    return this.#deps.communityIds().slice(0, MAX_COMMUNITY_IDS)
  }

  #pong(identifier: number, from: PeerAddress): void {
    const { overlay } = this.#deps
    overlay.send(discoveryPong, { globalTime: BigInt(overlay.nextGlobalTime()), identifier }, from)
  }

  #ponged(identifier: number, from: PeerAddress): void {
    const { overlay, book, clock } = this.#deps
    const waiting = overlay.requests.peek(PING, identifier)
    if (waiting === undefined || book.at(from) !== waiting.peer) return overlay.countDropped()
    overlay.requests.take(PING, identifier)
    book.note(waiting.peer, { rttMs: clock.now() - waiting.sentMs })
  }
}

/**
 * Reads a request of the discovery overlay, which may have the old form that names the peer to be introduced to.
 * DecodeError.
 */
export function decodeDiscoveryRequest(payload: Uint8Array): AnyRequest & { readonly wanted: Uint8Array | null } {
  if (payload.length < OLD_FORM_BYTES || payload[OLD_FORM_AT] !== OLD_FORM)
    return { ...decodePayload(introductionRequest, payload), wanted: null }
  const request = decodePayload(oldDiscoveryRequest, payload)
  return { ...request, wanted: request.wanted.subarray(1) }
}
