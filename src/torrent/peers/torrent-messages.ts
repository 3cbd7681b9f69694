// What the messages of a peer mean for the torrent. Each check that a hostile peer could fail ends its connection by a
// DecodeError, which counts as an offence. Blocks are torrent-blocks.ts, metadata torrent-metadata.ts, what else the
// extension protocol carries torrent-extensions.ts.

import { DecodeError } from '../../base/errors.ts'
import { BLOCK_BYTES } from '../../base/lengths.ts'
import { decodeExtendedHandshake, EXTENDED_HANDSHAKE_ID, type ExtendedHandshake } from '../../wire/peer/extension.ts'
import { allowedFastSet } from '../../wire/peer/allowed-fast.ts'
import {
  encodeAllowedFast,
  encodeBitfield,
  encodeHave,
  encodePlain,
  type PeerMessage,
} from '../../wire/peer/messages.ts'
import { UT_METADATA } from '../../wire/peer/ut-metadata.ts'
import { judge } from './interest.ts'
import { noteListenPort } from './listen-port.ts'
import { OUR_IDS } from './own-handshake.ts'
import { MAX_ALLOWED_FAST, type PeerSession } from './peer-session.ts'
import type { UploadRequest } from '../../base/request-queue.ts'
import { countBits, forEachPiece, fullPieceSet, type PieceSet, pieceSetFromBytes } from '../../base/piece-set.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentChoking } from './torrent-choking.ts'
import { TorrentExtensions } from './torrent-extensions.ts'
import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import type { TorrentRequests } from './torrent-requests.ts'

/** Requests that were refused one after the other before a peer is dropped. */
const MAX_REFUSED = 1000
/** Extended handshakes a peer may send: they may be repeated to change things. */
const MAX_SHAKES = 20
/** Bitfields a peer may send: one by BEP 3, a few more by clients in the field; each costs a walk over all pieces. */
const MAX_BITFIELDS = 20

/** The message handlers of one torrent. */
export class TorrentMessages {
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #metadata: TorrentMetadata
  readonly #choking: TorrentChoking
  readonly #extensions: TorrentExtensions

  constructor(core: TorrentCore, requests: TorrentRequests, metadata: TorrentMetadata, choking: TorrentChoking) {
    this.#core = core
    this.#requests = requests
    this.#metadata = metadata
    this.#choking = choking
    this.#extensions = new TorrentExtensions(core, requests)
  }

  /** What we send first on a fresh connection: who we are, what we have. */
  greet(peer: PeerSession): void {
    const content = this.#core.content
    if (peer.extended) this.#extensions.shakeHands(peer)
    this.sendPieces(peer)
    if (content !== null) this.#sendAllowedFast(peer, content)
    this.#extensions.joined(peer)
  }

  /** Tells what we have: first message after the handshake (BEP 3, 6). While we super-seed or forget it is nothing. */
  sendPieces(peer: PeerSession): void {
    const content = this.#core.content
    const tells = this.#core.working && !this.#core.forgets && !this.#extensions.mask(peer)
    const have = tells && content !== null ? content.picker.haveCount : 0
    if (content === null || have === 0) {
      if (peer.fast) peer.link.send(encodePlain('have-none'))
    } else if (peer.fast && have === content.lengths.pieceCount) {
      peer.link.send(encodePlain('have-all'))
    } else {
      peer.link.send(encodeBitfield(Uint8Array.from(content.picker.have.buffer)))
    }
  }

