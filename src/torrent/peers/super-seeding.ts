// Super-seeding (BEP 16): a seed that looks as if it had nothing and announces to each peer one or two pieces at a
// time, such as no other has; the next one when another peer has got that. So each piece leaves the seed about once.
// Decides only; the caller sends `have`. Knows no clock. Invariant: a peer may ask only for pieces announced to it, and
// has at most MAX_OPEN that no other has got from it.

import type { Random } from '../../ports/random.ts'
import { emptyPieceSet, type PieceSet } from '../../base/piece-set.ts'

/**
 * Pieces announced to a peer ahead: with two, one is on its way while the other is passed on; libtorrent does the same.
 */
const MAX_OPEN = 2
/**
 * A peer that has a piece for this long and gives it to none gets another all the same: there may be none to give to.
 */
const KEPT_MS = 60_000
/**
 * A peer without an open piece for this long gets the rarest one announced although others have it: they may not share.
 */
const IDLE_MS = 30_000

/**
 * Each wait in vain halves the next ones, down to this share, until peers are seen to get something from each other.
 */
const LEAST_PATIENCE = 1 / 32

/** What super-seeding must know of a swarm. */
export interface SuperSeedingView {
  readonly pieceCount: number
  /** Connected peers that have `piece`. */
  copies(piece: number): number
  peerHas(key: string, piece: number): boolean
}

/** A piece to announce to a peer. */
export interface Revelation {
  readonly key: string
  readonly piece: number
}

interface Guest {
  readonly key: string
  readonly told: PieceSet
  /** Told of and not seen elsewhere yet: piece -> since when the peer has it, null = it does not. */
  readonly open: Map<number, number | null>
  /** Share of the waits that it is worth, 1 at most. */
  patience: number
  /** Since when nothing is open. */
  idleSinceMs: number
}

/** The super-seeding of one torrent. */
export class SuperSeeding {
  readonly #view: SuperSeedingView
  readonly #random: Random
  readonly #guests = new Map<string, Guest>()
  /** How many guests have each piece open. */
  readonly #openCount: Uint16Array
  /**
   * The last search found every piece with a peer: there is none again before that may have changed, or the next tick.
   */
  #allOut = false

  constructor(view: SuperSeedingView, random: Random) {
    this.#view = view
    this.#random = random
    this.#openCount = new Uint16Array(view.pieceCount)
  }

  has(key: string): boolean {
    return this.#guests.has(key)
  }

  /** Guests that are here. */
  keys(): Iterable<string> {
    return this.#guests.keys()
  }

  /** True when the piece was announced to the peer: it may ask for it. */
  isTold(key: string, piece: number): boolean {
    return this.#guests.get(key)?.told.get(piece) ?? false
  }

