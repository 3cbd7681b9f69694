// What it means for a forecast that those who send do it unevenly: how far the rate may swing, whether one of them may
// leave, and how much longer than the others the slowest one keeps what it was asked for. Pure.

import type { RateEstimate } from './rate-history.ts'

/** One that is connected. */
export interface ForecastSource {
  /** Bytes/s now. */
  readonly rate: number
  /** Bytes that were asked of it and have not come. */
  readonly asked: number
}

/** Share of the rate that it is taken to swing by, before it has been watched. */
const UNSEEN_SPREAD = 0.08
/** From this share of the rate on a spread counts as uneven in full. */
const UNEVEN = 0.1
/** Before that is known: sources that differ by this share of their mean count as even, and by so much more in full. */
const ALIKE = 0.1
const DIFFERENT = 0.15
/** What a source keeps longer is asked of another. */
const MAX_LAG_SEC = 3

/** The spread of a rate, bytes (RateEstimate). */
export function spreadOf({ bytesPerSecond, spread }: RateEstimate): number {
  return spread ?? UNSEEN_SPREAD * bytesPerSecond
}

/** How unevenly it comes, 0 to 1: by the swings of the rate, or before they are known by how sources differ. */
export function unevennessOf({ bytesPerSecond, spread }: RateEstimate, sources: readonly ForecastSource[]): number {
  if (spread !== null) return bytesPerSecond <= 0 ? 0 : Math.min(1, spread / bytesPerSecond / UNEVEN)
  return Math.max(0, Math.min(1, (differenceOf(sources) - ALIKE) / DIFFERENT))
}

/** Deviation of the rates of those that send, as share of their mean. */
function differenceOf(sources: readonly ForecastSource[]): number {
  const rates = sources.map(({ rate }) => rate).filter(rate => rate > 0)
  if (rates.length < 2) return 0
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  return Math.sqrt(rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (rates.length - 1)) / mean
}

/** Seconds that a piece may come later than its bytes would, as the slowest of several sources has the last of them. */
export function lagOf(sources: readonly ForecastSource[], bytesPerSecond: number): number {
  const sending = sources.filter(({ rate }) => rate > 0)
  // One alone sends them in their order.
  if (sending.length < 2) return 0
  const slowest = sending.reduce((most, { rate, asked }) => Math.max(most, asked / rate), 0)
  const together = sending.reduce((sum, { asked }) => sum + asked, 0) / bytesPerSecond
  return Math.max(0, Math.min(MAX_LAG_SEC, slowest - together))
}
