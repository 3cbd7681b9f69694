// What a thread that makes segments and the node say to each other. Bytes of films come by memory that both share, as
// for the thread that reads facts (src/chapters/media/probe/thread-messages.ts); a made segment is handed over, not
// copied: the thread has it no more.

import type { FilmBegun, RangeWanted } from '../../media/probe/thread-messages.ts'
import type { ByteRange } from '../../media/core/byte-source.ts'
import type { SegmentOrder } from '../core/samples.ts'

/** A third word in the shared memory, behind those of WORD: not 0 = nobody waits for the segment any more. */
export const GIVEN_UP_WORD = 2

/** To the thread: a segment is to be made. */
export interface SegmentJob {
  /** What the film is called: what a tag names never changes. */
  readonly tag: string
  readonly size: number
  readonly order: SegmentOrder
}

/** What became of it. */
export type SegmentOutcome =
  | { readonly kind: 'made'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It cannot be made before this is there. */
  | { readonly kind: 'missing'; readonly range: ByteRange }
  /** It never will be; `why`: a sentence without its beginning. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** The disk's fault. */
  | { readonly kind: 'failed'; readonly why: string }
  /** Nobody waits for it any more. */
  | { readonly kind: 'given-up' }

/** From the thread: the job is done. */
export interface SegmentDone {
  readonly kind: 'done'
  readonly outcome: SegmentOutcome
}

/** All that it says. */
export type FromSegmentThread = FilmBegun | RangeWanted | SegmentDone
