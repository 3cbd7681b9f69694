// The hashes of BEP 52 between a torrent and its peers: fetching piece layers and leaf hashes (hash-fetch.ts), serving
// ours (hash-serve.ts). Only connections that speak v2 take part; libtorrent drops others that ask.

import { DecodeError } from '../../base/errors.ts'
import { hashAt, hashCount } from '../../wire/metainfo/merkle.ts'
import { encodeHashReject, encodeHashRequest, type HashRange, type PeerMessage } from '../../wire/peer/messages.ts'
import { missingLayers } from '../../wire/metainfo/piece-layers.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { PartReports } from '../part-reports.ts'
import { HashFetch, type HashPeer } from './hash-fetch.ts'
import { type HashAsker, HashServe } from './hash-serve.ts'
import { ipOfKey, type PeerSession } from '../peers/peer-session.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import { speaksV2 } from './v2-upgrade.ts'

/** Bytes of unsent data beyond which hashes are refused: they cost the asker little. */
const MAX_BUFFERED_BYTES = 512 * 1024
/** Refusals are cheap to provoke: a peer may ask this often for what it does not get. */
const MAX_REFUSED = 2000

/** Hashes that no root proves, or blocks that have other hashes. */
const WRONG_HASHES = 'sent wrong metadata'

/** A message about hashes. */
export type HashMessage = Extract<PeerMessage, { readonly root: Uint8Array }>

/** Whose metadata lacks piece layers; see TorrentMetadata. */
export interface LayerOwner {
  /** All piece layers of what fetchLayers was given are known. Once. */
  layersKnown(pieceRoots: Uint8Array): void
}

/** The hashes of one torrent. */
export class TorrentHashes {
  readonly #core: TorrentCore
  readonly #owner: LayerOwner
  readonly #reports: Pick<PartReports, 'guilty'>
  /** What hashes are fetched for: before the torrent has its content, or the content's. */
  #metainfo: Metainfo | null = null
  #fetch: HashFetch | null = null
  #serve: HashServe | null = null
  #served: TorrentContent | null = null

  constructor(core: TorrentCore, owner: LayerOwner, reports: Pick<PartReports, 'guilty'>) {
    this.#core = core
    this.#owner = owner
    this.#reports = reports
  }

