// One connected peer of one torrent: its flags, what it has, what we asked it for and it asked us for, its rates.
// Keeps state and sends messages; what a message means for the torrent is decided in torrent-messages.ts.
// Invariant: every entry of `outstanding` holds one credit of the block budget.

import { type InfoHash, type PeerAddress, addressKey } from '../../base/ids.ts'
import { clientName } from '../../wire/peer/client-name.ts'
import type { BlockSink } from '../../wire/peer/decoder.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import { LT_DONTHAVE } from '../../wire/peer/lt-donthave.ts'
import {
  encodeCancel,
  encodeExtended,
  encodeKeepAlive,
  encodePlain,
  type PeerMessage,
  REQUEST_BYTES,
  writeRequest,
} from '../../wire/peer/messages.ts'
import { UPLOAD_ONLY } from '../../wire/peer/upload-only.ts'
import { UT_HOLEPUNCH } from '../../wire/peer/ut-holepunch.ts'
import { UT_PEX } from '../../wire/peer/ut-pex.ts'
import { AskedBlocks } from '../../base/asked-blocks.ts'
import { ExchangeState, PunchState } from './exchange-state.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { LinkReceiver, PeerLink } from './peer-link.ts'
import { PeerUploads } from './peer-uploads.ts'
import { RateMeter } from '../../base/rate-meter.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'
import { RequestPipeline } from './request-pipeline.ts'

/** A peer may ask for this many allowed-fast pieces at most; more are ignored (BEP 6 uses 10). */
export const MAX_ALLOWED_FAST = 64
/** Suggested pieces kept of a peer; the oldest makes room. */
const MAX_SUGGESTED = 16
/** Haves kept from before the metadata is known. */
const MAX_EARLY_HAVES = 4096

/** Extensions whose ids are kept; that of ut_metadata is a field of its own. */
const KEPT_EXTENSIONS: readonly string[] = [UT_PEX, UT_HOLEPUNCH, LT_DONTHAVE, UPLOAD_ONLY]

/** The IP address in a peer's key. */
export function ipOfKey(key: string): string {
  return key.startsWith('[') ? key.slice(1, key.indexOf(']')) : key.slice(0, key.lastIndexOf(':'))
}

/** What is said between a torrent and a connected peer; see TorrentTraffic. */
export interface PeerTraffic {
  readonly maxMessageBytes: number
  /** Where the blocks of a new peer go. */
  blocksOf(peer: PeerSession): PeerBlockSink
  message(peer: PeerSession, message: PeerMessage): void
  /** All messages of a chunk were handled: time to ask for more. */
  turnDone(peer: PeerSession): void
}

/** Where the decoder of a connection brings the blocks of its peer. */
export interface PeerBlockSink extends BlockSink {
  /** A read of the connection is over: all its blocks have been told. */
  readEnd(): void
  /** The connection has ended: what came in last is given up. */
  abandon(): void
}

/** Who connected a peer; see TorrentPeers. */
export interface PeerOwner {
  /** The connection has ended; `offence` when the peer broke the protocol. */
  gone(peer: PeerSession, offence: boolean, reason: string): void
}

/** What a peer said of its pieces while we could not know what it meant. */
export interface EarlyPieces {
  bits: Uint8Array | 'all' | 'none' | null
  readonly haves: number[]
}

/** One connected peer. */
export class PeerSession implements LinkReceiver {
  readonly key: string
  readonly link: PeerLink
  readonly peerId: string
  readonly fast: boolean
  readonly extended: boolean
  /** It has a DHT node (BEP 5). */
  readonly dht: boolean
  readonly connectedAtMs: number
  readonly uploads: PeerUploads
  readonly blocks: PeerBlockSink
  readonly pipeline: RequestPipeline
  readonly down = new RateMeter()
  readonly up = new RateMeter()
  /**
   * What it gave and took in the last minute, weighed (peer-places.ts); of a whole one, or a single block would be a
   * high rate.
   */
  readonly lately = new RateMeter(60_000, 60_000)
  /** Where the peer can be connected to; for incoming ones the port is known only from its handshake. */
  address: PeerAddress
  /** An incoming one that has told the port it listens on. */
  listens = false
  /** The connection is carried by uTP (BEP 11 passes it on). */
  readonly utp: boolean
  /** What follows an encrypted handshake; null: there was none. */
  readonly encryption: 'rc4' | 'plaintext' | null
  /** The info hash that both sides named: of a hybrid torrent it tells whether they speak v2 (BEP 52). */
  infoHash: InfoHash
  client: string
  amChoking = true
  amInterested = false
  peerChoking = true
  peerInterested = false
  optimistic = false
  /** BEP 21: it wants nothing. */
  uploadOnly = false
  /** What it was last told of us in this. */
  toldUploadOnly = false
  /** It sees a node that has nothing but what super-seeding tells it of (BEP 16). */
  masked = false
  /** Messages that told all its pieces (bitfield, have all, have none). */
  bitfields = 0
  early: EarlyPieces | null = null
  /** Id the peer chose for ut_metadata; 0 = it has none. */
  utMetadataId = 0
  metadataSize = 0
  extendedShakes = 0
  /** Ports of its DHT node that it told. */
  dhtPorts = 0
  readonly exchange = new ExchangeState()
  readonly punches = new PunchState()
  /** Pieces it no longer has, of which the picker does not know yet; how often the picker was told of such. */
  readonly lost = new Set<number>()
  rebuilds = 0
  /** Requests for hashes that were refused since the last one that was not. */
  refusedHashes = 0
  readonly outstanding = new AskedBlocks()
  /** Pieces it lets us have while it chokes us, and we it. */
  readonly allowedIn = new Set<number>()
  allowedOut: ReadonlySet<number> = new Set()
  /** Pieces it would like to send (BEP 6), a few. */
  readonly suggested = new Set<number>()
  /** Requests taken back of which a block may still come. */
  forgiven = 0
  /** Requests of its that were refused since the last one that was allowed. */
  refused = 0
  lastBlockMs: number
  /** When it last asked for something, gave or was sent something, clock ms. */
  activeMs: number
  /** Ids it chose for the messages of KEPT_EXTENSIONS. */
  readonly #ids = new Map<string, number>()
  readonly #traffic: PeerTraffic
  readonly #owner: PeerOwner

