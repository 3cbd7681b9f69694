// One overlay (the network says community): its messages by number, its peers, its requests, its counts. What the messages mean is
// told by handlers, which circuits, discovery and the rest register. Invariant: a handler of a signed message sees only what its
// sender signed, and no packet twice.

import { DecodeError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { CheckBudget } from './check-budget.ts'
import { type Endpoint, PREFIX_BYTES } from './endpoint.ts'
import type { Identity, SignatureCheck } from './identity.ts'
import { MAX_PACKET_BYTES } from './limits.ts'
import type { MessageType } from './message-type.ts'
import { plainPacket, plainPayload, prefixOf, signedPacket, splitSigned } from './packet.ts'
import { type Peer, PUBLIC_KEY_BYTES } from './peer.ts'
import type { PeerBook } from './peer-book.ts'
import { SeenSignatures } from './replays.ts'
import { Requests } from './requests.ts'

/** Who signed a message, and where it came from. */
export interface SignedSender {
  readonly address: PeerAddress
  /** 74 bytes, or a key of an old kind where the message allows it. */
  readonly publicKey: Uint8Array
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

type Receive = (packet: Uint8Array, from: PeerAddress) => void

/** See the top of the file. */
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
  #globalTime = 0
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

  /** A message without signature. `value` may be kept. Throws RangeError when somebody has its number. */
  onPlain<T>(type: MessageType<T>, run: (value: T, from: PeerAddress) => void): void {
    this.#handle(type.id, (packet, from) => {
      const value = this.#decode(type, plainPayload(Uint8Array.from(packet)))
      if (value !== undefined) run(value, from)
    })
  }

  /**
   * A signed message: `run` sees it when the signature is right. `value` and sender may be kept. `oldKeys`: signatures of
   * bootstrap servers' old kinds of keys are taken too.
   */
  onSigned<T>(
    type: MessageType<T>,
    run: (value: T, from: SignedSender) => void,
    options: { readonly oldKeys?: boolean } = {},
  ): void {
    this.#handle(type.id, (packet, from) => {
      const checked = this.#checked(packet, from, options.oldKeys === true)
      if (checked === null) return
      const value = this.#decode(type, checked.payload)
      if (value !== undefined) run(value, { address: from, publicKey: checked.publicKey, peer: checked.peer })
    })
  }

  /** Whole packets of a number, nothing copied: for cells. `packet` is valid only during the call. */
  onRaw(id: number, run: Receive): void {
    this.#handle(id, run)
  }

  /** The packet of a message, signed where its type says so. Throws RangeError as its encoder. */
  pack<T>(type: MessageType<T>, value: T): Uint8Array {
    const payload = type.encode(value)
    if (!type.signed) return plainPacket(this.prefix, type.id, payload)
    return signedPacket(this.prefix, type.id, payload, this.#deps.identity)
  }

  /** Sends a message to a peer or to a literal IPv4 address. */
  send<T>(type: MessageType<T>, value: T, to: Peer | PeerAddress): void {
    if (!this.#closed) this.sendBytes(this.pack(type, value), 'address' in to ? to.address : to)
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
    const handler = this.#handlers[bytes[PREFIX_BYTES] as number]
    if (handler === null || handler === undefined || bytes.length > MAX_PACKET_BYTES) {
      this.#packetsDropped++
      return
    }
    try {
      handler(bytes, from)
    } catch (error) {
      // A bug of a handler costs one packet, not the node.
      this.#packetsDropped++
      this.#deps.log.error('a packet could not be handled', { overlay: this.name, error: errorText(error) })
    }
  }

  /** The parts of a signed packet, copied, when its signature is right and was not there before. */
  #checked(
    packet: Uint8Array,
    from: PeerAddress,
    oldKeys: boolean,
  ): { readonly publicKey: Uint8Array; readonly payload: Uint8Array; readonly peer: Peer | null } | null {
    const { check, budget, book, clock } = this.#deps
    const parts = splitSigned(packet, check)
    const fine =
      parts !== null &&
      (oldKeys || parts.publicKey.length === PUBLIC_KEY_BYTES) &&
      budget.take(from, book.at(from) !== null, clock.now()) &&
      check.verify(parts.publicKey, parts.message, parts.signature) &&
      this.#seen.add(parts.signature)
    if (!fine) {
      this.#packetsDropped++
      return null
    }
    const publicKey = Uint8Array.from(parts.publicKey)
    return { publicKey, payload: Uint8Array.from(parts.payload), peer: this.peerOf(publicKey) }
  }

  #decode<T>(type: MessageType<T>, payload: Uint8Array): T | undefined {
    try {
      return type.decode(payload)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#packetsDropped++
      return undefined
    }
  }
}
