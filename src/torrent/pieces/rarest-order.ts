// How many peers have each piece, and the candidates (pieces not begun) in that order. A change by one moves a piece
// between neighbouring buckets in constant time; big changes only mark the order stale, and the next question sorts it
// once (counting sort). Peers with everything are one number. Invariant: where[order[i]] === i when not stale.

import type { Random } from '../../ports/random.ts'
import { forEachPiece, type PieceSet } from '../../base/piece-set.ts'

/** Availability above this is one bucket: with so many sources rarity means nothing, and inserting stays cheap. */
const TOP = 255
/** A bitfield with more pieces than this makes the order stale instead of moving piece by piece. */
const BULK = 64
/** After so many candidates the search goes through the peer's own pieces instead: both ways are bounded. */
const SCAN_LIMIT = 4096
/** Of a peer's own pieces so many are compared; enough to land near the rarest. */
const SAMPLE = 256

/** Availability counters and the rarest-first order of the candidate pieces of one torrent. */
export class RarestOrder {
  readonly #counts: Uint16Array
  readonly #order: Uint32Array
  readonly #where: Int32Array
  /** Bucket of availability a: order[starts[a]] to order[starts[a + 1] - 1]. */
  readonly #starts = new Uint32Array(TOP + 2)
  /** Pieces by availability, for availability(). */
  readonly #histogram: number[]
  #seeds = 0
  #stale = false
  /** No candidate lies before this byte of a piece set. */
  #firstByte = 0
  #seed: number

  /** For `pieceCount` pieces, none of them a candidate. */
  constructor(pieceCount: number, random: Random) {
    this.#counts = new Uint16Array(pieceCount)
    this.#order = new Uint32Array(pieceCount)
    this.#where = new Int32Array(pieceCount).fill(-1)
    this.#histogram = [pieceCount]
    this.#seed = random.below(0x7fffffff) + 1
  }

  /** Number of candidates. */
  get size(): number {
    return this.#starts[TOP + 1] ?? 0
  }

