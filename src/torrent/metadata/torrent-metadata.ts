// Fetches a magnet's info dictionary from peers (BEP 9) and serves ours. Pieces go to the chunk store, not into memory;
// the whole counts only when its hash is the info hash. Peers may disagree on the size: each size is its own attempt,
// and they take turns (metadata-turns.ts). After a wrong hash with several senders one peer at a time is asked for
// everything: then it is clear who lies. Of a torrent that is v2 only (BEP 52) the piece layers come next: without them
// no piece could be verified.

import { DecodeError, errorText } from '../../base/errors.ts'
import type { Announcer } from '../../ports/announcer.ts'
import { decodeInfoInTurns, digestInSteps, isV2Only } from '../../wire/metainfo/metainfo.ts'
import {
  decodeMetadataMessage,
  encodeMetadataData,
  encodeMetadataReject,
  encodeMetadataRequest,
  METADATA_PIECE_BYTES,
} from '../../wire/peer/ut-metadata.ts'
import { missingLayers, withPieceRoots } from '../../wire/metainfo/piece-layers.ts'
import { runStepsInTurns, type Steps } from '../../wire/steps.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { PartReports } from '../part-reports.ts'
import { MetadataAttempt } from './metadata-attempt.ts'
import { type MetadataSource, MetadataTurns } from './metadata-turns.ts'
import type { PeerSession } from '../peers/peer-session.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import { type LayerOwner, TorrentHashes } from '../pieces/torrent-hashes.ts'

/** A peer that refused or fell silent is not asked again for this long. */
const PAUSE_MS = 15_000
/** Bytes of unsent data beyond which requests for metadata are refused: they cost the asker nothing. */
const MAX_BUFFERED_BYTES = 512 * 1024
/** Refusals are cheap to provoke: a peer may ask this often for what it does not get. */
const MAX_REFUSED = 2000

type MetadataReports = Pick<PartReports, 'metadataFound' | 'failed' | 'guilty'>

/** The metadata side of one torrent. */
export class TorrentMetadata implements LayerOwner {
  /** The hashes that the metadata lacks, and others (BEP 52). */
  readonly hashes: TorrentHashes
  readonly #core: TorrentCore
  readonly #announcer: Announcer
  readonly #reports: MetadataReports
  readonly #pausedUntil = new Map<string, number>()
  readonly #turns = new MetadataTurns()
  #attempt: MetadataAttempt | null = null
  /** From here on the attempt gives way to another one. */
  #turnEndsMs = 0
  #begun: Promise<void> = Promise.resolve()
  #solo = false
  /** The attempt whose bytes are being put together. */
  #finishing: MetadataAttempt | null = null
  /** The metadata is here, and its piece layers are not. */
  #layerless: Metainfo | null = null

  /** Between two steps of long work. */
  readonly #turn = (): Promise<void> => new Promise(resolve => this.#core.engine.clock.after(0, resolve))

  constructor(core: TorrentCore, announcer: Announcer, reports: MetadataReports) {
    this.#core = core
    this.#announcer = announcer
    this.#reports = reports
    this.hashes = new TorrentHashes(core, this, reports)
  }

  /**
   * Whether `metainfo`, which the torrent was given, lacks hashes without which no piece could be verified: they are
   * fetched, and metadataFound comes with all.
   */
  holdsBack(metainfo: Metainfo): boolean {
    if (!isV2Only(metainfo) || missingLayers(metainfo.v2).length === 0) return false
    this.#layerless = metainfo
    return true
  }

  /** A ut_metadata message. Throws DecodeError. */
  handle(peer: PeerSession, payload: Uint8Array): void {
    const message = decodeMetadataMessage(payload)
    if (message.type === 'request') this.#serve(peer, message.piece)
    else if (message.type === 'data') this.#data(peer, message.piece, message.totalSize, message.data)
    else if (message.type === 'reject') this.#refused(peer, message.piece)
  }

