// A torrent as its peers meet it. Owns who is connected (torrent-peers.ts), what is said (torrent-traffic.ts,
// torrent-messages.ts) and the blocks that come in (torrent-blocks.ts): tells of pieces and bans. Knows nothing of the
// torrent's life.

import type { Announcer } from '../../ports/announcer.ts'
import { encodeHave } from '../../wire/peer/messages.ts'
import { judge, judgeAll } from './interest.ts'
import { PeerShortage } from './peer-shortage.ts'
import type { PieceLosses } from '../pieces/piece-losses.ts'
import { TorrentBlocks } from '../pieces/torrent-blocks.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import { TorrentChoking } from './torrent-choking.ts'
import { TorrentMessages } from './torrent-messages.ts'
import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import { TorrentPeers } from './torrent-peers.ts'
import type { TorrentPieces } from '../pieces/torrent-pieces.ts'
import type { TorrentRequests } from './torrent-requests.ts'
import { TorrentTraffic } from './torrent-traffic.ts'

/**
 * Peers that were connected before a check hear of so many pieces one by one; of more by a new connection's bitfield.
 */
const MAX_HAVES_TOLD = 10_000

/** Parts of the torrent that peers' messages and blocks go to. */
export interface SwarmTargets {
  readonly requests: TorrentRequests
  readonly pieces: TorrentPieces
  readonly metadata: TorrentMetadata
  readonly losses: PieceLosses
}

/** The swarm of one torrent, as far as it is connected. */
export class TorrentSwarm {
  readonly peers: TorrentPeers
  readonly blocks: TorrentBlocks
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #choking: TorrentChoking
  readonly #messages: TorrentMessages
  readonly #traffic: TorrentTraffic

  constructor(core: TorrentCore, targets: SwarmTargets, announcer: Announcer) {
    const { requests, metadata } = targets
    this.#core = core
    this.#requests = requests
    this.blocks = new TorrentBlocks(core, requests, targets.pieces)
    this.#choking = new TorrentChoking(core)
    this.#messages = new TorrentMessages(core, requests, metadata, this.#choking)
    this.#traffic = new TorrentTraffic(core, { ...targets, messages: this.#messages, blocks: this.blocks })
    this.peers = new TorrentPeers(core, this.#traffic, this.#choking, new PeerShortage(core, announcer))
  }

  /** The metadata came: peers can be served, and what they told early gets its meaning. */
  metadataFound(content: TorrentContent): void {
    if (content.metainfo.private) this.peers.goPrivate()
    for (const peer of this.#core.peers.values()) {
      this.#traffic.serve(peer, content)
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
    judgeAll(this.#core)
    this.#requests.refillSoon()
    this.#choking.soon()
    // The other side must see the end of a connection before the next one: the tick makes it.
    if (!anew) this.peers.connector.connectSome(this.#core.now())
  }

  /** Tells of a piece that is there now. */
  tellHave(piece: number): void {
    const have = encodeHave(piece)
    for (const peer of this.#core.peers.values()) {
      if (!this.#core.forgets && !this.#core.isSeed(peer)) peer.link.send(have)
      judge(this.#core, peer)
    }
  }

  /** Peers that are connected know other things of us than those that come now: they come again. */
  meetAgain(): void {
    this.peers.closeAll('has other pieces to tell of')
    this.#core.activate()
  }

  /** Takes back what was told of a piece that is lost. */
  tellLost(piece: number): void {
    this.#messages.tellLost(piece)
  }

  /** What is wanted has changed: peers hear whether they are interesting. */
  judgeAll(): void {
    judgeAll(this.#core)
  }

  /** Ends the connections to these addresses, and makes none for a while. */
  ban(ips: readonly string[], reason: string): void {
    for (const ip of ips) this.#core.engine.connections.bans.ban(ip, reason, this.#core.now())
    this.peers.closeRefused(reason)
  }
}
