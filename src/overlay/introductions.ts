// Introductions of one overlay (protocol section 4): who asks us becomes a peer and is told of another one, who is asked to send him
// something first, so that NATs let him in (puncture). We ask in the old style and answer in the style we are asked in.

import { Allowance } from '../base/allowance.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import { sameBytes } from '../wire/dht-id.ts'
import { isNoAddress, NO_ADDRESS, type OverlayAddress } from '../wire/overlay/address.ts'
import {
  introductionRequest,
  introductionResponse,
  newIntroductionRequest,
  newIntroductionResponse,
  newPuncture,
  newPunctureRequest,
  puncture,
  punctureRequest,
  REQUEST_FLAG,
  RESPONSE_FLAG,
} from '../wire/overlay/introduction-messages.ts'
import { decodePayload, type PayloadOf } from '../wire/overlay/message.ts'
import type { PeerIntroductions } from './introduced.ts'
import { MAX_INTRODUCTIONS_ASKED, MAX_PEERS, PUNCTURES } from './limits.ts'
import type { Overlay, SignedSender } from './overlay.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Peer } from './peer.ts'
import type { PeerBook } from './peer-book.ts'
import { canBeNode, mayTell } from './reachable.ts'
import { requestKind } from './requests.ts'
import type { Walkable } from './walkable.ts'

/** A request as both styles have it. */
export type AnyRequest = Pick<
  PayloadOf<typeof introductionRequest>,
  'globalTime' | 'destination' | 'sourceLan' | 'sourceWan' | 'identifier' | 'extra'
>

type AnyResponse = Pick<
  PayloadOf<typeof introductionResponse>,
  'destination' | 'sourceLan' | 'introducedLan' | 'introducedWan' | 'identifier' | 'extra'
>

/** What introductions work with. */
export interface IntroductionsDeps {
  readonly overlay: Overlay
  readonly book: PeerBook
  readonly own: OwnAddresses
  readonly walkable: Walkable
  readonly clock: Clock
  /** Addresses that are never peers: bootstrap servers. */
  isServer(address: PeerAddress): boolean
}

/** Limits of one overlay. */
export interface IntroductionsOptions {
  /** Requests of strangers are dropped above this; below 0: never. */
  readonly maxPeers?: number
  /** Reads a request that may have another form; `wanted`: mid of whom the asker wants to meet. Throws DecodeError. */
  readonly decodeRequest?: (payload: Uint8Array) => AnyRequest & { readonly wanted: Uint8Array | null }
}

interface Asked {
  readonly to: PeerAddress
  readonly sentMs: number
}

const INTRODUCTION = requestKind<Asked>('introduction', { limit: MAX_INTRODUCTIONS_ASKED })
const noExtra = (): Uint8Array => new Uint8Array(0)
const INTRODUCED_NEW_STYLE = 0x80

/** See the top of the file. */
export class Introductions implements PeerIntroductions {
  readonly #deps: IntroductionsDeps
  readonly #maxPeers: number
  readonly #extraWatches = new Set<(peer: Peer, extra: Uint8Array) => void>()
  readonly #answeredWatches = new Set<(address: PeerAddress, peer: Peer | null) => void>()
  readonly #told = new WeakSet<Peer>()
  readonly #punctures = new Allowance(PUNCTURES.burst, PUNCTURES.refillMs)
  #extra: () => Uint8Array = noExtra
  #alsoKnown: (address: PeerAddress) => boolean = () => false
  #asked = 0
  #answered = 0