  /** Fetches the piece layers that `metainfo` lacks. Does nothing for v1. */
  fetchLayers(metainfo: Metainfo): void {
    if (this.#begin(metainfo) !== null) this.#askAll()
  }

  /**
   * A piece failed with blocks of several peers, and who sent which is noted (SmartBan): its leaf hashes are looked
   * for, and tell who is guilty before the piece is fetched again.
   */
  pieceFailed(piece: number): void {
    const metainfo = this.#core.content?.metainfo
    if (metainfo === undefined || !this.#core.smartBan.isSuspect(piece)) return
    const fetch = this.#begin(metainfo)
    fetch?.wantLeaves(piece)
    if (fetch?.busy) this.#askAll()
  }

  pieceDone(piece: number): void {
    this.#fetch?.forgetLeaves(piece)
  }

  /** A message about hashes; its views are not kept. Throws DecodeError for what nobody asked for. */
  handle(peer: PeerSession, message: HashMessage): void {
    const { key } = peer
    if (message.type === 'hash-request') return this.#request(peer, message)
    // The fetch may have ended, and its answers come late.
    if (this.#fetch === null) return
    if (message.type === 'hashes') this.#fetch.hashes(key, message, message.hashes)
    else this.#fetch.rejected(key, message, this.#core.now())
    this.#ask(peer)
  }

  /** A peer can be asked now. */
  peerReady(peer: PeerSession): void {
    const metainfo = this.#core.content?.metainfo
    // A hybrid that began without its layers, perhaps in an earlier run.
    if (this.#fetch === null && metainfo && speaksV2(metainfo, peer.infoHash) && lacksLayers(metainfo)) {
      this.fetchLayers(metainfo)
    } else this.#ask(peer)
  }

  peerGone(peer: PeerSession): void {
    this.#fetch?.peerGone(peer.key)
    this.#serve?.peerGone(peer.key)
  }

  /** Once a second. */
  tick(nowMs: number): void {
    if (this.#fetch === null) return
    this.#fetch.tick(nowMs)
    if (this.#fetch.busy) this.#askAll()
  }

  /** The torrent was stopped. */
  reset(): void {
    this.#fetch = null
    this.#metainfo = null
    this.#serve?.forget()
  }

  #begin(metainfo: Metainfo): HashFetch | null {
    const { v2 } = metainfo
    if (v2 === null) return null
    const same = this.#metainfo?.v2?.infoHash === v2.infoHash
    // Layers that became known on another way make the fetch for them needless.
    if (this.#fetch !== null && same && (this.#fetch.complete || missingLayers(v2).length > 0)) return this.#fetch
    this.#metainfo = metainfo
    this.#fetch = new HashFetch(v2, metainfo.pieceLength, {
      layersKnown: pieceRoots => this.#owner.layersKnown(pieceRoots),
      leavesKnown: (piece, leaves) => this.#leavesKnown(piece, leaves),
      guilty: key => this.#reports.guilty([ipOfKey(key)], WRONG_HASHES),
    })
    return this.#fetch
  }

  /** Evidence on v2 pieces is in leaf hashes (piece-evidence.ts). */
  #leavesKnown(piece: number, leaves: Uint8Array): void {
    const digests: string[] = []
    for (let leaf = 0; leaf < hashCount(leaves); leaf++) {
      digests.push(Buffer.from(hashAt(leaves, leaf)).toString('base64'))
    }
    const guilty = this.#core.smartBan.piecePassed(piece, digests)
    if (guilty.length > 0) this.#reports.guilty(guilty, WRONG_HASHES)
  }

  #askAll(): void {
    for (const peer of this.#core.peers.values()) this.#ask(peer)
  }

  #ask(peer: PeerSession): void {
    if (this.#fetch === null || !this.#fetch.busy || !this.#core.online) return
    if (!peer.link.alive || !speaksV2(this.#metainfo, peer.infoHash)) return
    this.#fetch.ask(askable(peer), this.#core.now())
  }

  #request(peer: PeerSession, range: HashRange): void {
    const serve = this.#serving()
    // Leaf hashes cost us reading and hashing: they are for those who may have the content (BEP 52 allows that).
    const allowed = range.baseLayer > 0 || !peer.amChoking || this.#isPieceLayer(range)
    if (serve !== null && allowed && peer.link.bufferedBytes <= MAX_BUFFERED_BYTES) {
      if (serve.request(asker(peer), range)) {
        peer.refusedHashes = 0
        return
      }
    } else peer.link.send(encodeHashReject(range))
    peer.refusedHashes += 1
    if (peer.refusedHashes > MAX_REFUSED) throw new DecodeError('asks for too many hashes')
  }

  /** With pieces of one leaf both layers are one, and known. */
  #isPieceLayer(range: HashRange): boolean {
    return range.baseLayer === 0 && this.#core.content?.stride === 1
  }

  #serving(): HashServe | null {
    const { content, working, engine } = this.#core
    if (content === null || content.metainfo.v2 === null || !working) return null
    if (this.#serve === null || this.#served !== content) {
      this.#served = content
      this.#serve = new HashServe({
        v2: content.metainfo.v2,
        pieceLength: content.lengths.pieceLength,
        has: piece => content.picker.have.get(piece),
        leaves: piece => content.store.leaves(piece),
        turn: () => new Promise<void>(resolve => engine.clock.after(0, resolve)),
      })
    }
    return this.#serve
  }
}

function askable(peer: PeerSession): HashPeer {
  return { key: peer.key, ask: range => peer.link.send(encodeHashRequest(range)) }
}

function asker(peer: PeerSession): HashAsker {
  return { key: peer.key, send: bytes => peer.link.send(bytes) }
}

function lacksLayers({ v2 }: Metainfo): boolean {
  return v2 !== null && missingLayers(v2).length > 0
}
