// Punctures of one overlay (protocol section 4): the peer that introduces two others has one of them send the other a
// packet, so that the NAT before it lets the other in. Invariant: no stranger can make us send anything.

import { Allowance } from '../../../base/allowance.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import { isNoAddress, NO_ADDRESS, type OverlayAddress } from '../wire/address.ts'
import { newPuncture, newPunctureRequest, puncture, punctureRequest } from '../wire/introduction-messages.ts'
import type { PayloadOf } from '../wire/message.ts'
import type { Overlay } from './overlay.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { PeerBook } from './peer-book.ts'
import { canBeNode, mayTell } from './reachable.ts'

/** Punctures that others have us send: saved up, and one more each so many milliseconds. */
const PUNCTURES = { burst: 30, refillMs: 50 } as const

/** What they work with. */
export interface PuncturesDeps {
  readonly overlay: Overlay
  readonly book: PeerBook
  readonly own: OwnAddresses
  readonly clock: Clock
  /** Addresses that are never peers: bootstrap servers. */
  isServer(address: PeerAddress): boolean
}

/**
 * Punctures of one overlay (protocol section 4): the peer that introduces two others has one of them send the other a
 * packet, so that the NAT before it lets the other in.
 */
export class Punctures {
  readonly #deps: PuncturesDeps
  readonly #allowance = new Allowance(PUNCTURES.burst, PUNCTURES.refillMs)
  #alsoKnown: (address: PeerAddress) => boolean = () => false

  constructor(deps: PuncturesDeps) {
    this.#deps = deps
    const { overlay } = deps
    overlay.onPlain(punctureRequest, (request, from) => this.#asked(request, from, false))
    overlay.onPlain(newPunctureRequest, (request, from) => this.#asked(request, from, true))
    // A puncture has done its work by coming; that it came is what counts.
    overlay.onSigned(puncture, () => undefined, { oldKeys: true })
    overlay.onSigned(newPuncture, () => undefined)
  }

  /** Others than peers may have us send punctures: nodes of the DHT. */
  alsoFor(isKnown: (address: PeerAddress) => boolean): void {
    this.#alsoKnown = isKnown
  }

  /** Asks `other` to send something to a walker. */
  request(
    other: { readonly address: PeerAddress },
    walker: { readonly lan: OverlayAddress; readonly wan: OverlayAddress },
    identifier: number,
  ): void {
    const { overlay } = this.#deps
    const walkerLan = walker.lan.ip.includes(':') ? NO_ADDRESS : walker.lan
    const globalTime = BigInt(overlay.nextGlobalTime())
    overlay.send(punctureRequest, { globalTime, walkerLan, walkerWan: walker.wan, identifier }, other.address)
  }

  #asked(
    request: Pick<PayloadOf<typeof newPunctureRequest>, 'walkerLan' | 'walkerWan' | 'identifier'>,
    from: PeerAddress,
    newStyle: boolean,
  ): void {
    const { overlay, own, book, clock, isServer } = this.#deps
    const { walkerLan, walkerWan, identifier } = request
    const neighbour = walkerWan.ip === own.wanFor(from).ip
    const to = neighbour && !isNoAddress(walkerLan) ? walkerLan : walkerWan
    // Only known peers have a reason to ask: no other can have a signed answer sent to an address it chooses.
    const fine =
      (book.at(from) !== null || isServer(from) || this.#alsoKnown(from)) &&
      (neighbour ? canBeNode(to) : mayTell(from, to)) &&
      !own.isOurPort(to) &&
      this.#allowance.take(clock.now())
    if (!fine) return overlay.countDropped()
    const globalTime = BigInt(overlay.nextGlobalTime())
    const values = { globalTime, sourceLan: own.lanFor(to), sourceWan: own.wanFor(to), identifier }
    if (newStyle) overlay.send(newPuncture, values, to)
    else overlay.send(puncture, values, to)
  }
}