  /** Candidates that at least one connected peer has. */
  get reachable(): number {
    if (this.#seeds > 0) return this.size
    this.#freshen()
    return this.size - (this.#starts[1] ?? 0)
  }

  /** Connected peers that have `piece`. */
  countOf(piece: number): number {
    return (this.#counts[piece] ?? 0) + this.#seeds
  }

  /** Complete sources plus the fraction of pieces that have one more. */
  availability(): number {
    const total = this.#counts.length
    let least = 0
    while (least < this.#histogram.length - 1 && (this.#histogram[least] ?? 0) === 0) least++
    return total === 0 ? 0 : this.#seeds + least + (total - (this.#histogram[least] ?? 0)) / total
  }

  /** A peer with every piece came (+1) or went (-1). */
  countSeed(change: 1 | -1): void {
    this.#seeds += change
  }

  /** A peer with the pieces `set` (`count` of them) came or went. */
  countSet(set: PieceSet, count: number, change: 1 | -1): void {
    if (count > BULK) this.#stale = true
    forEachPiece(set, piece => this.countPiece(piece, change))
  }

  /** A peer got (+1) or lost (-1) `piece`. */
  countPiece(piece: number, change: 1 | -1): void {
    const before = this.#counts[piece] ?? 0
    const after = before + change
    this.#counts[piece] = after
    this.#histogram[before] = (this.#histogram[before] ?? 0) - 1
    this.#histogram[after] = (this.#histogram[after] ?? 0) + 1
    if (this.#stale || (this.#where[piece] ?? -1) < 0 || Math.min(before, TOP) === Math.min(after, TOP)) return
    if (change > 0) {
      const end = (this.#starts[before + 1] ?? 0) - 1
      this.#swap(piece, end)
      this.#starts[before + 1] = end
    } else {
      const start = this.#starts[before] ?? 0
      this.#swap(piece, start)
      this.#starts[before] = start + 1
    }
  }

  /** Makes `piece` a candidate. No effect when it is one. */
  insert(piece: number): void {
    if ((this.#where[piece] ?? 0) >= 0) return
    this.#firstByte = Math.min(this.#firstByte, piece >> 3)
    let hole = this.size
    this.#starts[TOP + 1] = hole + 1
    const level = this.#stale ? TOP : this.#level(piece)
    for (let at = TOP; at > level; at--) {
      const first = this.#starts[at] ?? 0
      if (first !== hole) this.#place(this.#order[first] ?? 0, hole)
      this.#starts[at] = first + 1
      hole = first
    }
    this.#place(piece, hole)
  }

  /** Takes `piece` out of the candidates. No effect when it is none. */
  remove(piece: number): void {
    let hole = this.#where[piece] ?? -1
    if (hole < 0) return
    this.#freshen()
    hole = this.#where[piece] ?? -1
    for (let at = this.#level(piece); at <= TOP; at++) {
      const last = (this.#starts[at + 1] ?? 0) - 1
      if (last !== hole) this.#place(this.#order[last] ?? 0, hole)
      this.#starts[at + 1] = last
      hole = last
    }
    this.#where[piece] = -1
  }

  /** Makes exactly the pieces of `set` candidates. */
  reset(set: PieceSet): void {
    this.#where.fill(-1)
    this.#starts.fill(0)
    this.#firstByte = 0
    const bytes = set.buffer
    let count = 0
    // One loop of its own, not forEachPiece: there may be 800,000, and a call for each takes a turn that is felt.
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      for (let bit = 0; byte !== 0 && bit < 8; bit++) {
        if ((byte & (0x80 >> bit)) === 0) continue
        this.#where[at * 8 + bit] = count
        this.#order[count++] = at * 8 + bit
      }
    }
    this.#starts[TOP + 1] = count
    this.#stale = true
  }

  /** The rarest candidate of `has` that `accept` takes, by chance among equals; -1 when there is none. */
  rarest(has: PieceSet, accept: (piece: number) => boolean): number {
    this.#freshen()
    let steps = 0
    for (let level = 0; level <= TOP; level++) {
      const start = this.#starts[level] ?? 0
      const length = (this.#starts[level + 1] ?? 0) - start
      const from = length > 0 ? this.#below(length) : 0
      for (let i = 0; i < length; i++) {
        const piece = this.#order[start + ((from + i) % length)] ?? 0
        if (has.get(piece) && accept(piece)) return piece
        if (++steps >= SCAN_LIMIT) return this.#rarestOfOwn(has, accept)
      }
    }
    return -1
  }

  /** Any candidate of `has` that `accept` takes, by chance; -1 when there is none. */
  random(has: PieceSet, accept: (piece: number) => boolean): number {
    const size = this.size
    const from = size > 0 ? this.#below(size) : 0
    for (let i = 0; i < size; i++) {
      const piece = this.#order[(from + i) % size] ?? 0
      if (has.get(piece) && accept(piece)) return piece
      if (i >= SCAN_LIMIT) return this.#rarestOfOwn(has, accept)
    }
    return -1
  }

  /**
   * The candidate of `has` that comes first in the torrent, and lies in `within` (null: anywhere); -1 when there is
   * none.
   */
  first(has: PieceSet, accept: (piece: number) => boolean, within: PieceSet | null): number {
    const bytes = has.buffer
    while (this.#firstByte < bytes.length && !this.#hasCandidate(this.#firstByte)) this.#firstByte++
    for (let at = this.#firstByte; at < bytes.length; at++) {
      const byte = (bytes[at] ?? 0) & (within === null ? 0xff : (within.buffer[at] ?? 0))
      for (let bit = 0; byte !== 0 && bit < 8; bit++) {
        const piece = at * 8 + bit
        if ((byte & (0x80 >> bit)) !== 0 && (this.#where[piece] ?? -1) >= 0 && accept(piece)) return piece
      }
    }
    return -1
  }

  /** A candidate of both sets that is among the rarest, by chance among equals; -1 when there is none. */
  rarestWithin(has: PieceSet, within: PieceSet, accept: (piece: number) => boolean): number {
    return this.#rarestOfOwn(has, accept, within)
  }

  #hasCandidate(byte: number): boolean {
    for (let piece = byte * 8; piece < byte * 8 + 8; piece++) if ((this.#where[piece] ?? -1) >= 0) return true
    return false
  }

  #rarestOfOwn(has: PieceSet, accept: (piece: number) => boolean, within: PieceSet | null = null): number {
    const bytes = has.buffer
    const from = this.#below(bytes.length)
    let best = -1
    let seen = 0
    for (let i = 0; i < bytes.length && seen < SAMPLE; i++) {
      const at = (from + i) % bytes.length
      const byte = (bytes[at] ?? 0) & (within === null ? 0xff : (within.buffer[at] ?? 0))
      for (let bit = 0; byte !== 0 && bit < 8; bit++) {
        const piece = at * 8 + bit
        if ((byte & (0x80 >> bit)) === 0 || (this.#where[piece] ?? -1) < 0 || !accept(piece)) continue
        seen++
        if (best < 0 || (this.#counts[piece] ?? 0) < (this.#counts[best] ?? 0)) best = piece
      }
    }
    return best
  }

  #freshen(): void {
    if (!this.#stale) return
    this.#stale = false
    const pieces = this.#order.slice(0, this.size)
    for (let i = pieces.length - 1; i > 0; i--) {
      const j = this.#below(i + 1)
      const kept = pieces[i] ?? 0
      pieces[i] = pieces[j] ?? 0
      pieces[j] = kept
    }
    this.#starts.fill(0)
    for (const piece of pieces) this.#starts[this.#level(piece) + 1] = (this.#starts[this.#level(piece) + 1] ?? 0) + 1
    for (let at = 1; at <= TOP + 1; at++) this.#starts[at] = (this.#starts[at] ?? 0) + (this.#starts[at - 1] ?? 0)
    const next = this.#starts.slice()
    for (const piece of pieces) {
      const level = this.#level(piece)
      const at = next[level] ?? 0
      next[level] = at + 1
      this.#place(piece, at)
    }
  }

  #level(piece: number): number {
    return Math.min(TOP, this.#counts[piece] ?? 0)
  }

  #place(piece: number, at: number): void {
    this.#order[at] = piece
    this.#where[piece] = at
  }

  #swap(piece: number, to: number): void {
    const from = this.#where[piece] ?? 0
    const other = this.#order[to] ?? 0
    this.#place(other, from)
    this.#place(piece, to)
  }

  /** xorshift32: choices among equals need no secrecy, and a draw of the Random port per piece would cost too much. */
  #below(below: number): number {
    let x = this.#seed
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#seed = x
    return (x >>> 0) % below
  }
}
