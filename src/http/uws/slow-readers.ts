// Long answers whose clients read them slowly on purpose: players stop within a segment while they are paused, or have
// enough. They stay as long as streams do, with a budget of bytes of their own. Where that is used up, those go that
// have taken next to nothing for a while, then those that are slower than films play, then what one film has beyond its
// half: with one link nobody keeps all others out.

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

/** An answer on its way. */
export interface SlowAnswer extends BlockedStream {
  /** Bytes that the client has taken. */
  readonly taken: number
}

/** How far one is. */
interface Way {
  readonly bytes: number
  /** The film that it is of. */
  readonly film: string
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
  /** Whose answer there was no room for last, and when. */
  #refused = { film: '', ms: Number.NEGATIVE_INFINITY }

  constructor(schedule: StreamSchedule, clock: Clock, maxBytes = MAX_WAITING_BYTES) {
    this.#schedule = schedule
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  /** Bytes of all answers on their way. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so many more of a film fit, when others are cut. Without need none is. */
  makeRoom(bytes: number, film: string): boolean {
    const now = this.#clock.now()
    // Beyond its half a film has what no other film asks for.
    const isLent = this.#bytesOf(film) + bytes > this.#maxBytes / 2
    if (isLent && this.#refused.film !== film && now - this.#refused.ms < PATIENCE_MS) return false
    const over = this.#bytes + bytes - this.#maxBytes
    if (over <= 0) return true
    const cut = this.#victims(over, isLent ? null : film)
    if (cut === null) {
      if (!isLent) this.#refused = { film, ms: now }
      return false
    }
    for (const answer of cut) answer.cut()
    return true
  }

  /** An answer of so many bytes of a film is on its way. */
  add(answer: SlowAnswer, bytes: number, film: string): void {
    this.#bytes += bytes
    const now = this.#clock.now()
    this.#answers.set(answer, { bytes, film, beganMs: now, taken: answer.taken, sinceMs: now })
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

  /** Answers with so many bytes that may be cut, for an answer with `film`; null = there are not enough. */
  #victims(bytes: number, film: string | null): Iterable<SlowAnswer> | null {
    for (const [answer, way] of this.#answers) this.#note(answer, way)
    const cut = new Set<SlowAnswer>()
    let left = bytes
    const lent = film === null ? [] : this.#lent(film)
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

  /** What other films have beyond their half, and had time to take; the latest first. */
  #lent(film: string): [SlowAnswer, Way][] {
    const before = this.#clock.now() - PATIENCE_MS
    const held = new Map<string, number>()
    const lent: [SlowAnswer, Way][] = []
    for (const [answer, way] of this.#answers) {
      const bytes = (held.get(way.film) ?? 0) + way.bytes
      held.set(way.film, bytes)
      if (way.film !== film && bytes > this.#maxBytes / 2 && way.beganMs <= before) lent.unshift([answer, way])
    }
    return lent
  }

  #bytesOf(film: string): number {
    let bytes = 0
    for (const way of this.#answers.values()) if (way.film === film) bytes += way.bytes
    return bytes
  }

  #note(answer: SlowAnswer, way: Way): void {
    if (answer.taken - way.taken < PROGRESS_BYTES) return
    way.taken = answer.taken
    way.sinceMs = this.#clock.now()
  }
}
