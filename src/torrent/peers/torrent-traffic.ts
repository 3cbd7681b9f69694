// What goes between a torrent and a connected peer: messages, blocks, and what is to be given or taken back when one
// comes or goes. Who is connected is torrent-peers.ts.

import { messageLimit } from '../../wire/peer/decoder.ts'
import type { PeerMessage } from '../../wire/peer/messages.ts'
import type { PeerBlockSink, PeerSession, PeerTraffic } from './peer-session.ts'
import type { TorrentMessages } from './torrent-messages.ts'
import type { TorrentRequests } from './torrent-requests.ts'
import { uploadSource } from './upload-source.ts'
import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import { PeerBlocks } from '../pieces/peer-blocks.ts'
import type { PieceLosses } from '../pieces/piece-losses.ts'
import type { TorrentBlocks } from '../pieces/torrent-blocks.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

/** Where messages and blocks go. */
export interface TrafficParts {
  readonly messages: TorrentMessages
  readonly blocks: TorrentBlocks
  readonly requests: TorrentRequests
  readonly metadata: TorrentMetadata
  readonly losses: PieceLosses
}

/** The traffic of one torrent. */
export class TorrentTraffic implements PeerTraffic {
  readonly #core: TorrentCore
  readonly #parts: TrafficParts

  constructor(core: TorrentCore, parts: TrafficParts) {
    this.#core = core
    this.#parts = parts
  }

  /** A peer is connected: it is greeted, and the torrent is ticked. */
  joined(peer: PeerSession): void {
    const { content } = this.#core
    if (content !== null) {
      this.serve(peer, content)
      content.picker.addPeer(peer.key, 'none')
    }
    peer.pipeline.setStreaming(this.#core.readers.hungry > 0)
    this.#parts.messages.greet(peer)
    this.#core.activate()
  }

  /** A peer is gone: what it was asked for is taken back. */
  left(peer: PeerSession): void {
    const { requests, metadata } = this.#parts
    peer.blocks.abandon()
    requests.withdrawAll(peer, true)
    peer.uploads.close()
    metadata.peerGone(peer)
    this.#core.content?.picker.removePeer(peer.key)
    requests.refillSoon()
  }

  /** Pieces of `content` can be sent to the peer from now on. */
  serve(peer: PeerSession, content: TorrentContent): void {
    peer.uploads.setSource(uploadSource(this.#core, peer, content, this.#parts.losses))
  }

  // --- PeerTraffic

  get maxMessageBytes(): number {
    return messageLimit(this.#core.content?.lengths.pieceCount ?? null)
  }

  blocksOf(peer: PeerSession): PeerBlockSink {
    return new PeerBlocks(this.#core, this.#parts.requests, this.#parts.blocks, peer)
  }

  message(peer: PeerSession, message: PeerMessage): void {
    this.#parts.messages.handle(peer, message)
  }

  turnDone(peer: PeerSession): void {
    if (!this.#core.working) return
    peer.uploads.uploadGoOn()
    this.#parts.requests.refill(peer)
  }
}
