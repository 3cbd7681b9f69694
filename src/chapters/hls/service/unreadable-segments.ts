// Segments that could not be made, remembered for a minute: players ask again and again. A film of which several took
// all the time or memory that they may take is left alone as a whole.

import type { Clock } from '../../../ports/clock.ts'
import { UnreadableFilms } from '../../media/service/unreadable-films.ts'
import type { SegmentJob } from '../convert/thread-messages.ts'

/** It may have been the machine's fault. */
const KEPT_MS = 60_000
/** Costly segments of a film within that time before it is left alone. */
const MAX_COSTLY = 3

/** Segments that could not be made. */
export class UnreadableSegments {
  readonly #segments: UnreadableFilms
  readonly #films: UnreadableFilms
  /** Costly ones by the tag of their film, the oldest first. */
  readonly #costly: UnreadableFilms[]

  /** `keptMs`: how long a segment is remembered. */
  constructor(clock: Clock, keptMs = KEPT_MS) {
    this.#segments = new UnreadableFilms(clock, keptMs)
    this.#films = new UnreadableFilms(clock, KEPT_MS)
    // The first has films that had one, the second those that had two.
    this.#costly = Array.from({ length: MAX_COSTLY - 1 }, () => new UnreadableFilms(clock, KEPT_MS))
  }

  /** Remembers one. */
  note(job: SegmentJob, why: string, isCostly: boolean): void {
    this.#segments.note(nameOf(job), why)
    if (!isCostly) return
    const next = this.#costly.find(films => films.why(job.tag) === null) ?? this.#films
    next.note(job.tag, why)
  }

  /** Why it could not be made lately; null = nothing is known against it. */
  why(job: SegmentJob): string | null {
    return this.#films.why(job.tag) ?? this.#segments.why(nameOf(job))
  }
}

/** Of a film whose picture is copied for one and converted for another there are two. */
function nameOf({ tag, order: { isHead, number, sound, withLeading = false } }: SegmentJob): string {
  return `${tag}/${sound ?? ''}/${withLeading ? 'converted' : 'copied'}/${isHead ? 'head' : number}`
}
