// The parts of a film between its key frames, as far as texts of a part of the time may lie there.

import type { Span } from '../../../../wire/subtitles/spans.ts'
import type { KeyTable } from '../film-facts.ts'

/** Muxers put texts that begin with a key frame before it too, s. */
const MOST_EARLY_SEC = 1

/** From one place of the index to the next: bytes, and the time that they play. */
export interface KeySpan {
  readonly start: number
  readonly end: number
  readonly span: Span
}

/**
 * Those of `keys`, whose places rise; without any, one from byte `first` on. `first`: where the film begins, whatever
 * its index says; `size`: where it ends.
 */
export function* keySpans(
  { times, bytes }: Pick<KeyTable, 'times' | 'bytes'>,
  { first, size }: { readonly first: number; readonly size: number },
  { fromSec, toSec }: Span,
): Generator<KeySpan> {
  const last = Math.max(0, times.length - 1)
  for (let at = 0; at <= last; at += 1) {
    const begin = at === 0 ? 0 : (times[at] ?? 0)
    const end = times[at + 1] ?? Number.POSITIVE_INFINITY
    if (end <= fromSec - MOST_EARLY_SEC) continue
    if (begin >= toSec) return
    const start = at === 0 ? Math.min(first, bytes[0] ?? first) : (bytes[at] ?? 0)
    yield { start, end: bytes[at + 1] ?? size, span: { fromSec: begin, toSec: end } }
  }
}
