// Who makes segments of films: threads, each one segment at a time.

import type { ReadableFilm } from '../../media/ports/film-reader.ts'
import type { SegmentJob, SegmentOutcome } from '../convert/thread-messages.ts'

/** Makes one segment at a time. */
export interface SegmentMaker {
  /**
   * Makes one; called again only when that has settled. Never `failed` or `given-up`: rejects with what reading the
   * film's bytes did, and with AppError Aborted within 100 ms when `signal` fires, and after stop().
   */
  make(job: SegmentJob, film: ReadableFilm, signal: AbortSignal): Promise<SegmentOutcome>
  /** Conversions are to come: what they need is loaded meanwhile. */
  warm(): void
  stop(): Promise<void>
}
