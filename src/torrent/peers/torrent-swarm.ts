// A torrent as its peers meet it: the host of their sessions. Owns who is connected (torrent-peers.ts), what they say
// (torrent-messages.ts) and the blocks that come in (torrent-blocks.ts): greets, judges whom we are interested in,
// tells of pieces, bans, and takes back what a peer leaves behind. Knows nothing of the torrent's life, readers and
// trackers.

import { messageLimit } from '../../wire/peer/decoder.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import { encodeHave, type PeerMessage } from '../../wire/peer/messages.ts'
import type { LinkReceiver, PeerLink } from './peer-link.ts'
import type { PeerHost, PeerSession } from './peer-session.ts'
import type { PieceSet } from '../pieces/piece-set.ts'
import { TorrentBlocks } from '../pieces/torrent-blocks.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import { TorrentMessages } from './torrent-messages.ts'
import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import { TorrentPeers } from './torrent-peers.ts'
import type { TorrentPieces } from '../pieces/torrent-pieces.ts'
import type { TorrentRequests } from './torrent-requests.ts'
import { uploadSource } from './upload-source.ts'

/**
 * Peers that were connected before a check hear of so many pieces one by one; of more by a new connection's bitfield.
 */
const MAX_HAVES_TOLD = 10_000
/** Trackers are asked for more peers this often when none is known. */
const WANT_PEERS_MS = 30_000

/** Parts of the torrent that peers' messages and blocks go to. */
export interface SwarmTargets {
  readonly requests: TorrentRequests
  readonly pieces: TorrentPieces
  readonly metadata: TorrentMetadata
}

/** What this part tells and asks others. */
export interface SwarmHooks {
  /** Readers miss pieces. */
  readersWait(): boolean
  /** A peer is connected: the torrent is to be ticked. */
  joined(): void
  /** Short of peers: trackers are to be asked; at most twice a minute, `urgent` (a reader waits) once a second. */
  wantPeers(urgent: boolean): void
  /** The disk said no when a peer was to be served from the pieces `first` to `last`. */
  readFailed(error: unknown, first: number, last: number): void
}

/** The swarm of one torrent, as far as it is connected. */
export class TorrentSwarm implements PeerHost {
  readonly peers: TorrentPeers
  readonly blocks: TorrentBlocks
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #metadata: TorrentMetadata
  readonly #messages: TorrentMessages
  readonly #hooks: SwarmHooks
  #wantPeersMs = Number.NEGATIVE_INFINITY