  /** The data has been checked while peers were connected already: they hear of each piece. */
  sendHaves(content: TorrentContent): void {
    if (this.#core.forgets) return
    if (this.#extensions.superSeeds) return this.#maskAll()
    const haves: Uint8Array[] = []
    forEachPiece(content.picker.have, piece => haves.push(encodeHave(piece)))
    if (haves.length === 0) return
    // One buffer for all: peers times pieces single messages would stop the loop.
    const bytes = Buffer.concat(haves)
    for (const peer of this.#core.peers.values()) if (!this.#core.isSeed(peer)) peer.link.send(bytes)
  }

  /** A piece is lost: peers hear of it, and get nothing of it any more. */
  tellLost(piece: number): void {
    for (const peer of this.#core.peers.values()) {
      if (peer.allowedOut.has(piece)) peer.allowedOut = new Set([...peer.allowedOut].filter(other => other !== piece))
      // Refused first: some take a refusal of what they have forgotten for an offence.
      peer.uploads.clear(request => request.piece !== piece)
      this.#extensions.tellLost(peer, piece)
    }
  }

  handle(peer: PeerSession, message: PeerMessage): void {
    switch (message.type) {
      case 'choke':
        return this.#choke(peer)
      case 'unchoke':
        peer.peerChoking = false
        return
      case 'interested':
      case 'not-interested':
        return this.#interest(peer, message.type === 'interested')
      case 'have':
        return this.#have(peer, message.piece)
      case 'bitfield':
        return this.#pieces(peer, message.bits)
      case 'have-all':
      case 'have-none':
        demand(peer.fast, `${message.type} without the fast extension`)
        return this.#pieces(peer, message.type === 'have-all' ? 'all' : 'none')
      case 'request':
        return this.#request(peer, message)
      case 'cancel':
        return peer.uploads.cancel(message)
      case 'reject':
        return this.#reject(peer, message)
      case 'allowed-fast':
        return this.#allowedFast(peer, message.piece)
      case 'suggest':
        return this.#suggested(peer, message.piece)
      case 'hash-request':
      case 'hashes':
      case 'hash-reject':
        return this.#metadata.hashes.handle(peer, message)
      case 'extended':
        return this.#extended(peer, message.id, message.payload)
      case 'port':
        return this.#extensions.port(peer, message.port)
      default:
        // keep-alive and unknown ids change nothing.
        return
    }
  }

  /** The metadata is known now: what the peer said of its pieces before gets its meaning. */
  applyEarly(peer: PeerSession, content: TorrentContent): void {
    const early = peer.early
    peer.early = null
    // Whoever waits for the metadata too learns that it can be had here.
    if (peer.extended) this.#extensions.shakeHands(peer)
    const bits = early?.bits ?? 'none'
    content.picker.addPeer(peer.key, this.#readPieces(content, bits))
    for (const piece of early?.haves ?? []) {
      demand(piece < content.lengths.pieceCount, 'have of a piece that does not exist')
      content.picker.peerHave(peer.key, piece)
    }
    judge(this.#core, peer)
  }

  #maskAll(): void {
    for (const peer of this.#core.peers.values()) {
      this.#extensions.mask(peer)
      if (peer.bitfields > 0) this.#extensions.toldPieces(peer)
    }
  }

  #sendAllowedFast(peer: PeerSession, content: TorrentContent): void {
    if (!peer.fast || !this.#core.working || content.picker.haveCount === 0) return
    if (peer.masked || this.#core.forgets) return
    const set = allowedFastSet(peer.link.remote.ip, this.#core.infoHash, content.lengths.pieceCount)
    peer.allowedOut = new Set(set.filter(piece => content.picker.have.get(piece)))
    for (const piece of peer.allowedOut) peer.link.send(encodeAllowedFast(piece))
  }

  #choke(peer: PeerSession): void {
    peer.peerChoking = true
    // Without the fast extension a choke discards all requests; with it each one is answered or rejected (BEP 6).
    if (!peer.fast) this.#requests.withdrawAll(peer, true)
  }

  #interest(peer: PeerSession, interested: boolean): void {
    if (peer.peerInterested === interested) return
    peer.peerInterested = interested
    if (!interested) this.#extensions.contented(peer)
    this.#choking.soon()
  }

  #have(peer: PeerSession, piece: number): void {
    const content = this.#core.content
    if (content === null) return peer.noteEarly(null, piece)
    demand(piece < content.lengths.pieceCount, 'have of a piece that does not exist')
    content.picker.peerHave(peer.key, piece)
    this.#extensions.peerHas(peer, piece)
    judge(this.#core, peer)
  }

  #pieces(peer: PeerSession, pieces: Uint8Array | 'all' | 'none'): void {
    demand(++peer.bitfields <= MAX_BITFIELDS, 'too many bitfields')
    const content = this.#core.content
    if (content === null) {
      peer.noteEarly(typeof pieces === 'string' ? pieces : Uint8Array.from(pieces), null)
      return
    }
    const told = this.#readPieces(content, pieces)
    if (peer.bitfields === 1) content.picker.addPeer(peer.key, told)
    else this.#addPieces(peer, content, told)
    this.#extensions.toldPieces(peer)
    judge(this.#core, peer)
  }

  /** A repeated bitfield (aria2 sends one while it downloads): what it adds is as if told by `have`. */
  #addPieces(peer: PeerSession, content: TorrentContent, told: PieceSet | 'all' | 'none'): void {
    if (told === 'none') return
    const pieces = told === 'all' ? fullPieceSet(content.lengths.pieceCount) : told
    forEachPiece(pieces, piece => content.picker.peerHave(peer.key, piece))
  }

  #readPieces(content: TorrentContent, pieces: Uint8Array | 'all' | 'none'): PieceSet | 'all' | 'none' {
    if (typeof pieces === 'string') return pieces
    const set = pieceSetFromBytes(pieces, content.lengths.pieceCount)
    if (set === null) throw new DecodeError('a bitfield of the wrong length or with spare bits set')
    return countBits(set.buffer) === 0 ? 'none' : set
  }

  #request(peer: PeerSession, request: UploadRequest): void {
    const content = this.#core.content
    // It was told of, and may be right: no offence.
    const barred = content?.doubted?.get(request.piece) === true || content?.leaving?.get(request.piece) === true
    if (barred) return peer.uploads.reject(request)
    const allowed = content !== null && this.#mayHave(peer, request, content)
    if (allowed && peer.uploads.add(request)) {
      peer.activeMs = this.#core.now()
      peer.refused = 0
      return
    }
    if (!allowed) peer.uploads.reject(request)
    peer.refused += 1
    demand(peer.refused <= MAX_REFUSED, 'too many requests that cannot be served')
  }

  #mayHave(peer: PeerSession, request: UploadRequest, content: TorrentContent): boolean {
    // What may be gone the next moment is not promised, and so not given.
    if (!this.#core.working || this.#core.forgets) return false
    const { lengths, picker } = content
    demand(request.piece < lengths.pieceCount, 'request of a piece that does not exist')
    const offset = request.piece * lengths.pieceLength + request.begin
    const end = Math.min(lengths.totalLength, (request.piece + 1) * lengths.pieceLength)
    demand(request.length > 0 && offset + request.length <= end, 'request beyond the end of a piece')
    if (request.length > peer.uploads.maxRequestBytes || !picker.have.get(request.piece)) return false
    if (!this.#extensions.mayFetch(peer, request.piece)) return false
    return !peer.amChoking || (peer.fast && peer.allowedOut.has(request.piece))
  }

  #reject(peer: PeerSession, block: UploadRequest): void {
    const content = this.#core.content
    if (content === null || block.begin % BLOCK_BYTES !== 0 || block.begin >= content.lengths.pieceLength) return
    // A piece that was allowed while choked is not allowed any more.
    peer.allowedIn.delete(block.piece)
    this.#requests.withdraw(peer, block.piece * content.stride + block.begin / BLOCK_BYTES, content)
  }

  #allowedFast(peer: PeerSession, piece: number): void {
    const count = this.#core.content?.lengths.pieceCount
    if (!peer.fast || peer.allowedIn.size >= MAX_ALLOWED_FAST) return
    if (count === undefined || piece < count) peer.allowedIn.add(piece)
  }

