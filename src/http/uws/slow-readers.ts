// Long answers whose clients read them slowly on purpose: players stop within a segment while they are paused, or have
// enough. They stay as long as streams do, with a budget of bytes of their own. Where that is used up, those go that
// have taken next to nothing for a while, the longest first: nobody is worse off than with the native server's 10 s.

import type { Clock } from '../../ports/clock.ts'
import type { BlockedStream, StreamSchedule } from './stream-schedule.ts'

/** Two of the longest segments, which are a little longer than the part of a film in them. */
const MAX_WAITING_BYTES = 104 * 1024 * 1024
/** What the native server allows. */
const PATIENCE_MS = 10_000
/** Who takes less than this in that time takes nothing. */
const PROGRESS_BYTES = 256 * 1024

/** An answer on its way. */
export interface SlowAnswer extends BlockedStream {
  /** Bytes that the client has taken. */
  readonly taken: number
}

/** How far one is. */
interface Way {
  readonly bytes: number
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

  constructor(schedule: StreamSchedule, clock: Clock, maxBytes = MAX_WAITING_BYTES) {
    this.#schedule = schedule
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  /** Bytes of all answers on their way. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so many more fit, when those are cut that take nothing. Without need none is. */
  makeRoom(bytes: number): boolean {
    let over = this.#bytes + bytes - this.#maxBytes
    if (over <= 0) return true
    const cut: SlowAnswer[] = []
    for (const [answer, way] of this.#idle()) {
      if (over <= 0) break
      cut.push(answer)
      over -= way.bytes
    }
    if (over > 0) return false
    for (const answer of cut) answer.cut()
    return true
  }

  /** An answer of so many bytes is on its way. */
  add(answer: SlowAnswer, bytes: number): void {
    this.#bytes += bytes
    this.#answers.set(answer, { bytes, taken: answer.taken, sinceMs: this.#clock.now() })
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

  /** Those that have taken next to nothing for a while, the longest first. */
  #idle(): [SlowAnswer, Way][] {
    for (const [answer, way] of this.#answers) this.#note(answer, way)
    const before = this.#clock.now() - PATIENCE_MS
    return [...this.#answers].filter(([, way]) => way.sinceMs <= before).sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
  }

  #note(answer: SlowAnswer, way: Way): void {
    if (answer.taken - way.taken < PROGRESS_BYTES) return
    way.taken = answer.taken
    way.sinceMs = this.#clock.now()
  }
}
