// What crosses the interface of the rates of the last hour, day and month of a download (extra, decision 0579).

import type { InfoHash } from '../../base/ids.ts'

/** How far back. */
export type RateRange = 'hour' | 'day' | 'month'

/** Averages, the oldest first: a number each `step` seconds from `start` on, zeros where nothing moved. */
export interface RateSeries {
  range: RateRange
  /** Unix time, seconds. */
  start: number
  /** Seconds that each number is the average of; the last is that of what has passed of them. */
  step: number
  /** Bytes/s of content. */
  speed_down: number[]
  speed_up: number[]
}

/** Rates as they were. */
export interface RatesService {
  /** AppErrors DownloadNotFound, NotReady, and those of the records. */
  of(infohash: string, range: RateRange): Promise<RateSeries & { infohash: string }>
}

/** What a download has moved since the last time this was said, bytes of content. */
export interface MovedBytes {
  readonly infoHash: InfoHash
  readonly down: number
  readonly up: number
}

/** Hears of what moves. */
export interface MovedBytesSink {
  /** Of all that moved, every few seconds, also when that is nothing. */
  moved(bytes: readonly MovedBytes[]): void
  /** The download is removed. */
  forget(infoHash: InfoHash): void
}