  constructor(link: PeerLink, handshake: Handshake, traffic: PeerTraffic, owner: PeerOwner, nowMs: number) {
    this.#traffic = traffic
    this.#owner = owner
    this.link = link
    this.pipeline = new RequestPipeline(isLocalIp(link.remote.ip))
    this.address = link.remote
    this.key = `${addressKey(link.remote)}${link.incoming ? '<' : '>'}`
    this.infoHash = handshake.infoHash
    this.peerId = Buffer.from(handshake.peerId).toString('hex')
    this.fast = handshake.extensions.fast
    this.extended = handshake.extensions.extended
    this.dht = handshake.extensions.dht
    this.utp = link.utp
    this.encryption = link.encryption
    this.client = clientName(handshake.peerId)
    this.connectedAtMs = nowMs
    this.lastBlockMs = nowMs
    this.activeMs = nowMs
    this.uploads = new PeerUploads(link, this.fast)
    this.blocks = traffic.blocksOf(this)
  }

  /** It takes encrypted connections (BEP 11 passes it on). */
  get encrypts(): boolean {
    return this.encryption !== null
  }

  get maxMessageBytes(): number {
    return this.#traffic.maxMessageBytes
  }

  /** Notes which extensions it has; those it does not name stay as they were (BEP 10). */
  noteExtensions(ids: ReadonlyMap<string, number>): void {
    for (const name of KEPT_EXTENSIONS) {
      const id = ids.get(name)
      if (id !== undefined) this.#ids.set(name, id)
    }
  }

  /** The id under which it wants messages of an extension, 0 = it has none. */
  idOf(extension: string): number {
    return this.#ids.get(extension) ?? 0
  }

  /** Notes what a peer has before the metadata tells what it means. */
  noteEarly(bits: EarlyPieces['bits'], have: number | null): void {
    this.early ??= { bits: null, haves: [] }
    if (bits !== null) this.early.bits = bits
    if (have !== null && this.early.haves.length < MAX_EARLY_HAVES) this.early.haves.push(have)
  }

  /** Notes a piece the peer suggested; it is checked when it is chosen. */
  noteSuggested(piece: number): void {
    for (const oldest of this.suggested) {
      if (this.suggested.size < MAX_SUGGESTED) break
      this.suggested.delete(oldest)
    }
    this.suggested.add(piece)
  }

  // --- sending

  choke(choked: boolean): void {
    if (this.amChoking === choked) return
    this.amChoking = choked
    this.link.send(encodePlain(choked ? 'choke' : 'unchoke'))
    if (choked) this.uploads.clear(request => this.fast && this.allowedOut.has(request.piece))
  }

  interest(interested: boolean): void {
    if (this.amInterested === interested) return
    this.amInterested = interested
    this.link.send(encodePlain(interested ? 'interested' : 'not-interested'))
  }

  /** Asks for blocks of pieces of `stride` blocks, in one write. */
  request(blocks: readonly BlockRequest[], stride: number, nowMs: number): void {
    if (blocks.length === 0) return
    const bytes = Buffer.allocUnsafe(blocks.length * REQUEST_BYTES)
    for (let i = 0; i < blocks.length; i += 1) {
      const { piece, block, begin, length } = blocks[i] as BlockRequest
      this.outstanding.add(piece * stride + block, nowMs)
      writeRequest(bytes, i * REQUEST_BYTES, piece, begin, length)
    }
    this.link.send(bytes)
  }

  cancel(piece: number, begin: number, length: number): void {
    this.link.send(encodeCancel(piece, begin, length))
  }

  extend(id: number, payload: Uint8Array): void {
    this.link.send(encodeExtended(id, payload))
  }

  keepAlive(): void {
    this.link.send(encodeKeepAlive())
  }

  close(reason: string, offence = false): void {
    this.link.end(reason, offence)
  }

  // --- LinkReceiver

  message(message: PeerMessage): void {
    this.#traffic.message(this, message)
  }

  chunkEnd(): void {
    this.blocks.readEnd()
    this.#traffic.turnDone(this)
  }

  drained(): void {
    this.uploads.uploadGoOn()
  }

  closed(reason: string, offence: boolean): void {
    this.#owner.gone(this, offence, reason)
  }
}