  /** The peer told whether it has metadata: it may be asked now. */
  peerReady(peer: PeerSession): void {
    this.hashes.peerReady(peer)
    if (this.#wanted) this.#ask(peer)
  }

  peerGone(peer: PeerSession): void {
    this.hashes.peerGone(peer)
    this.#pausedUntil.delete(peer.key)
    if (this.#attempt === null) return
    this.#attempt.release(peer.key, null)
    if (this.#attempt.solo === peer.key && this.#finishing === null) this.#attempt = null
    if (this.#wanted) this.#askAll()
  }

  /** Once a second. */
  tick(nowMs: number): void {
    if (this.#layerless !== null && this.#core.online) this.hashes.fetchLayers(this.#layerless)
    this.hashes.tick(nowMs)
    if (!this.#wanted) return
    for (const key of this.#attempt?.expire(nowMs) ?? []) this.#pause(key)
    this.#askAll()
  }

  /** Starts over (the torrent was stopped). */
  reset(): void {
    this.#attempt = null
    this.#finishing = null
    this.#pausedUntil.clear()
    this.#turns.clear()
    this.hashes.reset()
  }

  get #wanted(): boolean {
    const { content, online } = this.#core
    return content === null && online && this.#finishing === null && this.#layerless === null
  }

  #askAll(): void {
    const nowMs = this.#core.now()
    this.#chooseAttempt(nowMs)
    for (const peer of this.#core.peers.values()) this.#request(peer, nowMs)
  }

  #ask(peer: PeerSession): void {
    const nowMs = this.#core.now()
    if (this.#chooseAttempt(nowMs)) for (const one of this.#core.peers.values()) this.#request(one, nowMs)
    else this.#request(peer, nowMs)
  }

  #request(peer: PeerSession, nowMs: number): void {
    const attempt = this.#attempt
    if (attempt === null || attempt.size !== peer.metadataSize || !this.#canBeAsked(peer, nowMs)) return
    for (const piece of attempt.next(peer.key, nowMs, peer.peerId)) {
      peer.extend(peer.utMetadataId, encodeMetadataRequest(piece))
    }
  }

  #canBeAsked(peer: PeerSession, nowMs: number): boolean {
    if (peer.utMetadataId === 0 || peer.metadataSize === 0) return false
    return (this.#pausedUntil.get(peer.key) ?? 0) <= nowMs && peer.link.alive
  }

  /**
   * Begins an attempt when there is none, or when the present one had its turn and there are others. True when it did.
   */
  #chooseAttempt(nowMs: number): boolean {
    const old = this.#attempt
    if (old !== null && nowMs < this.#turnEndsMs && !old.idle(nowMs)) return false
    const sources = [...this.#core.peers.values()]
      .filter(peer => this.#canBeAsked(peer, nowMs))
      .map(peer => ({ key: peer.key, ip: peer.link.remote.ip, size: peer.metadataSize }))
    if (old !== null && sources.every(source => takesPart(source, old))) return false
    const turn = this.#turns.next(sources, this.#solo)
    if (turn === null) return false
    this.#begin(turn.source, nowMs)
    this.#turnEndsMs = nowMs + turn.turnMs
    return true
  }

  #begin({ key, size }: MetadataSource, nowMs: number): void {
    const { deps } = this.#core.engine
    this.#attempt = new MetadataAttempt(size, this.#solo ? key : null, nowMs)
    this.#begun = this.#begun.then(() => deps.metadata.begin(this.#core.infoHash, size))
    this.#begun.catch((error: unknown) => this.#diskFailed(error))
  }

  #data(peer: PeerSession, piece: number, totalSize: number, data: Uint8Array): void {
    const attempt = this.#attempt
    // What was asked of it in an earlier attempt is no fault of the peer.
    if (attempt === null || !this.#wanted || peer.metadataSize !== attempt.size) return
    if (totalSize !== attempt.size) {
      attempt.release(peer.key, piece)
      return this.#pause(peer.key)
    }
    if (!attempt.receive(peer.key, peer.link.remote.ip, piece, this.#core.now())) return
    const bytes = Uint8Array.from(data)
    const { metadata } = this.#core.engine.deps
    this.#begun = this.#begun.then(() =>
      attempt === this.#attempt ? metadata.put(this.#core.infoHash, piece, bytes) : undefined,
    )
    if (!attempt.complete) {
      this.#begun.catch((error: unknown) => this.#diskFailed(error))
      return this.#ask(peer)
    }
    this.#finishing = attempt
    this.#begun.then(() => this.#finish(attempt)).catch((error: unknown) => this.#diskFailed(error))
  }

  async #finish(attempt: MetadataAttempt): Promise<void> {
    const { metadata } = this.#core.engine.deps
    // Stopped meanwhile: not all that came was kept, so nobody is to be judged by it.
    if (this.#finishing !== attempt) return
    const bytes = await metadata.assemble(this.#core.infoHash)
    if (this.#finishing !== attempt) return
    const isOurs = await runStepsInTurns(this.#isOurs(bytes), this.#turn)
    if (this.#finishing !== attempt) return
    if (!isOurs) return this.#wrong(attempt)
    // Nobody waits for what is of no use any more.
    metadata.remove(this.#core.infoHash).catch((error: unknown) => {
      this.#core.engine.log.warn('a copy of metadata could not be removed', { error: errorText(error) })
    })
    const result = await this.#decode(bytes)
    if (this.#finishing !== attempt) return
    this.#finishing = null
    this.#attempt = null
    if (result instanceof DecodeError) this.#reports.failed(result)
    else if (this.#core.content === null) this.#found(result)
  }

  #found(metainfo: Metainfo): void {
    // A hybrid can begin with what v1 has.
    if (!this.holdsBack(metainfo)) this.#reports.metadataFound(metainfo)
    if (metainfo.v2 !== null && missingLayers(metainfo.v2).length > 0) this.hashes.fetchLayers(metainfo)
  }

  // --- LayerOwner

  layersKnown(pieceRoots: Uint8Array): void {
    const metainfo = this.#layerless
    this.#layerless = null
    const content = this.#core.content
    if (content !== null) {
      content.metainfo.v2?.pieceRoots.set(pieceRoots)
      this.#core.engine.deps.events.layersKnown?.(this.#core.infoHash, content.metainfo)
    } else if (metainfo !== null) this.#reports.metadataFound(withPieceRoots(metainfo, pieceRoots))
  }

  /** The hash by which the torrent is known is one of v1 or v2, and a magnet may name both. */
  *#isOurs(bytes: Uint8Array): Steps<boolean> {
    const { infoHash, infoHashV2 } = this.#core
    const isV1 = hexOf(yield* digestInSteps('sha1', bytes)) === infoHash
    if (isV1 && infoHashV2 === null) return true
    const v2 = hexOf(yield* digestInSteps('sha256', bytes))
    if (isV1) return v2 === infoHashV2
    return v2.startsWith(infoHash) && (infoHashV2 === null || v2 === infoHashV2)
  }

  async #decode(bytes: Uint8Array): Promise<Metainfo | DecodeError> {
    try {
      const knownAs = this.#core.infoHash
      const metainfo = await decodeInfoInTurns(bytes, this.#announcer.tiers(), this.#turn, { knownAs })
      if (metainfo.infoHash !== knownAs) return new DecodeError('the metadata is of another version than its info hash')
      return metainfo
    } catch (error) {
      if (error instanceof DecodeError) return error
      throw error
    }
  }

  #wrong(attempt: MetadataAttempt): void {
    this.#attempt = null
    this.#finishing = null
    this.#solo = true
    this.#core.engine.log.warn('metadata does not match the info hash', {
      infoHash: this.#core.infoHash,
      senders: attempt.senders.size,
    })
    if (attempt.senders.size === 1) this.#reports.guilty([...attempt.senders], 'sent wrong metadata')
    this.#askAll()
  }

  #diskFailed(error: unknown): void {
    if (this.#attempt === null && this.#finishing === null) return
    this.#attempt = null
    this.#finishing = null
    this.#begun = Promise.resolve()
    this.#core.engine.log.error('metadata could not be kept', { error: errorText(error) })
    this.#reports.failed(error)
  }

  #refused(peer: PeerSession, piece: number): void {
    this.#attempt?.release(peer.key, piece)
    this.#pause(peer.key)
    if (this.#wanted) this.#askAll()
  }

  #pause(key: string): void {
    this.#pausedUntil.set(key, this.#core.now() + PAUSE_MS)
    const attempt = this.#attempt
    if (attempt?.solo === key) this.#attempt = null
  }

  #serve(peer: PeerSession, piece: number): void {
    if (peer.utMetadataId === 0) return
    const info = this.#core.content?.metainfo.infoBytes
    const at = piece * METADATA_PIECE_BYTES
    if (info === undefined || at >= info.length || peer.link.bufferedBytes > MAX_BUFFERED_BYTES) {
      peer.refused += 1
      if (peer.refused > MAX_REFUSED) return peer.close('asks for too much metadata', true)
      return peer.extend(peer.utMetadataId, encodeMetadataReject(piece))
    }
    const data = info.subarray(at, at + METADATA_PIECE_BYTES)
    peer.extend(peer.utMetadataId, encodeMetadataData(piece, info.length, data))
  }
}

function takesPart(source: MetadataSource, attempt: MetadataAttempt): boolean {
  return source.size === attempt.size && (attempt.solo === null || attempt.solo === source.key)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
