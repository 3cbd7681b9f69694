// Long answers whose clients read them slowly on purpose: players stop within a segment while they are paused, or have
// enough. They stay as long as streams do, with a budget of bytes of their own. Where that is used up, those go that
// have taken next to nothing for a while, then those that are slower than films play, then what others have beyond
// their share of the room: with a few links nobody keeps all others out.

import type { Clock } from '../../ports/clock.ts'
import type { BlockedStream, StreamSchedule } from './stream-schedule.ts'

/** Two of the longest segments, which are a little longer than the part of a film in them. */
const MAX_WAITING_BYTES = 104 * 1024 * 1024
/** What the native server allows. */
const PATIENCE_MS = 10_000
/** Who takes less than this in that time takes nothing. */
const PROGRESS_BYTES = 256 * 1024
/** Who has taken less than this in a second, since so long before, takes it to hold its place: films play faster. */
const SLOWEST_BYTES = 256 * 1024
const PROVEN_MS = 30_000
/** The room is shared by all that have some of it, as if they were at least two; a share is at least an eighth. */
const FEWEST_SHARES = 2
const MOST_SHARES = 8

/** An answer on its way. */
export interface SlowAnswer extends BlockedStream {
  /** Bytes that the client has taken. */
  readonly taken: number
}

/** How far one is. */
interface Way {
  readonly bytes: number
  /** See BytesReply.heldBy. */
  readonly holder: string
  readonly beganMs: number
  /** What it had taken when it last went on, and when that was. */
  taken: number
  sinceMs: number
}

/** All of a server. */
export class SlowReaders {
  readonly #schedule: StreamSchedule
  readonly #clock: Clock
  readonly #maxBytes: number
  readonly #answers = new Map<SlowAnswer, Way>()
  #bytes = 0
  /** Who was refused room that it may have, and when it asked last; `isOpen`: it has had none since. */
  #claim = { holder: '', ms: Number.NEGATIVE_INFINITY, isOpen: false }

  constructor(schedule: StreamSchedule, clock: Clock, maxBytes = MAX_WAITING_BYTES) {
    this.#schedule = schedule
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  /** Bytes of all answers on their way. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so many more fit for a holder, when others are cut. Without need none is. */
  makeRoom(bytes: number, holder: string): boolean {
    const share = this.#shareWith(holder)
    const held = this.#bytesOf(holder)
    // Beyond its share a holder has what nobody else asks for, but for its first answer: nobody is kept out.
    const isBeyond = held + bytes > share
    if (isBeyond && this.#claimsAgainst(holder)) return false
    const over = this.#bytes + bytes - this.#maxBytes
    const mayTake = !isBeyond || held === 0
    const cut = over <= 0 ? [] : this.#victims(over, mayTake ? { holder, share } : null)
    if (cut === null) {
      if (mayTake) this.#noteClaim(holder)
      return false
    }
    if (this.#claim.holder === holder) this.#claim.isOpen = false
    for (const answer of cut) answer.cut()
    return true
  }

  /** An answer of so many bytes for a holder is on its way. */
  add(answer: SlowAnswer, bytes: number, holder: string): void {
    this.#bytes += bytes
    const now = this.#clock.now()
    this.#answers.set(answer, { bytes, holder, beganMs: now, taken: answer.taken, sinceMs: now })
  }

  /** It is complete, or its client gone. */
  remove(answer: SlowAnswer): void {
    this.#schedule.unblock(answer)
    const way = this.#answers.get(answer)
    if (way === undefined) return
    this.#answers.delete(answer)
    this.#bytes -= way.bytes
  }

  /** It waits for its client from now on. */
  block(answer: SlowAnswer): void {
    const way = this.#answers.get(answer)
    if (way === undefined) return
    this.#note(answer, way)
    this.#schedule.block(answer)
  }

  /** It goes on. */
  unblock(answer: SlowAnswer): void {
    this.#schedule.unblock(answer)
  }

  /** Cuts every answer: its client may be paused for as long as it likes. */
  cutAll(): void {
    for (const answer of [...this.#answers.keys()]) answer.cut()
  }

  /** What a holder may have when others ask: an equal part of all. */
  #shareWith(holder: string): number {
    const holders = new Set(Array.from(this.#answers.values(), way => way.holder)).add(holder)
    if (this.#isClaimed()) holders.add(this.#claim.holder)
    return this.#maxBytes / Math.min(MOST_SHARES, Math.max(FEWEST_SHARES, holders.size))
  }

  #isClaimed(): boolean {
    return this.#clock.now() - this.#claim.ms < PATIENCE_MS
  }

  #claimsAgainst(holder: string): boolean {
    return this.#claim.holder !== holder && this.#isClaimed()
  }

  /** Who claims first is first served, as long as it goes on to ask. */
  #noteClaim(holder: string): void {
    if (this.#claim.isOpen && this.#claimsAgainst(holder)) return
    this.#claim = { holder, ms: this.#clock.now(), isOpen: true }
  }

  /** Answers with so many bytes that may be cut; `asker`: for whom others give what is beyond their share. */
  #victims(bytes: number, asker: { holder: string; share: number } | null): Iterable<SlowAnswer> | null {
    for (const [answer, way] of this.#answers) this.#note(answer, way)
    const cut = new Set<SlowAnswer>()
    let left = bytes
    const lent = asker === null ? [] : this.#lent(asker.holder, asker.share)
    for (const [answer, way] of [...this.#idle(), ...this.#trickling(), ...lent]) {
      if (left <= 0) break
      if (cut.has(answer)) continue
      cut.add(answer)
      left -= way.bytes
    }
    return left > 0 ? null : cut
  }

  /** Those that have taken next to nothing for a while, the longest first. */
  #idle(): [SlowAnswer, Way][] {
    const before = this.#clock.now() - PATIENCE_MS
    return [...this.#answers].filter(([, way]) => way.sinceMs <= before).sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
  }

  /** Those that are slower than films play, the slowest first. */
  #trickling(): [SlowAnswer, Way][] {
    const now = this.#clock.now()
    const rate = ([answer, { beganMs }]: [SlowAnswer, Way]): number => (answer.taken * 1000) / (now - beganMs)
    return [...this.#answers]
      .filter(one => now - one[1].beganMs >= PROVEN_MS && rate(one) < SLOWEST_BYTES)
      .sort((a, b) => rate(a) - rate(b))
  }

  /** What others than `holder` have beyond their share, and had time to take; the latest first. */
  #lent(holder: string, share: number): [SlowAnswer, Way][] {
    const now = this.#clock.now()
    const held = new Map<string, number>()
    const lent: [SlowAnswer, Way][] = []
    for (const [answer, way] of this.#answers) {
      const before = held.get(way.holder) ?? 0
      held.set(way.holder, before + way.bytes)
      // The first one of a holder may be longer than its share, and has as long as whoever is too slow.
      const timeMs = before === 0 ? PROVEN_MS : PATIENCE_MS
      if (way.holder !== holder && before + way.bytes > share && now - way.beganMs >= timeMs)
        lent.unshift([answer, way])
    }
    return lent
  }

  #bytesOf(holder: string): number {
    let bytes = 0
    for (const way of this.#answers.values()) if (way.holder === holder) bytes += way.bytes
    return bytes
  }

  #note(answer: SlowAnswer, way: Way): void {
    if (answer.taken - way.taken < PROGRESS_BYTES) return
    way.taken = answer.taken
    way.sinceMs = this.#clock.now()
  }
}
