// One attempt to fetch an info dictionary of a given size: which pieces came, which peer is asked for which, and which
// sent what. Pure bookkeeping; bytes go elsewhere. Invariant: a piece is missing, asked of exactly one peer, or
// received.

import { metadataPieceCount } from '../../wire/peer/ut-metadata.ts'

/** A request without an answer for this long is given to another peer. */
const TIMEOUT_MS = 10_000
/** An attempt without progress for this long may be given up for another size. */
const STALE_MS = 20_000
/** Pieces asked of one peer at a time. */
const PER_PEER = 4
/**
 * How the peer ids of rtorrent begin, in hexadecimal: `-lt`. Asked again while it still sends, it never answers any
 * more.
 */
const ONE_AT_A_TIME = '2d6c74'

interface Asked {
  readonly peer: string
  readonly atMs: number
}

/** The state of one attempt. */
export class MetadataAttempt {
  readonly size: number
  /** When not null, only this peer is asked: it alone answers for the result. */
  readonly solo: string | null
  /** Addresses that sent pieces. */
  readonly senders = new Set<string>()
  readonly #received: Uint8Array
  readonly #asked = new Map<number, Asked>()
  #missing: number
  #progressMs: number

  constructor(size: number, solo: string | null, nowMs: number) {
    this.size = size
    this.solo = solo
    this.#progressMs = nowMs
    this.#received = new Uint8Array(metadataPieceCount(size))
    this.#missing = this.#received.length
  }

  get complete(): boolean {
    return this.#missing === 0
  }

  /** No peer is asked, and nothing came yet or for a while: another size may be tried instead. */
  idle(nowMs: number): boolean {
    const fresh = this.#missing < this.#received.length && nowMs - this.#progressMs < STALE_MS
    return this.#asked.size === 0 && !fresh
  }

  /** Notes what to ask of `peer` (`peerId` in hexadecimal) now, and answers it. */
  next(peer: string, nowMs: number, peerId = ''): number[] {
    if (this.solo !== null && this.solo !== peer) return []
    const most = peerId.startsWith(ONE_AT_A_TIME) ? 1 : PER_PEER
    let open = 0
    for (const asked of this.#asked.values()) if (asked.peer === peer) open += 1
    const pieces: number[] = []
    for (let piece = 0; piece < this.#received.length && open + pieces.length < most; piece += 1) {
      if (this.#received[piece] === 1 || this.#asked.has(piece)) continue
      this.#asked.set(piece, { peer, atMs: nowMs })
      pieces.push(piece)
    }
    return pieces
  }

  /** A piece came; false when this peer was not asked for it. */
  receive(peer: string, ip: string, piece: number, nowMs: number): boolean {
    if (this.#asked.get(piece)?.peer !== peer) return false
    this.#progressMs = nowMs
    this.#asked.delete(piece)
    this.#received[piece] = 1
    this.#missing -= 1
    this.senders.add(ip)
    return true
  }

  /** The peer refused a piece, or left (`piece` null: all of its). */
  release(peer: string, piece: number | null): void {
    for (const [index, asked] of this.#asked) {
      if (asked.peer === peer && (piece === null || piece === index)) this.#asked.delete(index)
    }
  }

  /** Takes back what was asked too long ago; the peers that did not answer. */
  expire(nowMs: number): Set<string> {
    const silent = new Set<string>()
    for (const [index, asked] of this.#asked) {
      if (nowMs - asked.atMs < TIMEOUT_MS) continue
      this.#asked.delete(index)
      silent.add(asked.peer)
    }
    return silent
  }
}
