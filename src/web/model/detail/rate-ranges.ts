// Rates as they were, as a page shows them: columns of a graph, what they come to, and a table of few rows. Pure.

import type { DownloadRates } from '../../../client/core-routes.ts'

/** Ranges that the node keeps, and how often it is asked for them while they are shown, ms. */
export const keptRanges = { hour: 20_000, day: 60_000, month: 300_000 } as const

/** A range that the node keeps. */
export type KeptRange = keyof typeof keptRanges

/** What is shown: live is what this page has seen itself. */
export type RateRange = KeptRange | 'live'

/** What this device has kept; the last hour where that is nothing. */
export function rangeIn(kept: unknown): RateRange {
  return kept === 'live' || (typeof kept === 'string' && Object.hasOwn(keptRanges, kept)) ? (kept as RateRange) : 'hour'
}

/** Unix seconds at which each average ends, bytes/s down, bytes/s up. */
export function rateColumns({ start, step, speed_down: down, speed_up: up }: DownloadRates): readonly number[][] {
  return [down.map((_, at) => start + (at + 1) * step), down, up]
}

/** What one direction comes to. */
export interface RateTotals {
  /** Bytes/s of the fastest step. */
  readonly most: number
  /** Bytes, as near as averages tell. */
  readonly bytes: number
}

/** What numbers of `step` seconds come to. */
export function totalsOf(rates: readonly number[], step: number): RateTotals {
  return {
    most: rates.reduce((most, rate) => Math.max(most, rate), 0),
    bytes: rates.reduce((sum, rate) => sum + rate * step, 0),
  }
}

/** A row of the table: averages of a part of the range. */
export interface RateRow {
  /** Unix seconds. */
  readonly from: number
  readonly down: number
  readonly up: number
}

/** The range in parts as long as each other, the newest first. */
export function rateRows({ start, step, speed_down: down, speed_up: up }: DownloadRates, parts: number): RateRow[] {
  const length = Math.max(1, Math.ceil(down.length / parts))
  const average = (rates: readonly number[], at: number): number => {
    const some = rates.slice(at, at + length)
    return some.reduce((sum, rate) => sum + rate, 0) / Math.max(1, some.length)
  }
  const begins = Array.from({ length: Math.ceil(down.length / length) }, (_, part) => part * length)
  return begins.map(at => ({ from: start + at * step, down: average(down, at), up: average(up, at) })).toReversed()
}
