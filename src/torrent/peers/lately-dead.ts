// Addresses that did not answer lately, of all torrents of a session: a tracker that names only these wakes no
// download. Bounded, and forgets by itself: notes go into the younger of two sets, and the older one goes when its time
// is over.

import { addressKey, type InfoHash, type PeerAddress } from '../../base/ids.ts'
import type { Random } from '../../ports/random.ts'

/** A note counts at least so long, and at most twice. */
const GENERATION_MS = 90 * 60_000
/** Most notes of a generation: more, and it is over before its time. */
const MAX_NOTES = 50_000

/**
 * Addresses that did not answer lately, of all torrents of a session: a tracker that names only these wakes no
 * download.
 */
export class LatelyDead {
  /** Notes are numbers of 31 bits: of two that meet one is taken for the other, until both are forgotten. */
  readonly #random: Random
  #seed = 0
  #young = new Set<number>()
  #old = new Set<number>()
  #turnedMs = Number.NEGATIVE_INFINITY

  /** `random`: strangers must not know which notes collide. */
  constructor(random: Random) {
    this.#random = random
  }

  /** No answer from there when the torrent wanted peers. `nowMs`: clock time. */
  note(infoHash: InfoHash, address: PeerAddress, nowMs: number): void {
    if (this.#seed === 0) this.#seed = 1 + this.#random.below(0x7fffffff)
    this.#turn(nowMs)
    if (this.#young.size >= MAX_NOTES) this.#turnNow(nowMs)
    this.#young.add(this.#noteOf(infoHash, address))
  }

  /** Whether that was noted lately. */
  has(infoHash: InfoHash, address: PeerAddress, nowMs: number): boolean {
    this.#turn(nowMs)
    const note = this.#noteOf(infoHash, address)
    return this.#young.has(note) || this.#old.has(note)
  }

  /** There are new ways to them. */
  forget(): void {
    this.#young = new Set()
    this.#old = new Set()
  }

  #turn(nowMs: number): void {
    if (nowMs - this.#turnedMs < GENERATION_MS) return
    // No note came for so long that the younger ones are over as well.
    if (nowMs - this.#turnedMs >= 2 * GENERATION_MS) this.#young = new Set()
    this.#turnNow(nowMs)
  }

  #turnNow(nowMs: number): void {
    this.#old = this.#young
    this.#young = new Set()
    this.#turnedMs = nowMs
  }

  /** FNV-1a of both. */
  #noteOf(infoHash: InfoHash, address: PeerAddress): number {
    let hash = this.#seed
    const text = `${infoHash} ${addressKey(address)}`
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    return hash >>> 1
  }
}