  /**
   * A peer that has said what it has. Answers which pieces to announce to which peers: others may have waited for what
   * it has.
   */
  join(key: string, nowMs: number): Revelation[] {
    if (this.#guests.has(key)) return []
    const told = emptyPieceSet(this.#view.pieceCount)
    const revelations: Revelation[] = []
    for (const guest of this.#guests.values()) {
      for (const piece of guest.open.keys()) if (this.#view.peerHas(key, piece)) this.#close(guest, piece, nowMs)
      revelations.push(...this.#fill(guest, false, nowMs))
    }
    const guest: Guest = { key, told, open: new Map(), patience: 1, idleSinceMs: nowMs }
    this.#guests.set(key, guest)
    revelations.push(...this.#fill(guest, false, nowMs))
    return revelations
  }

  /** A peer is gone. What was announced to it may be announced to another. */
  leave(key: string): void {
    for (const piece of this.#guests.get(key)?.open.keys() ?? []) this.#count(piece, -1)
    this.#guests.delete(key)
    this.#allOut = false
  }

  /** A peer says that it has `piece`; the view counts it already. Answers which pieces to announce to which peers. */
  peerHave(key: string, piece: number, nowMs: number): Revelation[] {
    const revelations: Revelation[] = []
    const own = this.#guests.get(key)
    const passedOn = own === undefined || !own.told.get(piece)
    if (own !== undefined) {
      if (passedOn) own.patience = 1
      this.#ownHave(own, piece, nowMs)
    }
    for (const guest of this.#guests.values()) {
      if (guest.key !== key && this.#close(guest, piece, nowMs) && passedOn) guest.patience = 1
      revelations.push(...this.#fill(guest, false, nowMs))
    }
    return revelations
  }

  /**
   * A peer wants nothing of us: it has what was announced to it. Some do not send `have` to the peer they got it from.
   */
  contented(key: string, nowMs: number): Revelation[] {
    const guest = this.#guests.get(key)
    if (guest === undefined) return []
    for (const [piece, sinceMs] of guest.open) if (sinceMs === null) this.#ownHave(guest, piece, nowMs)
    return this.#fill(guest, false, nowMs)
  }

  /** A guest has fetched `piece`: what another has too, or no other can get, is not waited for. */
  #ownHave(guest: Guest, piece: number, nowMs: number): void {
    if (!guest.open.has(piece)) return
    if (this.#guests.size === 1 || this.#view.copies(piece) > 1) this.#close(guest, piece, nowMs)
    else guest.open.set(piece, nowMs)
  }

  /** Once a second: a peer that shares no piece, or has none to fetch, gets more announced all the same. */
  tick(nowMs: number): Revelation[] {
    const revelations: Revelation[] = []
    this.#allOut = false
    for (const guest of this.#guests.values()) {
      let kept = false
      for (const [piece, sinceMs] of guest.open) {
        if (sinceMs !== null && nowMs - sinceMs >= KEPT_MS * guest.patience) kept = this.#close(guest, piece, nowMs)
      }
      const idle = guest.open.size === 0 && nowMs - guest.idleSinceMs >= IDLE_MS * guest.patience
      if (kept || idle) guest.patience = Math.max(LEAST_PATIENCE, guest.patience / 2)
      revelations.push(...this.#fill(guest, idle, nowMs))
    }
    return revelations
  }

  /** Answers whether it was open. */
  #close(guest: Guest, piece: number, nowMs: number): boolean {
    if (!guest.open.delete(piece)) return false
    this.#count(piece, -1)
    if (guest.open.size === 0) guest.idleSinceMs = nowMs
    return true
  }

  /** Tells of as many pieces as there is room for; `anything`: of one, also when others have it. */
  #fill(guest: Guest, anything: boolean, nowMs: number): Revelation[] {
    const revelations: Revelation[] = []
    while (guest.open.size < MAX_OPEN) {
      const piece = this.#rarest(guest, anything && guest.open.size === 0)
      if (piece === null) break
      guest.told.set(piece, true)
      guest.open.set(piece, null)
      guest.idleSinceMs = nowMs
      this.#count(piece, 1)
      revelations.push({ key: guest.key, piece })
    }
    return revelations
  }

  /**
   * The piece that fewest have or are getting, of those that the guest neither has nor had announced; without
   * `anything` only 0.
   */
  #rarest(guest: Guest, anything: boolean): number | null {
    const { pieceCount } = this.#view
    if (pieceCount === 0 || (this.#allOut && !anything)) return null
    const first = this.#random.below(pieceCount)
    let best: number | null = null
    let fewest = anything ? Number.POSITIVE_INFINITY : 1
    for (let step = 0; step < pieceCount && fewest > 0; step += 1) {
      const piece = (first + step) % pieceCount
      const copies = this.#view.copies(piece) + (this.#openCount[piece] ?? 0)
      if (copies >= fewest || guest.told.get(piece) || this.#view.peerHas(guest.key, piece)) continue
      best = piece
      fewest = copies
    }
    if (!anything) this.#allOut = best === null
    return best
  }

  #count(piece: number, change: 1 | -1): void {
    this.#openCount[piece] = (this.#openCount[piece] ?? 0) + change
  }
}
