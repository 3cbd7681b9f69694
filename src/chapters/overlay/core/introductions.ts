// Introductions of one overlay (protocol section 4): a node that asks us becomes a peer, and we introduce it to another
// peer, which we ask to send it a packet first, so that NATs let it in (puncture). We ask in the old style and answer
// in the style we are asked in.

import { sameBytes } from '../../../base/same-bytes.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { isNoAddress, NO_ADDRESS, type OverlayAddress } from '../wire/address.ts'
import {
  introductionRequest,
  introductionResponse,
  newIntroductionRequest,
  newIntroductionResponse,
  REQUEST_FLAG,
  RESPONSE_FLAG,
} from '../wire/introduction-messages.ts'
import { decodePayload, type PayloadOf } from '../wire/message.ts'
import type { PeerIntroductions } from './introduced.ts'
import { MAX_PEERS, SILENT_MS } from './limits.ts'
import type { SignedSender } from './overlay.ts'
import type { Peer } from './peer.ts'
import { Punctures, type PuncturesDeps } from './punctures.ts'
import { canBeNode, mayTell } from './reachable.ts'
import { requestKind } from './requests.ts'
import type { Walkable } from './walkable.ts'

/** Introductions asked for that may still be answered, of an overlay. */
const MAX_INTRODUCTIONS_ASKED = 128

/** A request as both styles have it. */
export type AnyRequest = Pick<
  PayloadOf<typeof introductionRequest>,
  'globalTime' | 'destination' | 'sourceLan' | 'sourceWan' | 'identifier' | 'extra'
>

type Said = Pick<AnyRequest, 'globalTime' | 'sourceLan'>

type AnyResponse = Pick<
  PayloadOf<typeof introductionResponse>,
  'globalTime' | 'destination' | 'sourceLan' | 'introducedLan' | 'introducedWan' | 'identifier' | 'extra'
>

/** What introductions work with. */
export interface IntroductionsDeps extends PuncturesDeps {
  readonly walkable: Walkable
}

/** Limits of one overlay. */
export interface IntroductionsOptions {
  /** Requests of strangers are dropped above this; below 0: never. */
  readonly maxPeers?: number
  /**
   * Reads a request that may have another form; `wanted`: mid of the peer the asker wants to meet. Throws DecodeError.
   */
  readonly decodeRequest?: (payload: Uint8Array) => AnyRequest & { readonly wanted: Uint8Array | null }
}

interface Asked {
  readonly to: PeerAddress
  readonly sentMs: number
}

const INTRODUCTION = requestKind<Asked>('introduction', { limit: MAX_INTRODUCTIONS_ASKED })
const noExtra = (): Uint8Array => new Uint8Array(0)
const INTRODUCED_NEW_STYLE = 0x80

/**
 * Introductions of one overlay (protocol section 4): a node that asks us becomes a peer, and we introduce it to another
 * peer, which we ask to send it a packet first, so that NATs let it in (puncture).
 */
export class Introductions implements PeerIntroductions {
  /** Opens the way to peers that we introduce. */
  readonly punctures: Punctures
  readonly #deps: IntroductionsDeps
  readonly #maxPeers: number
  readonly #extraWatches = new Set<(peer: Peer, extra: Uint8Array) => void>()
  readonly #answeredWatches = new Set<(address: PeerAddress, peer: Peer | null) => void>()
  readonly #told = new WeakSet<Peer>()
  /** The newest global time that each peer signed here. */
  readonly #newest = new WeakMap<Peer, bigint>()
  #extra: () => Uint8Array = noExtra
  #asked = 0
  #answered = 0

  constructor(options: IntroductionsOptions, deps: IntroductionsDeps) {
    this.#deps = deps
    this.punctures = new Punctures(deps)
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

  /** True when extra bytes were set. */
  get hasExtra(): boolean {
    return this.#extra !== noExtra
  }

  /** The peer has sent a request or a response here, and with it its extra bytes. */
  hasToldExtra(peer: Peer): boolean {
    return this.#told.has(peer)
  }

  #requested(request: AnyRequest, from: SignedSender, wanted: Uint8Array | null, newStyle: boolean): void {
    const { overlay } = this.#deps
    if (this.#isRecording(request, from)) return overlay.countDropped()
    const full = this.#maxPeers >= 0 && overlay.peers().length > this.#maxPeers
    if (full && from.peer === null) return overlay.countDropped()
    const peer = this.#verified(from, request)
    const other = this.#whomToIntroduce(peer, from.address, wanted)
    this.#respond(request, from.address, other, newStyle)
    if (other !== null) this.#havePunctured(other, request, from.address)
    if (peer !== null) this.#tellExtra(peer, request.extra)
  }

  /** Has `other` send something to `walker`, so that he can reach it; `lan` is what the walker claims. */
  #havePunctured(other: Peer, { sourceLan, identifier }: AnyRequest, walker: PeerAddress): void {
    this.punctures.request(other, { lan: sourceLan, wan: walker }, identifier)
  }

  #listen(decode: NonNullable<IntroductionsOptions['decodeRequest']>): void {
    const { overlay } = this.#deps
    const request = { oldKeys: true, decode }
    overlay.onSigned(introductionRequest, (asked, from) => this.#requested(asked, from, asked.wanted, false), request)
    overlay.onSigned(newIntroductionRequest, (asked, from) => this.#requested(asked, from, null, true))
    overlay.onSigned(introductionResponse, (response, from) => this.#responded(response, from), { oldKeys: true })
    overlay.onSigned(newIntroductionResponse, (response, from) => this.#responded(response, from))
  }

  /** The sender as peer of this overlay; null for servers, for ourselves, and where there is no room. */
  #verified(from: SignedSender, { sourceLan: lan, globalTime }: Said): Peer | null {
    const { overlay, book, isServer } = this.#deps
    if (from.key.curve !== 'curve25519' || isServer(from.address)) return null
    const peer = overlay.addPeer(from.publicKey, from.address)
    if (peer === null) return null
    book.note(peer, { lanAddress: canBeNode(lan) ? lan : null })
    this.#newest.set(peer, maxOf(this.#newest.get(peer) ?? 0n, globalTime))
    return peer
  }

  /**
   * An old request from a new place, while its sender is heard at the place that we know: another host wants its
   * packets.
   */
  #isRecording({ globalTime }: AnyRequest, { peer, address }: SignedSender): boolean {
    if (peer === null || (peer.address.ip === address.ip && peer.address.port === address.port)) return false
    const newest = this.#newest.get(peer)
    return newest !== undefined && globalTime <= newest && this.#deps.clock.now() - peer.heardMs < SILENT_MS
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
    const peer = this.#verified(from, response)
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
      // A peer behind the same NAT as we are is reached in the local network, no matter who introduces it.
      const neighbour = wan.ip === ours && canBeNode(address)
      if ((neighbour || mayTell(from, address)) && !own.isOurPort(address)) walkable.add(address)
    }
  }

  #tellExtra(peer: Peer, extra: Uint8Array): void {
    this.#told.add(peer)
    for (const run of this.#extraWatches) run(peer, extra)
  }
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
