// Fetches a magnet's info dictionary from peers (BEP 9) and serves ours. Pieces go to the chunk store, not into memory;
// the whole counts only when its SHA-1 is the info hash. Peers may disagree on the size: each size is its own attempt.
// After a wrong hash with several senders one peer at a time is asked for everything: then it is clear who lies.

import { createHash } from 'node:crypto'
import { DecodeError, errorText } from '../base/errors.ts'
import { decodeInfoInTurns } from '../wire/metainfo.ts'
import {
  decodeMetadataMessage,
  encodeMetadataData,
  encodeMetadataReject,
  encodeMetadataRequest,
  METADATA_PIECE_BYTES,
} from '../wire/peer/ut-metadata.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import { MetadataAttempt } from './metadata-attempt.ts'
import type { PeerSession } from './peer-session.ts'
import type { TorrentCore } from './torrent-core.ts'

/** A peer that refused or fell silent is not asked again for this long. */
const PAUSE_MS = 15_000
/** Bytes of unsent data beyond which requests for metadata are refused: they cost the asker nothing. */
const MAX_BUFFERED_BYTES = 512 * 1024
/** Refusals are cheap to provoke: a peer may ask this often for what it does not get. */
const MAX_REFUSED = 2000

/** What this part tells others. */
export interface MetadataHooks {
  /** The metadata is here and checked. */
  metadataFound(metainfo: Metainfo): void
  /** It is here, but no torrent that this node can use, or the disk failed. */
  metadataUnusable(error: unknown): void
  /** These addresses sent metadata with a wrong hash. */
  guilty(ips: readonly string[]): void
  announceTiers(): string[][]
}

/** The metadata side of one torrent. */
export class TorrentMetadata {
  readonly #core: TorrentCore
  readonly #hooks: MetadataHooks
  readonly #pausedUntil = new Map<string, number>()
  #attempt: MetadataAttempt | null = null
  #begun: Promise<void> = Promise.resolve()
  #solo = false
  /** The attempt whose bytes are being put together. */
  #finishing: MetadataAttempt | null = null

  constructor(core: TorrentCore, hooks: MetadataHooks) {
    this.#core = core
    this.#hooks = hooks
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
    if (this.#wanted) this.#ask(peer)
  }

  peerGone(peer: PeerSession): void {
    this.#pausedUntil.delete(peer.key)
    if (this.#attempt === null) return
    this.#attempt.release(peer.key, null)
    if (this.#attempt.solo === peer.key && this.#finishing === null) this.#attempt = null
    if (this.#wanted) this.#askAll()
  }

  /** Once a second. */
  tick(nowMs: number): void {
    if (!this.#wanted) return
    for (const key of this.#attempt?.expire(nowMs) ?? []) this.#pause(key)
    this.#askAll()
  }

  /** Starts over (the torrent was stopped). */
  reset(): void {
    this.#attempt = null
    this.#finishing = null
    this.#pausedUntil.clear()
  }

  get #wanted(): boolean {
    return this.#core.content === null && this.#core.online && this.#finishing === null
  }

  #askAll(): void {
    for (const peer of this.#core.peers.values()) this.#ask(peer)
  }

  #ask(peer: PeerSession): void {
    const nowMs = this.#core.now()
    if (peer.utMetadataId === 0 || peer.metadataSize === 0) return
    if ((this.#pausedUntil.get(peer.key) ?? 0) > nowMs || !peer.link.alive) return
    // Peers of another size wait until the present attempt has nobody left to ask.
    if (this.#attempt === null || (this.#attempt.idle(nowMs) && this.#attempt.size !== peer.metadataSize)) {
      this.#begin(peer, nowMs)
    }
    const attempt = this.#attempt
    if (attempt === null || attempt.size !== peer.metadataSize) return
    for (const piece of attempt.next(peer.key, nowMs)) peer.extend(peer.utMetadataId, encodeMetadataRequest(piece))
  }

  #begin(peer: PeerSession, nowMs: number): void {
    const { deps } = this.#core.engine
    this.#attempt = new MetadataAttempt(peer.metadataSize, this.#solo ? peer.key : null, nowMs)
    this.#begun = this.#begun.then(() => deps.metadata.begin(this.#core.infoHash, peer.metadataSize))
    this.#begun.catch((error: unknown) => this.#diskFailed(error))
  }

  #data(peer: PeerSession, piece: number, totalSize: number, data: Uint8Array): void {
    const attempt = this.#attempt
    if (attempt === null || !this.#wanted) return
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
    if (createHash('sha1').update(bytes).digest('hex') !== this.#core.infoHash) return this.#wrong(attempt)
    // Nobody waits for what is of no use any more.
    metadata.remove(this.#core.infoHash).catch((error: unknown) => {
      this.#core.engine.log.warn('a copy of metadata could not be removed', { error: errorText(error) })
    })
    const result = await this.#decode(bytes)
    if (this.#finishing !== attempt) return
    this.#finishing = null
    this.#attempt = null
    if (result instanceof DecodeError) this.#hooks.metadataUnusable(result)
    else if (this.#core.content === null) this.#hooks.metadataFound(result)
  }

  async #decode(bytes: Uint8Array): Promise<Metainfo | DecodeError> {
    const { clock } = this.#core.engine
    const turn = () => new Promise<void>(resolve => clock.after(0, resolve))
    try {
      return await decodeInfoInTurns(bytes, this.#hooks.announceTiers(), turn)
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
    if (attempt.senders.size === 1) this.#hooks.guilty([...attempt.senders])
    this.#askAll()
  }

  #diskFailed(error: unknown): void {
    if (this.#attempt === null && this.#finishing === null) return
    this.#attempt = null
    this.#finishing = null
    this.#begun = Promise.resolve()
    this.#core.engine.log.error('metadata could not be kept', { error: errorText(error) })
    this.#hooks.metadataUnusable(error)
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
