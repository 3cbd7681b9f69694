// From when on a film plays to its end without a stall while it still comes in. Pure. Pieces come in order of the film
// at the rate of now, and one can be played when all of it is there. Added are what swings of the rate take in bad
// luck, what the slowest source's queue holds up, and a wait for the case that the largest source leaves.

import { contentBytes, piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import { countMissing, type PieceSet } from '../../base/piece-set.ts'
import type { PlayTimes } from './play-times.ts'
import type { RateEstimate } from './rate-history.ts'
import { type ForecastSource, lagOf, spreadOf, unevennessOf } from './uneven-sources.ts'

/** What would make it better; none where it plays already. */
export type ForecastHelp = 'wait' | 'more-peers' | 'pause-others'

/** What is to be expected. */
export interface Forecast {
  /**
   * `plays`: now. `later`: in startInSec seconds. `never`: as it is now it will not, for some of it is with nobody
   * (stopsAtSec), or nothing comes any more. `unknown`: nothing came yet.
   */
  readonly state: 'plays' | 'later' | 'never' | 'unknown'
  /** Seconds from now until a start plays to the end; null = never, or not known. */
  readonly startInSec: number | null
  /** The same while no other download takes from the line; null where that makes no difference that counts. */
  readonly startAloneSec: number | null
  /** Second of the film from which on nobody who is connected has it; null = all of the rest can be had. */
  readonly stopsAtSec: number | null
  /** Bytes of the rest of the film that are not there. */
  readonly missingBytes: number
  /** Bytes/s that come in now. */
  readonly rate: number
  /** Peers and web seeds that are connected. */
  readonly sources: number
  readonly helps: readonly ForecastHelp[]
}

/** What it is made of. */
export interface ForecastInput {
  readonly lengths: TorrentLengths
  /** Where the file lies in the torrent. */
  readonly file: { readonly offset: number; readonly length: number }
  readonly times: PlayTimes
  /** Byte of the file at which play begins. */
  readonly from: number
  /** Pieces that are there. */
  readonly there: PieceSet
  /** Bytes of a piece in progress. */
  receivedOf(piece: number): number
  /**
   * The first piece from `first` to `last` (included) that is not there, and that nobody who is connected has;
   * `last + 1` when there is none.
   */
  firstOfNobody(first: number, last: number): number
  /** Null: not known yet. */
  readonly rate: RateEstimate | null
  /** All who are connected. */
  readonly sources: readonly ForecastSource[]
  /** Bytes/s of all other downloads. */
  readonly othersRate: number
}

/** A piece is checked and written, and a player decodes a little ahead. */
const SLACK_SEC = 0.4
/** Deviations of the rate that are reckoned with: about one start in ten has worse luck. */
const BAD_LUCK = 1.6
/** The largest source is taken to leave so long after the start, and another to be found by the end of that time. */
const LEAVES_SEC = 10
const REPLACED_SEC = 120
/** That lengthens a wait by this share at most: most sources stay. */
const LEAVES_SHARE = 0.3
/** Rows that are looked at: of longer films several pieces at a time, as if all were needed with the first. */
const MAX_ROWS = 8192
/** What is gained by pausing others counts from here on: seconds, and share. */
const GAIN_SEC = 2
const GAIN_SHARE = 0.2

/** A place of the film: all up to its end must have come when its beginning is played. */
interface Row {
  readonly playSec: number
  /** Bytes from the start of play to the end of the place: what is missing, and all. */
  readonly missing: number
  readonly all: number
  readonly isThere: boolean
}

interface Rows {
  readonly rows: readonly Row[]
  readonly missingBytes: number
  readonly stopsAtSec: number | null
}

/** The forecast. */
export function forecastOf(input: ForecastInput): Forecast {
  const { rate, othersRate, sources } = input
  const { rows, missingBytes, stopsAtSec } = rowsOf(input)
  const common = { stopsAtSec, missingBytes, rate: rate?.bytesPerSecond ?? 0, sources: sources.length }
  if (rows.every(({ isThere }) => isThere)) return plays(common)
  if (stopsAtSec !== null) {
    return { ...common, state: 'never', startInSec: null, startAloneSec: null, helps: ['more-peers'] }
  }
  const now = rate === null ? null : startOf(rows, rate, sources)
  if (now === 0) return plays(common)
  const alone = rate === null ? null : aloneOf(rows, rate, input)
  const others: ForecastHelp[] = alone === null && (now !== null || othersRate === 0) ? [] : ['pause-others']
  if (now === null) {
    const state = rate === null ? 'unknown' : 'never'
    return { ...common, state, startInSec: null, startAloneSec: alone, helps: ['more-peers', ...others] }
  }
  const isShort = common.rate < playRate(rows)
  const helps: ForecastHelp[] = ['wait', ...(isShort ? (['more-peers'] as const) : []), ...others]
  return { ...common, state: 'later', startInSec: now, startAloneSec: alone, helps }
}

function plays(common: Pick<Forecast, 'stopsAtSec' | 'missingBytes' | 'rate' | 'sources'>): Forecast {
  return { ...common, state: 'plays', startInSec: 0, startAloneSec: null, helps: [] }
}

/** Seconds until a start, above 0 or 0; null where nothing comes. */
function startOf(rows: readonly Row[], rate: RateEstimate, sources: readonly ForecastSource[]): number | null {
  const { bytesPerSecond } = rate
  if (bytesPerSecond <= 0) return null
  const spread = spreadOf(rate)
  const loss = largestLoss(rate, sources)
  const late = SLACK_SEC + lagOf(sources, bytesPerSecond)
  // By nothing but luck; with the largest source gone; and what it would take if nothing were there.
  let [plain, safe, whole] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (const { playSec, missing, all, isThere } of rows) {
    whole = Math.max(whole, all / bytesPerSecond + late - playSec)
    if (isThere) continue
    const evenly = missing / bytesPerSecond
    const luck = timeFor(missing, bytesPerSecond, spread) - evenly
    const gone = (loss * Math.max(0, Math.min(playSec, REPLACED_SEC) - LEAVES_SEC)) / bytesPerSecond
    plain = Math.max(plain, evenly + luck + late - playSec)
    // Two misfortunes that know nothing of each other.
    safe = Math.max(safe, evenly + Math.hypot(luck, gone) + late - playSec)
  }
  return Math.max(0, Math.min(safe, plain + LEAVES_SHARE * whole))
}

/** Seconds until so many bytes have come, with bad luck: the t of rate t - BAD_LUCK spread sqrt(t) = bytes. */
function timeFor(bytes: number, bytesPerSecond: number, spread: number): number {
  const bad = BAD_LUCK * spread
  return ((bad + Math.sqrt(bad * bad + 4 * bytesPerSecond * bytes)) / (2 * bytesPerSecond)) ** 2
}

/** What the largest of several sources gives, bytes/s, as far as they send unevenly: those that swing also leave. */
function largestLoss(rate: RateEstimate, sources: readonly ForecastSource[]): number {
  const sum = sources.reduce((all, one) => all + one.rate, 0)
  const largest = sources.reduce((most, one) => Math.max(most, one.rate), 0)
  // When one alone leaves, no wait helps.
  if (sum <= 0 || largest >= sum) return 0
  return (largest / sum) * rate.bytesPerSecond * unevennessOf(rate, sources)
}

/** The start if the others paused, where that gains something. */
function aloneOf(rows: readonly Row[], rate: RateEstimate, { othersRate, sources }: ForecastInput): number | null {
  if (othersRate <= 0) return null
  const more = { ...rate, bytesPerSecond: rate.bytesPerSecond + othersRate }
  const [now, alone] = [startOf(rows, rate, sources), startOf(rows, more, sources)]
  if (alone === null) return null
  return now === null || now - alone > Math.max(GAIN_SEC, GAIN_SHARE * now) ? alone : null
}

/** Bytes/s that it is played with, up to its last piece. */
function playRate(rows: readonly Row[]): number {
  const [before, last] = [rows.at(-2), rows.at(-1)]
  return before === undefined || last === undefined || last.playSec <= 0 ? 0 : before.all / last.playSec
}

/** The film from the place on, and the first second of it that nobody has. */
function rowsOf(input: ForecastInput): Rows {
  const { lengths, file, times, from, there } = input
  const none: Rows = { rows: [], missingBytes: 0, stopsAtSec: null }
  if (from >= file.length) return none
  const [first, last] = piecesOfRange(lengths, file.offset + from, file.length - from)
  if (countMissing(there, first, last) === 0) return none
  const stride = Math.ceil((last - first + 1) / MAX_ROWS)
  const begin = times.secondAt(from)
  const startAt = (piece: number): number => times.secondAt(Math.max(from, piece * lengths.pieceLength - file.offset))
  const bytesOf = pieceSums(lengths, last)
  const rows: Row[] = []
  let [missing, all] = [0, 0]
  for (let piece = first; piece <= last; piece += stride) {
    const end = Math.min(piece + stride - 1, last)
    const lacking = countMissing(there, piece, end)
    all += bytesOf(end - piece + 1, end === last)
    const lacks = bytesOf(lacking, end === last && !there.get(last))
    // Of many together what has begun does not count.
    if (lacking > 0) missing += stride > 1 ? lacks : Math.max(0, lacks - input.receivedOf(piece))
    rows.push({ playSec: startAt(piece) - begin, missing, all, isThere: lacking === 0 })
  }
  const nobody = input.sources.length === 0 ? last + 1 : input.firstOfNobody(first, last)
  return { rows, missingBytes: missing, stopsAtSec: nobody > last ? null : startAt(nobody) }
}

/** Bytes of so many pieces of a file, with its last one or without: only that may be short, or padded. */
function pieceSums(lengths: TorrentLengths, last: number): (count: number, withLast: boolean) => number {
  const short = lengths.pieceLength - contentBytes(lengths, last)
  return (count, withLast) => count * lengths.pieceLength - (withLast ? short : 0)
}
