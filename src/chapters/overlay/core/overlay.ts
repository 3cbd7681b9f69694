// One overlay (the network says community): its messages by number, its peers, its requests, its counts. Handlers,
// which circuits, discovery and the rest register, give the messages their meaning. Invariant: a handler of a signed
// message sees only what its sender signed, and no packet twice.

import { DecodeError, errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { Shape, ValuesOf } from '../wire/fields.ts'
import { decodePayload, type PacketMessage } from '../wire/message.ts'
import { decodeUnsigned, encodePacket, MESSAGE_ID_AT, prefixOf, splitSigned } from '../wire/packet.ts'
import type { PublicKey } from '../wire/public-key.ts'
import type { CheckBudget } from './check-budget.ts'
import type { Endpoint } from './endpoint.ts'
import { firstGlobalTime } from './global-time.ts'
import type { Identity, SignatureCheck } from './identity.ts'
import type { Peer } from './peer.ts'
import type { PeerBook } from './peer-book.ts'
import { SeenSignatures } from './replays.ts'
import { Requests } from './requests.ts'

/** Bytes of a packet that is read at all: more than any message has, less than a datagram may have. */
const MAX_PACKET_BYTES = 8_192

/** Who signed a message, and where it came from. */
export interface SignedSender {
  readonly address: PeerAddress
  /** 74 bytes, or the form of an old key where the message allows it. */
  readonly publicKey: Uint8Array
  readonly key: PublicKey
  /** Who that is, where it is a peer of this overlay already. */
  readonly peer: Peer | null
}

/** What an overlay works with; all overlays of a node share these. */
export interface OverlayDeps {
  readonly endpoint: Endpoint
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly identity: Identity
  readonly check: SignatureCheck
  readonly budget: CheckBudget
  readonly book: PeerBook
}

/** Which overlay. */
export interface OverlayOptions {
  /** 20 bytes. */
  readonly communityId: Uint8Array
  /** As statistics name it, such as `TunnelCommunity`. */
  readonly name: string
}

/** What passed, for statistics. */
export interface OverlayCounts {
  readonly packetsSent: number
  readonly packetsReceived: number
  /** Malformed, forged, repeated, unasked for, of no known number, or over the budget. */
  readonly packetsDropped: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/** A signed message, checked. */
interface Checked {
  readonly sender: SignedSender
  readonly payload: Uint8Array
}

type Receive = (packet: Uint8Array, from: PeerAddress) => void

/** One overlay (the network says community): its messages by number, its peers, its requests, its counts. */
export class Overlay {
  readonly name: string
  /** Community id, 40 lower-case hex digits: its name in the peer book. */
  readonly id: string
  /** The first 22 bytes of its packets. */
  readonly prefix: Uint8Array
  /** Requests of this overlay that wait for answers. */
  readonly requests: Requests
  readonly #deps: OverlayDeps
  readonly #handlers: (Receive | null)[] = Array.from({ length: 256 }, () => null)
  readonly #seen = new SeenSignatures()
  readonly #unregister: () => void
  #globalTime: number
  #packetsSent = 0
  #packetsReceived = 0
  #packetsDropped = 0
  #bytesSent = 0
  #bytesReceived = 0
  #closed = false

  /** It receives from here on. Throws RangeError when the port has this overlay already. */
  constructor(options: OverlayOptions, deps: OverlayDeps) {
    this.name = options.name
    this.id = Buffer.from(options.communityId).toString('hex')
    this.prefix = prefixOf(options.communityId)
    this.requests = new Requests(deps)
    this.#deps = deps
    this.#globalTime = firstGlobalTime(deps)
    this.#unregister = deps.endpoint.register(this.prefix, { receive: (bytes, from) => this.#receive(bytes, from) })
  }

  /** Our key pair in this network. */
  get identity(): Identity {
    return this.#deps.identity
  }

  /** The newest number of our Lamport clock. */
  get globalTime(): number {
    return this.#globalTime
  }

  get counts(): OverlayCounts {
    return {
      packetsSent: this.#packetsSent,
      packetsReceived: this.#packetsReceived,
      packetsDropped: this.#packetsDropped,
      bytesSent: this.#bytesSent,
      bytesReceived: this.#bytesReceived,
    }
  }

  /** A number for a message that carries a global time. */
  nextGlobalTime(): number {
    return ++this.#globalTime
  }

  // Messages.

  /** A message without signature. `values` may be kept. Throws RangeError when its number is taken. */
  onPlain<S extends Shape>(message: PacketMessage<S>, run: (values: ValuesOf<S>, from: PeerAddress) => void): void {
    this.#handle(message.id, (packet, from) => {
      const values = this.#decoded(() => decodeUnsigned(message, Uint8Array.from(packet)))
      if (values !== undefined) run(values, from)
    })
  }

  /**
   * A signed message: `run` sees it when the signature is right. Values and sender may be kept. `oldKeys`: keys of
   * bootstrap servers' old kinds are taken too. `decode`: another way to read the payload; throws DecodeError.
   */
  onSigned<S extends Shape, V = ValuesOf<S>>(
    message: PacketMessage<S>,
    run: (values: V, from: SignedSender) => void,
    options: { readonly oldKeys?: boolean; readonly decode?: (payload: Uint8Array) => V } = {},
  ): void {
    const decode = options.decode ?? (payload => decodePayload(message, payload) as V)
    this.#handle(message.id, (packet, from) => {
      this.#check(packet, from, options.oldKeys === true, checked => {
        const values = this.#decoded(() => decode(checked.payload))
        if (values !== undefined) run(values, checked.sender)
      })
    })
  }

  /** Whole packets of a number, nothing copied: for cells. `packet` is valid only during the call. */
  onRaw(id: number, run: Receive): void {
    this.#handle(id, run)
  }

  /** The packet of a message, signed where it has to be. Throws RangeError for values that do not fit. */
  pack<S extends Shape>(message: PacketMessage<S>, values: ValuesOf<S>): Uint8Array {
    return encodePacket(this.prefix, message, values, message.signed ? this.#deps.identity : null)
  }

  /** Sends a message to a peer or to a literal IPv4 address. */
  send<S extends Shape>(message: PacketMessage<S>, values: ValuesOf<S>, to: Peer | PeerAddress): void {
    if (!this.#closed) this.sendBytes(this.pack(message, values), 'address' in to ? to.address : to)
  }

  /** Sends a packet that is made already. */
  sendBytes(packet: Uint8Array, to: PeerAddress): void {
    if (this.#closed) return
    this.#packetsSent++
    this.#bytesSent += packet.length
    this.#deps.endpoint.send(packet, to)
  }

  /** Counts a packet that a handler did not like. */
  countDropped(): void {
    this.#packetsDropped++
  }

  // Peers.

  /** Verified peers; the same array until they change. */
  peers(): readonly Peer[] {
    return this.#deps.book.of(this.id)
  }

  /** The peer of this overlay with a public key. */
  peerOf(publicKey: Uint8Array): Peer | null {
    const peer = this.#deps.book.get(publicKey)
    return peer !== null && this.#deps.book.isIn(peer, this.id) ? peer : null
  }

  /** A peer by chance, of those that `fits` likes. */
  randomPeer(fits: (peer: Peer) => boolean = () => true): Peer | null {
    const fitting = this.peers().filter(fits)
    return fitting[this.#deps.random.below(fitting.length)] ?? null
  }

  /** Takes a verified peer in; null: it is ourselves, or there is no room. */
  addPeer(publicKey: Uint8Array, address: PeerAddress): Peer | null {
    return this.#closed ? null : this.#deps.book.join(publicKey, address, this.id)
  }

  /** The peer is of no use to this overlay any more. */
  removePeer(peer: Peer): void {
    this.#deps.book.leave(peer, this.id)
  }

  /** Calls for each peer that comes from now on; answers what ends the calls. */
  onPeer(run: (peer: Peer) => void): () => void {
    return this.#deps.book.watch(this.id, { joined: run, gone: () => undefined })
  }

  /** Calls for each peer that goes; answers what ends the calls. */
  onPeerGone(run: (peer: Peer) => void): () => void {
    return this.#deps.book.watch(this.id, { joined: () => undefined, gone: run })
  }

  /** Nothing is sent or received any more; requests end without a word. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#unregister()
    this.requests.close()
    this.#deps.book.close(this.id)
  }

  #handle(id: number, run: Receive): void {
    if (this.#handlers[id] !== null) throw new RangeError(`message ${id} of ${this.name} has a handler`)
    this.#handlers[id] = run
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    this.#packetsReceived++
    this.#bytesReceived += bytes.length
    this.#deps.book.heard(from)
    const handler = this.#handlers[bytes[MESSAGE_ID_AT] as number]
    if (handler === null || handler === undefined || bytes.length > MAX_PACKET_BYTES) {
      this.#packetsDropped++
      return
    }
    // Not by #guarded: cells come here by the ten thousand, and a closure is made for each.
    try {
      handler(bytes, from)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** A bug of a handler costs one packet, not the node. */
  #guarded(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#packetsDropped++
    this.#deps.log.error('a packet could not be handled', { overlay: this.name, error: errorText(error) })
  }

  /**
   * Gives `take` what was signed, copied, when its signature is right and was not there before: now, or in a flood
   * later.
   */
  #check(packet: Uint8Array, from: PeerAddress, oldKeys: boolean, take: (checked: Checked) => void): void {
    const { check, budget, book, clock } = this.#deps
    const parts = this.#decoded(() => splitSigned(Uint8Array.from(packet)))
    if (parts === undefined) return
    const { key, signedPart, signature, payload } = parts
    const may = (oldKeys || key.curve === 'curve25519') && budget.take(from, book.at(from) !== null, clock.now())
    const right = may && (check.verifyOrLater?.(key, signedPart, signature) ?? check.verify(key, signedPart, signature))
    const judge = (fine: boolean): void => {
      if (!fine || this.#closed || !this.#seen.add(signature, from, clock.now())) this.#packetsDropped++
      else {
        const peer = this.peerOf(key.form)
        if (peer !== null) book.confirm(peer, from)
        take({ sender: { address: from, key, publicKey: key.form, peer }, payload })
      }
    }
    if (typeof right === 'boolean') return judge(right)
    right.then(
      fine => this.#guarded(() => judge(fine)),
      () => judge(false),
    )
  }

  #decoded<T>(decode: () => T): T | undefined {
    try {
      return decode()
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#packetsDropped++
      return undefined
    }
  }
}
