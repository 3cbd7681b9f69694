// A peer that does what a test tells it: serves pieces well, badly, late or never, chokes, asks, sends garbage, and
// counts what it was sent. It speaks the wire through src/wire/peer but has no engine: nothing happens by itself except
// what `behaviour` says. One object is one peer with at most one connection.

import type { InfoHash, PeerAddress } from '../../../src/base/ids.ts'
import { BLOCK_BYTES } from '../../../src/base/lengths.ts'
import type { TcpListener, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { PeerDecoder } from '../../../src/wire/peer/decoder.ts'
import { decodeExtendedHandshake, encodeExtendedHandshake } from '../../../src/wire/peer/extension.ts'
import { decodeHandshake, encodeHandshake, HANDSHAKE_BYTES } from '../../../src/wire/peer/handshake.ts'
import {
  encodeBitfield,
  encodeCancel,
  encodeExtended,
  encodeHashes,
  encodeHashReject,
  encodePieceHead,
  encodePlain,
  encodeReject,
  encodeRequest,
  type HashRange,
  type PeerMessage,
} from '../../../src/wire/peer/messages.ts'
import {
  decodeMetadataMessage,
  encodeMetadataData,
  encodeMetadataReject,
  encodeMetadataRequest,
  METADATA_PIECE_BYTES,
} from '../../../src/wire/peer/ut-metadata.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import type { MemoryHost } from '../sim/memory-network.ts'

/** What answers a request for a block. */
export type Serving = 'good' | 'bad' | 'nothing' | 'reject'

/** What the peer does by itself. Everything may be changed while it runs. */
export interface Behaviour {
  /** Pieces it has; default all. */
  has: (piece: number) => boolean
  /** Answers the node's interest with unchoke. */
  unchokes: boolean
  serves: Serving | ((piece: number, begin: number) => Serving)
  /** Wants data of the node: says interested, and keeps so many requests outstanding while unchoked. */
  leeches: number
  fast: boolean
  extended: boolean
  /** `reqq` of the extended handshake; null = none. */
  requestQueue: number | null
  /** Serves the info dictionary by ut_metadata. */
  hasMetadata: boolean
  /** Sends its bitfield after the handshake. */
  announcesPieces: boolean
  /** Answers to requests for hashes (BEP 52); null rejects, undefined says nothing. */
  hashes: (range: HashRange) => Uint8Array | null | undefined
}

/** A block as asked for or received. */
export interface BlockName {
  readonly piece: number
  readonly begin: number
  readonly length: number
  readonly atMs: number
}

/** The id under which this peer wants ut_metadata messages. */
const METADATA_ID = 3

/** A scripted peer on a memory host. */
export class FakePeer {
  readonly host: MemoryHost
  readonly torrent: MadeTorrent
  readonly behaviour: Behaviour
  readonly pieceCount: number
  /** What the node asked for, took back, and told of. */
  readonly requests: BlockName[] = []
  readonly cancels: BlockName[] = []
  readonly haves: number[] = []
  /** Message types in the order they came. */
  readonly messages: string[] = []
  /** Blocks that came from the node. */
  readonly blocks: BlockName[] = []
  /** Allowed-fast pieces of the node. */
  readonly allowed: number[] = []
  readonly rejects: BlockName[] = []
  /** Pieces of metadata that came. */
  readonly metadata = new Map<number, Uint8Array>()
  connected = false
  closed = false
  closeError: Error | null = null
  /** The node chokes us / is interested. */
  choked = true
  interested = false
  /** The info hash in the node's handshake. */
  calledBy = ''
  nodePeerId = ''
  nodeMetadataSize: number | null = null
  nodeMetadataId = 0
  /** Times of choke and unchoke from the node. */
  readonly chokes: { choked: boolean; atMs: number }[] = []
  readonly #now: () => number
  readonly #peerId: Uint8Array
  #stream: TcpStream | null = null
  #decoder: PeerDecoder | null = null
  #shake = Buffer.alloc(0)
  #listener: TcpListener | null = null
  #nextBlock = 0
  /** Blocks that wait to be sent. */
  #queue: { request: BlockName; good: boolean }[] = []
  #sending = false
  /** Blocks asked of the node, as `piece begin`. */
  readonly #asked = new Set<string>()

  constructor(host: MemoryHost, torrent: MadeTorrent, now: () => number, behaviour: Partial<Behaviour> = {}) {
    this.host = host
    this.torrent = torrent
    this.#now = now
    this.pieceCount = Math.ceil(torrent.content.length / torrent.pieceLength)
    this.#peerId = Buffer.from(`-FK0001-${host.ip.padEnd(12, 'x').slice(0, 12)}`, 'latin1')
    this.behaviour = {
      has: () => true,
      unchokes: true,
      serves: 'good',
      leeches: 0,
      fast: true,
      extended: true,
      requestQueue: null,
      hasMetadata: true,
      announcesPieces: true,
      hashes: () => null,
      ...behaviour,
    }
  }

  get infoHash(): InfoHash {
    return this.torrent.infoHash
  }

  /** Waits for the node on `port`; answers the address to give to it. */
  async listen(port = 6881): Promise<PeerAddress> {
    this.#listener = await this.host.listen({ ip: this.host.ip, port }, stream => {
      this.#reset(stream)
      return this.#handlers()
    })
    return this.#listener.address
  }

  /** Connects to the node. */
  connect(node: PeerAddress): void {
    this.#reset(this.host.connect(node, { localIp: null, timeoutMs: 10_000 }, this.#handlers()))
  }

  async close(): Promise<void> {
    this.#stream?.destroy()
    await this.#listener?.close()
  }

  /** Drops the connection, stays reachable. */
  hangUp(): void {
    this.#stream?.destroy()
  }

  /** Reads nothing more. */
  pause(): void {
    this.#stream?.pause()
  }

  /** Sends raw bytes. */
  send(bytes: Uint8Array): void {
    this.#stream?.write(bytes)
  }

  /** Chokes: what was asked for and not sent is void (with the fast extension: rejected). */
  choke(): void {
    this.send(encodePlain('choke'))
    for (const { request } of this.#queue.splice(0)) {
      if (this.behaviour.fast) this.send(encodeReject(request.piece, request.begin, request.length))
    }
  }

  unchoke(): void {
    this.send(encodePlain('unchoke'))
  }

  say(interested: boolean): void {
    this.send(encodePlain(interested ? 'interested' : 'not-interested'))
  }

  request(piece: number, begin = 0, length = BLOCK_BYTES): void {
    this.send(encodeRequest(piece, begin, length))
  }

  cancel(piece: number, begin = 0, length = BLOCK_BYTES): void {
    this.send(encodeCancel(piece, begin, length))
  }

  /** Asks the node for a piece of metadata. */
  requestMetadata(piece: number): void {
    this.send(encodeExtended(this.nodeMetadataId, encodeMetadataRequest(piece)))
  }

  /** Sends one block as it is in the torrent, or spoilt. */
  sendBlock(piece: number, begin: number, length: number, good = true, sent?: () => void): void {
    const start = piece * this.torrent.pieceLength + begin
    const payload = Uint8Array.from(this.torrent.content.subarray(start, start + length))
    if (!good) payload[0] = (payload[0] ?? 0) ^ 0xff
    this.send(encodePieceHead(piece, begin, length))
    this.#stream?.write(payload, sent)
  }

  #handlers(): TcpStreamHandlers {
    return {
      open: () => this.#sayHello(),
      data: chunk => this.#data(chunk),
      drain: () => {},
      close: error => this.#closed(error),
    }
  }

  #reset(stream: TcpStream): void {
    this.#stream = stream
    this.#queue = []
    this.#sending = false
    this.#decoder = null
    this.#shake = Buffer.alloc(0)
    this.closed = false
  }

  #data(chunk: Uint8Array): void {
    if (this.#decoder !== null) return this.#decoder.push(chunk)
    this.#shake = Buffer.concat([this.#shake, chunk])
    if (this.#shake.length < HANDSHAKE_BYTES) return
    const handshake = decodeHandshake(this.#shake.subarray(0, HANDSHAKE_BYTES))
    this.nodePeerId = Buffer.from(handshake.peerId).toString('latin1')
    this.calledBy = handshake.infoHash
    this.connected = true
    if (this.#stream?.incoming === true) this.#sayHello()
    this.#sayPieces(handshake.extensions)
    this.#decoder = new PeerDecoder(
      { message: message => this.#message(message) },
      {
        blockStart: (_piece, _begin, length) => new Uint8Array(length),
        blockEnd: (piece, begin, length) => this.#block(piece, begin, length),
      },
      { maxMessageBytes: 16 * 1024 * 1024 },
    )
    const rest = this.#shake.subarray(HANDSHAKE_BYTES)
    if (rest.length > 0) this.#decoder.push(Uint8Array.from(rest))
  }

  #closed(error: Error | null): void {
    this.connected = false
    this.closed = true
    this.closeError = error
    this.choked = true
    this.#stream = null
    this.#asked.clear()
  }

  #sayHello(): void {
    const { fast, extended } = this.behaviour
    this.send(
      encodeHandshake({ infoHash: this.infoHash, peerId: this.#peerId, extensions: { fast, extended, dht: false } }),
    )
  }

  #sayPieces(node: { readonly fast: boolean; readonly extended: boolean }): void {
    const { behaviour } = this
    if (behaviour.extended && node.extended) {
      const metadataSize = behaviour.hasMetadata ? this.torrent.info.length : null
      const m = new Map([['ut_metadata', METADATA_ID]])
      this.send(encodeExtended(0, encodeExtendedHandshake({ m, metadataSize, requestQueue: behaviour.requestQueue })))
    }
    if (behaviour.announcesPieces) this.send(this.#pieces(behaviour.fast && node.fast))
    if (behaviour.leeches > 0) this.say(true)
  }

  #pieces(fast: boolean): Uint8Array {
    const bits = new Uint8Array(Math.ceil(this.pieceCount / 8))
    let count = 0
    for (let piece = 0; piece < this.pieceCount; piece++) {
      if (!this.behaviour.has(piece)) continue
      bits[piece >> 3] = (bits[piece >> 3] ?? 0) | (0x80 >> (piece & 7))
      count++
    }
    if (fast && count === this.pieceCount) return encodePlain('have-all')
    if (fast && count === 0) return encodePlain('have-none')
    return encodeBitfield(bits)
  }

  #message(message: PeerMessage): void {
    this.messages.push(message.type)
    const atMs = this.#now()
    switch (message.type) {
      case 'choke':
      case 'unchoke':
        this.choked = message.type === 'choke'
        this.chokes.push({ choked: this.choked, atMs })
        if (this.choked) this.#asked.clear()
        return this.#leech()
      case 'interested':
      case 'not-interested':
        this.interested = message.type === 'interested'
        if (this.interested && this.behaviour.unchokes) this.unchoke()
        return
      case 'have':
        this.haves.push(message.piece)
        return this.#leech()
      case 'have-all':
        for (let piece = 0; piece < this.pieceCount; piece++) this.haves.push(piece)
        return
      case 'bitfield':
        for (let piece = 0; piece < this.pieceCount; piece++) {
          if (((message.bits[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0) this.haves.push(piece)
        }
        return
      case 'request':
        return this.#serve({ piece: message.piece, begin: message.begin, length: message.length, atMs })
      case 'cancel':
        return this.#cancelled({ piece: message.piece, begin: message.begin, length: message.length, atMs })
      case 'reject':
        this.rejects.push({ piece: message.piece, begin: message.begin, length: message.length, atMs })
        this.#asked.delete(`${message.piece} ${message.begin}`)
        return
      case 'allowed-fast':
        this.allowed.push(message.piece)
        return
      case 'extended':
        return this.#extended(message.id, message.payload)
      case 'hash-request':
        return this.#answerHashes(message)
      default:
    }
  }

  #answerHashes(range: HashRange): void {
    const hashes = this.behaviour.hashes(range)
    if (hashes === undefined) return
    this.send(hashes === null ? encodeHashReject(range) : encodeHashes(range, hashes))
  }

  #serve(request: BlockName): void {
    this.requests.push(request)
    const { piece, begin, length } = request
    const { serves } = this.behaviour
    const how = typeof serves === 'function' ? serves(piece, begin) : serves
    if (how === 'reject') this.send(encodeReject(piece, begin, length))
    if (how !== 'good' && how !== 'bad') return
    this.#queue.push({ request, good: how === 'good' })
    this.#serveNext()
  }

  /** One block at a time goes to the line, so that a cancel can still reach those that wait. */
  #serveNext(): void {
    const next = this.#sending ? undefined : this.#queue.shift()
    if (next === undefined) return
    this.#sending = true
    this.sendBlock(next.request.piece, next.request.begin, next.request.length, next.good, () => {
      this.#sending = false
      this.#serveNext()
    })
  }

  #cancelled(block: BlockName): void {
    this.cancels.push(block)
    const at = this.#queue.findIndex(({ request }) => request.piece === block.piece && request.begin === block.begin)
    if (at < 0) return
    this.#queue.splice(at, 1)
    if (this.behaviour.fast) this.send(encodeReject(block.piece, block.begin, block.length))
  }

  #extended(id: number, payload: Uint8Array): void {
    if (id === 0) {
      const handshake = decodeExtendedHandshake(payload)
      this.nodeMetadataSize = handshake.metadataSize
      this.nodeMetadataId = handshake.m.get('ut_metadata') ?? 0
      return
    }
    if (id !== METADATA_ID) return
    const message = decodeMetadataMessage(payload)
    if (message.type === 'data') this.metadata.set(message.piece, Uint8Array.from(message.data))
    if (message.type !== 'request') return
    const start = message.piece * METADATA_PIECE_BYTES
    const data = this.torrent.info.subarray(start, start + METADATA_PIECE_BYTES)
    const answer = this.behaviour.hasMetadata
      ? encodeMetadataData(message.piece, this.torrent.info.length, data)
      : encodeMetadataReject(message.piece)
    this.send(encodeExtended(this.nodeMetadataId, answer))
  }

  #block(piece: number, begin: number, length: number): void {
    this.blocks.push({ piece, begin, length, atMs: this.#now() })
    this.#asked.delete(`${piece} ${begin}`)
    this.#leech()
  }

  /** Keeps `leeches` requests outstanding, round the torrent for ever: an endless appetite shows rates. */
  #leech(): void {
    const total = Math.ceil(this.torrent.content.length / BLOCK_BYTES)
    for (let tries = 0; tries < total && !this.choked && this.#asked.size < this.behaviour.leeches; tries++) {
      const start = (this.#nextBlock++ % total) * BLOCK_BYTES
      const piece = Math.floor(start / this.torrent.pieceLength)
      const begin = start % this.torrent.pieceLength
      if (!this.haves.includes(piece)) continue
      this.#asked.add(`${piece} ${begin}`)
      this.request(piece, begin, Math.min(BLOCK_BYTES, this.torrent.content.length - start))
    }
  }
}
