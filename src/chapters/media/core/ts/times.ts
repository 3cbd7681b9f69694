// How long a transport stream plays: the presentation times of its elementary packets at both ends (ISO 13818-1,
// 2.4.3.7).

import type { FieldBytes } from '../field-bytes.ts'
import { packetsIn } from './packets.ts'

/** Ticks of the clock in a second, and after how many it begins again: 26.5 hours. */
const TICKS = 90_000
const WRAP = 2 ** 33

/** The earliest and the latest time in `bytes`, ticks; null = none is in them. */
export function timesIn(bytes: FieldBytes): { first: number; last: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { starts, payload } of packetsIn(bytes)) {
    const time = starts ? presentationTime(payload) : null
    if (time === null) continue
    first = Math.min(first, time)
    last = Math.max(last, time)
  }
  return last < first ? null : { first, last }
}

/** Seconds from one time to a later one, over at most one new beginning of the clock. */
export function secondsBetween(first: number, last: number): number {
  return (last >= first ? last - first : last + WRAP - first) / TICKS
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