  #suggested(peer: PeerSession, piece: number): void {
    const content = this.#core.content
    // Before the metadata is known nothing can be asked for, and later there is a fresher suggestion.
    if (!peer.fast || content === null || content.picker.have.get(piece)) return
    demand(piece < content.lengths.pieceCount, 'a suggestion of a piece that does not exist')
    peer.noteSuggested(piece)
  }

  #extended(peer: PeerSession, id: number, payload: Uint8Array): void {
    if (!peer.extended) return
    if (id === EXTENDED_HANDSHAKE_ID) this.#extendedShake(peer, decodeExtendedHandshake(payload))
    else if (id === OUR_IDS.ut_metadata) this.#metadata.handle(peer, payload)
    else this.#extensions.handle(peer, id, payload)
  }

  #extendedShake(peer: PeerSession, shake: ExtendedHandshake): void {
    peer.extendedShakes += 1
    demand(peer.extendedShakes <= MAX_SHAKES, 'too many extended handshakes')
    peer.utMetadataId = shake.m.get(UT_METADATA) ?? peer.utMetadataId
    peer.metadataSize = shake.metadataSize ?? peer.metadataSize
    peer.uploadOnly = shake.uploadOnly
    this.#extensions.shaken(peer, shake)
    if (shake.version !== null) peer.client = shake.version
    if (shake.requestQueue !== null) peer.pipeline.setPeerQueue(shake.requestQueue)
    if (shake.listenPort !== null) noteListenPort(this.#core, peer, shake.listenPort)
    this.#metadata.peerReady(peer)
    judge(this.#core, peer)
  }
}

function demand(condition: boolean, offence: string): void {
  if (!condition) throw new DecodeError(offence)
}
