// What a thread that makes segments and the node say to each other. Bytes of films come by memory that both share, as
// for the thread that reads facts (src/chapters/media/probe/thread-messages.ts); a made segment is handed over, not
// copied: the thread has it no more.

import type { ByteRange } from '../../media/core/byte-source.ts'
import type { ConvertedParts } from '../core/ffmpeg/conversion.ts'
import type { SegmentOrder } from '../core/samples.ts'

/** To the thread: a segment is to be made. */
export interface SegmentJob {
  /** What the film is called: what a tag names never changes. */
  readonly tag: string
  readonly size: number
  readonly order: SegmentOrder
  /** What another program is to convert: the cut is made for it, and no segment. Absent: the segment is made. */
  readonly cut?: ConvertedParts
  /** What that program made of the cut. */
  readonly converted?: { readonly parts: ConvertedParts; readonly bytes: Uint8Array }
}

/** What it is given: a job, or null = what conversions need is to be loaded, for a job that will come. */
export type SegmentTask = SegmentJob | null

/** What became of it. */
export type SegmentOutcome =
  | { readonly kind: 'made'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It cannot be made before this is there. */
  | { readonly kind: 'missing'; readonly range: ByteRange }
  /**
   * It never will be; `why`: a sentence without its beginning; `isCostly`: it took all the time or memory that it may
   * take, which may have been the machine's fault; `isSpoilt`: so is the thread, which holds what failed.
   */
  | { readonly kind: 'unreadable'; readonly why: string; readonly isCostly?: boolean; readonly isSpoilt?: boolean }
  /** The machine was too slow for it; `why` as above. */
  | { readonly kind: 'late'; readonly why: string }
  /** The disk's fault. */
  | { readonly kind: 'failed'; readonly why: string }
  /** Nobody waits for it any more; also of what was no job. */
  | { readonly kind: 'given-up' }
