// Ranges of files over HTTP(S), as web seeds need them: streamed, with back-pressure, at judged addresses. Redirects,
// names and connections are the adapter's job; when to ask again is the caller's.

import type { FileRange } from '../wire/net/http-range.ts'

/** Why a range did not come whole. */
export type RangeFailureKind =
  /** The signal fired. */
  | 'aborted'
  /** The address may not be asked, or is none: never ask again. */
  | 'refused'
  /** The server has no such file, or not for us. */
  | 'missing'
  /** The answer is not what was asked for: no ranges, another length, other bytes than the range. */
  | 'wrong'
  /** The server asks to come back later. */
  | 'busy'
  /** Name, connection or server failed. */
  | 'failed'

/** How a request ended. */
export type RangeOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: RangeFailureKind
      /** For people. */
      readonly text: string
      /** What the server asked for when it is busy, ms. */
      readonly retryAfterMs: number | null
    }

/**
 * Takes the bytes of a range in their order; `chunk` is valid only during the call. A promise stops reading from the
 * connection until it settles.
 */
export type RangeSink = (chunk: Uint8Array) => Promise<void> | undefined

/** Fetches ranges. */
export interface HttpRanges {
  /**
   * Gives `range` of the file at `url` to `sink`, never more than its length. Never rejects. After `signal` fired the
   * sink is not called any more. What has come before a failure is part of the range.
   */
  get(url: string, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome>
  close(): Promise<void>
}