  constructor(core: TorrentCore, { requests, pieces, metadata }: SwarmTargets, hooks: SwarmHooks) {
    this.#core = core
    this.#requests = requests
    this.#metadata = metadata
    this.#hooks = hooks
    this.blocks = new TorrentBlocks(core, requests, pieces)
    this.#messages = new TorrentMessages(core, requests, metadata, {
      judge: peer => this.#judge(peer),
      interestChanged: () => this.peers.chokeSoon(),
      listensAt: (peer, port) => this.peers.listensAt(peer, port),
    })
    this.peers = new TorrentPeers(core, this, {
      joined: peer => this.#joined(peer),
      left: peer => this.#left(peer),
      wantPeers: () => this.#wantPeers(),
    })
  }

  // --- what torrent.ts asks

  /** Takes over an incoming connection; null = refused. */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    return this.peers.accept(link, handshake)
  }

  /** The metadata came: peers can be served, and what they told early gets its meaning. */
  metadataFound(content: TorrentContent): void {
    if (content.metainfo.private) this.peers.goPrivate()
    for (const peer of this.#core.peers.values()) {
      this.#serve(peer, content)
      try {
        this.#messages.applyEarly(peer, content)
      } catch {
        peer.close('told of pieces that do not exist', true)
      }
    }
  }

  /**
   * The data is checked (`fresh`: just now). Peers that were connected for the metadata hear what we have, or are sent
   * away.
   */
  working(content: TorrentContent, fresh: boolean): void {
    const anew = fresh && content.picker.haveCount > MAX_HAVES_TOLD
    if (anew) this.peers.closeAll('greeted before the data was checked')
    else if (fresh) this.#messages.sendHaves(content)
    this.judgeAll()
    this.#requests.refillSoon()
    this.peers.chokeSoon()
    // The other side must see the end of a connection before the next one: the tick makes it.
    if (!anew) this.peers.connector.connectSome(this.#core.now())
  }

  /** Tells of a piece that is there now. */
  tellHave(piece: number): void {
    const have = encodeHave(piece)
    for (const peer of this.#core.peers.values()) {
      if (!this.#core.isSeed(peer)) peer.link.send(have)
      this.#judge(peer)
    }
  }

  /** Takes back what was told of a piece that is lost. */
  tellLost(piece: number): void {
    this.#messages.tellLost(piece)
  }

  /** Peers get nothing of these pieces for now. */
  holdBack(pieces: PieceSet): void {
    for (const peer of this.#core.peers.values()) peer.uploads.clear(request => !pieces.get(request.piece))
  }

  /** What is wanted has changed: peers hear whether they are interesting. */
  judgeAll(): void {
    for (const peer of this.#core.peers.values()) this.#judge(peer)
  }

  ban(ips: readonly string[], reason: string): void {
    for (const ip of ips) this.#core.engine.bans.ban(ip, reason, this.#core.now())
    this.peers.closeRefused(reason)
  }

  // --- PeerHost

  get maxMessageBytes(): number {
    return messageLimit(this.#core.content?.lengths.pieceCount ?? null)
  }

  message(peer: PeerSession, message: PeerMessage): void {
    this.#messages.handle(peer, message)
  }

  blockStart(peer: PeerSession, piece: number, begin: number, length: number): Uint8Array | null {
    return this.blocks.start(peer, piece, begin, length)
  }

  blockEnd(peer: PeerSession, _piece: number, _begin: number, _length: number, stored: boolean): void {
    this.blocks.end(peer, stored)
  }

  turnDone(peer: PeerSession): void {
    if (!this.#core.working) return
    peer.uploads.uploadGoOn()
    this.#requests.refill(peer)
  }

  peerClosed(peer: PeerSession, reason: string, offence: boolean): void {
    this.peers.gone(peer, offence, reason)
  }

  // --- what follows from what

  #joined(peer: PeerSession): void {
    const content = this.#core.content
    if (content !== null) {
      this.#serve(peer, content)
      content.picker.addPeer(peer.key, 'none')
    }
    peer.pipeline.setStreaming(this.#hooks.readersWait())
    this.#messages.greet(peer)
    this.#hooks.joined()
  }

  #left(peer: PeerSession): void {
    this.blocks.abandon(peer)
    this.#requests.withdrawAll(peer, true)
    peer.uploads.close()
    this.#metadata.peerGone(peer)
    this.#core.content?.picker.removePeer(peer.key)
    this.#requests.refillSoon()
  }

  #serve(peer: PeerSession, content: TorrentContent): void {
    const failed = (error: unknown, first: number, last: number) => this.#hooks.readFailed(error, first, last)
    peer.uploads.setSource(uploadSource(this.#core, peer, content, failed))
  }

  #judge(peer: PeerSession): void {
    const content = this.#core.content
    if (content === null || !this.#core.working) return
    peer.interest(content.picker.isInteresting(peer.key))
  }

  #wantPeers(): void {
    const nowMs = this.#core.now()
    const urgent = this.#core.peers.size === 0 && this.#hooks.readersWait()
    if (!urgent && (this.#core.known.size > 0 || nowMs - this.#wantPeersMs < WANT_PEERS_MS)) return
    this.#wantPeersMs = nowMs
    this.#hooks.wantPeers(urgent)
  }
}