  constructor(options: IntroductionsOptions, deps: IntroductionsDeps) {
    this.#deps = deps
    this.#maxPeers = options.maxPeers ?? MAX_PEERS
    this.#listen(
      options.decodeRequest ?? (payload => ({ ...decodePayload(introductionRequest, payload), wanted: null })),
    )
  }

  get lan(): PeerAddress {
    return this.#deps.own.lanFor(NO_ADDRESS)
  }

  get wan(): PeerAddress {
    return this.#deps.own.wan ?? NO_ADDRESS
  }

  /** Requests sent, and responses that came to them. */
  get counts(): { readonly asked: number; readonly answered: number } {
    return { asked: this.#asked, answered: this.#answered }
  }

  setExtra(make: () => Uint8Array): void {
    this.#extra = make
  }

  onExtra(run: (peer: Peer, extra: Uint8Array) => void): () => void {
    this.#extraWatches.add(run)
    return () => this.#extraWatches.delete(run)
  }

  /** Others than peers may have us send punctures: nodes of the DHT. */
  alsoPunctureFor(isKnown: (address: PeerAddress) => boolean): void {
    this.#alsoKnown = isKnown
  }

  /** Calls when an address answered; `peer` is null for servers. Answers what ends the calls. */
  onAnswered(run: (address: PeerAddress, peer: Peer | null) => void): () => void {
    this.#answeredWatches.add(run)
    return () => this.#answeredWatches.delete(run)
  }

  ask(address: PeerAddress): void {
    const { overlay, own, clock } = this.#deps
    if (!canBeNode(address) || own.isOurPort(address)) return
    const globalTime = overlay.nextGlobalTime()
    const identifier = globalTime % 0x1_0000
    const state = { to: { ip: address.ip, port: address.port }, sentMs: clock.now() }
    if (overlay.requests.open(INTRODUCTION, state, undefined, identifier) === null) return
    this.#asked++
    overlay.send(
      introductionRequest,
      {
        globalTime: BigInt(globalTime),
        destination: address,
        sourceLan: own.lanFor(address),
        sourceWan: own.wanFor(address),
        flags: REQUEST_FLAG.advice,
        identifier,
        extra: this.#extra(),
      },
      address,
    )
  }

  askPeer(peer: Peer): void {
    this.ask(peer.address)
  }

  /** Somebody set extra bytes. */
  get hasExtra(): boolean {
    return this.#extra !== noExtra
  }

  /** The peer has sent a request or a response here, and with it its extra bytes. */
  hasToldExtra(peer: Peer): boolean {
    return this.#told.has(peer)
  }

  #requested(request: AnyRequest, from: SignedSender, wanted: Uint8Array | null, newStyle: boolean): void {
    const { overlay } = this.#deps
    const full = this.#maxPeers >= 0 && overlay.peers().length > this.#maxPeers
    if (full && from.peer === null) return overlay.countDropped()
    const peer = this.#verified(from, request.sourceLan)
    const other = this.#whomToIntroduce(peer, from.address, wanted)
    this.#respond(request, from.address, other, newStyle)
    if (other !== null) this.#havePunctured(other, request, from.address)
    if (peer !== null) this.#tellExtra(peer, request.extra)
  }

  /** Has `other` send something to `walker`, so that he can reach it; `lan` is what the walker claims. */
  #havePunctured(other: Peer, { sourceLan, identifier }: AnyRequest, walker: PeerAddress): void {
    this.requestPuncture(other, { lan: sourceLan, wan: walker }, identifier)
  }

  /** Asks `other` to send something to a walker. */
  requestPuncture(
    other: { readonly address: PeerAddress },
    walker: { readonly lan: OverlayAddress; readonly wan: OverlayAddress },
    identifier: number,
  ): void {
    const { overlay } = this.#deps
    const walkerLan = walker.lan.ip.includes(':') ? NO_ADDRESS : walker.lan
    const globalTime = BigInt(overlay.nextGlobalTime())
    overlay.send(punctureRequest, { globalTime, walkerLan, walkerWan: walker.wan, identifier }, other.address)
  }

  #listen(decode: NonNullable<IntroductionsOptions['decodeRequest']>): void {
    const { overlay } = this.#deps
    const request = { oldKeys: true, decode }
    overlay.onSigned(introductionRequest, (asked, from) => this.#requested(asked, from, asked.wanted, false), request)
    overlay.onSigned(newIntroductionRequest, (asked, from) => this.#requested(asked, from, null, true))
    overlay.onSigned(introductionResponse, (response, from) => this.#responded(response, from), { oldKeys: true })
    overlay.onSigned(newIntroductionResponse, (response, from) => this.#responded(response, from))
    overlay.onPlain(punctureRequest, (request, from) => this.#punctureAsked(request, from, false))
    overlay.onPlain(newPunctureRequest, (request, from) => this.#punctureAsked(request, from, true))
    // A puncture has done its work by coming; that it came is what counts.
    overlay.onSigned(puncture, () => undefined, { oldKeys: true })
    overlay.onSigned(newPuncture, () => undefined)
  }

  /** The sender as peer of this overlay; null for servers, for ourselves, and where there is no room. */
  #verified(from: SignedSender, lan: OverlayAddress): Peer | null {
    const { overlay, book, isServer } = this.#deps
    if (from.key.curve !== 'curve25519' || isServer(from.address)) return null
    const peer = overlay.addPeer(from.publicKey, from.address)
    if (peer !== null) book.note(peer, { lanAddress: canBeNode(lan) ? lan : null })
    return peer
  }

  #whomToIntroduce(peer: Peer | null, to: PeerAddress, wanted: Uint8Array | null): Peer | null {
    const { overlay } = this.#deps
    const isOther = (other: Peer): boolean =>
      other !== peer && !(other.address.ip === to.ip && other.address.port === to.port)
    const named = wanted === null ? undefined : overlay.peers().find(other => sameBytes(other.mid, wanted))
    return named !== undefined && isOther(named) ? named : overlay.randomPeer(isOther)
  }

  #respond(request: AnyRequest, to: PeerAddress, other: Peer | null, newStyle: boolean): void {
    const { overlay, own } = this.#deps
    const { lan, wan } = this.#addressesOf(other, to)
    const values = {
      globalTime: BigInt(overlay.nextGlobalTime()),
      destination: to,
      sourceLan: own.lanFor(to),
      sourceWan: own.wanFor(to),
      introducedLan: lan,
      introducedWan: wan,
      identifier: request.identifier,
      extra: this.#extra(),
    }
    const introducedNew = other?.newStyle === true
    if (newStyle)
      overlay.send(newIntroductionResponse, { ...values, flags: introducedNew ? INTRODUCED_NEW_STYLE : 0 }, to)
    else
      overlay.send(introductionResponse, { ...values, flags: introducedNew ? RESPONSE_FLAG.introducedNewStyle : 0 }, to)
  }

  /** How the introduced peer can be reached by others (section 4.2). */
  #addressesOf(other: Peer | null, to: PeerAddress): { readonly lan: OverlayAddress; readonly wan: OverlayAddress } {
    const { own } = this.#deps
    if (other === null) return { lan: NO_ADDRESS, wan: NO_ADDRESS }
    const { address } = other
    if (!own.isOurs(address.ip)) return { lan: other.lanAddress ?? NO_ADDRESS, wan: address }
    const outside = own.wanFor(to)
    return { lan: address, wan: isNoAddress(outside) ? address : { ip: outside.ip, port: address.port } }
  }

  #responded(response: AnyResponse, from: SignedSender): void {
    const { overlay, own, book, clock } = this.#deps
    const asked = overlay.requests.take(INTRODUCTION, response.identifier)
    if (asked === undefined) return overlay.countDropped()
    this.#answered++
    own.vote(from.address, response.destination)
    const peer = this.#verified(from, response.sourceLan)
    if (peer !== null) book.note(peer, { rttMs: clock.now() - asked.sentMs })
    for (const run of this.#answeredWatches) run(asked.to, peer)
    this.#learn(response, from.address)
    if (peer !== null) this.#tellExtra(peer, response.extra)
  }

  /** Where the introduced peer may be. */
  #learn({ introducedLan: lan, introducedWan: wan }: AnyResponse, from: PeerAddress): void {
    const { own, walkable } = this.#deps
    const ours = own.wanFor(from).ip
    const told: OverlayAddress[] = []
    if (wan.ip !== ours) told.push(lan, wan)
    else if (!isNoAddress(lan)) told.push(lan)
    else told.push(wan, { ip: own.lanFor(from).ip, port: wan.port })
    for (const address of told) {
      // Who is behind the same NAT as we are is reached in the local network, whoever says so.
      const neighbour = wan.ip === ours && canBeNode(address)
      if ((neighbour || mayTell(from, address)) && !own.isOurPort(address)) walkable.add(address)
    }
  }

  #punctureAsked(
    request: Pick<PayloadOf<typeof newPunctureRequest>, 'walkerLan' | 'walkerWan' | 'identifier'>,
    from: PeerAddress,
    newStyle: boolean,
  ): void {
    const { overlay, own, book, clock, isServer } = this.#deps
    const { walkerLan, walkerWan, identifier } = request
    const neighbour = walkerWan.ip === own.wanFor(from).ip
    const to = neighbour && !isNoAddress(walkerLan) ? walkerLan : walkerWan
    // Only those we know have a reason to ask: nobody else gets a signed answer sent to where he likes.
    const fine =
      (book.at(from) !== null || isServer(from) || this.#alsoKnown(from)) &&
      (neighbour ? canBeNode(to) : mayTell(from, to)) &&
      !own.isOurPort(to) &&
      this.#punctures.take(clock.now())
    if (!fine) return overlay.countDropped()
    const globalTime = BigInt(overlay.nextGlobalTime())
    const values = { globalTime, sourceLan: own.lanFor(to), sourceWan: own.wanFor(to), identifier }
    if (newStyle) overlay.send(newPuncture, values, to)
    else overlay.send(puncture, values, to)
  }

  #tellExtra(peer: Peer, extra: Uint8Array): void {
    this.#told.add(peer)
    for (const run of this.#extraWatches) run(peer, extra)
  }
}
