// How long a transport stream plays: the presentation times of its elementary packets at both ends (ISO 13818-1,
// 2.4.3.7).

import type { FieldBytes } from '../field-bytes.ts'
import { packetsIn } from './packets.ts'

/** Ticks of the clock in a second, and after how many it begins again: 26.5 hours. */
const TICKS = 90_000
const WRAP = 2 ** 33
/** A stream that plays longer than this, s, over a new beginning is not believed: its clock has a break. */
const MOST_OVER_WRAP = 12 * 3600
/** How much longer a stream may play than it would by the rate of either end. */
const MOST_SLOWER = 20
/** Ends that are shorter say nothing of their rate, s: sound and picture lie that far from each other. */
const LEAST_SPAN = 0.2

/** Times of a piece of a stream, ticks. */
export interface StreamTimes {
  readonly first: number
  readonly last: number
}

/** The earliest and the latest time in `bytes`; null = none is in them. */
export function timesIn(bytes: FieldBytes): StreamTimes | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { starts, payload } of packetsIn(bytes)) {
    const time = starts ? presentationTime(payload) : null
    if (time === null) continue
    first = Math.min(first, time)
    last = Math.max(last, time)
  }
  return last < first ? null : { first, last }
}

/**
 * Seconds from the start of the first piece of a stream to the end of its last one, over at most one new beginning of
 * the clock. Null: the clock has a break, as of recordings that were joined. `pieces`: how many such pieces the stream
 * is long.
 */
export function secondsBetween(head: StreamTimes, tail: StreamTimes, pieces: number): number | null {
  const wraps = tail.last < head.first
  const seconds = (tail.last - head.first + (wraps ? WRAP : 0)) / TICKS
  const span = Math.max(spanOf(head), spanOf(tail))
  const isSlow = span >= LEAST_SPAN && seconds > MOST_SLOWER * span * pieces
  return isSlow || (wraps && seconds > MOST_OVER_WRAP) ? null : seconds
}

function spanOf({ first, last }: StreamTimes): number {
  return (last - first) / TICKS
}

/** Null: no picture or sound begins here, or without a time. */
function presentationTime(payload: FieldBytes): number | null {
  if (payload.length < 14 || payload.u24(0) !== 1) return null
  const stream = payload.u8(3)
  const isMedia = (stream >= 0xc0 && stream <= 0xef) || stream === 0xbd || stream === 0xfd
  if (!isMedia || (payload.u8(6) & 0xc0) !== 0x80 || (payload.u8(7) & 0x80) === 0) return null
  const high = (payload.u8(9) >> 1) & 7
  return high * 2 ** 30 + (payload.u16(10) >> 1) * 2 ** 15 + (payload.u16(12) >> 1)
}
