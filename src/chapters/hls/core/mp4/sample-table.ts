// Samples of one track of MP4 in its tables (ISO 14496-12, 8.6 and 8.7): which of them belong to a part of the film,
// and where each lies. Samples count from 0.

import { DecodeError } from '../../../../base/errors.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import { ChunkCursor, ChunkPlaces, type Rows, rowsOf, RunCursor, SampleSizes } from '../../../media/core/mp4/tables.ts'
import { MAX_SAMPLES, MAX_SEGMENT_BYTES, SAME_TIME_S } from '../samples.ts'

/** Samples of a track that are all key frames, as far as they are looked through: a day of 50 a second. */
const MAX_ALL_KEYS = 4_320_000

/** A sample, and where it lies in the file. */
export interface PlacedSample {
  /** When it is shown, seconds of the film. */
  readonly time: number
  readonly isKey: boolean
  readonly start: number
  readonly end: number
}

/** The samples of a track. */
export class SampleTable {
  readonly #track: MovieTrack
  readonly #times: Rows
  readonly #offsets: Rows | null
  readonly #chunks: Rows
  readonly #places: ChunkPlaces
  readonly #sizes: SampleSizes
  readonly #sync: Rows | null

  /** Throws DecodeError when a table is missing or too short. */
  constructor(track: MovieTrack) {
    const { tables } = track
    const [times, chunks] = [rowsOf(tables, 'stts', 2), rowsOf(tables, 'stsc', 3)]
    if (times === null || chunks === null || chunks.length === 0) throw new DecodeError('a track has no tables')
    this.#track = track
    this.#times = times
    this.#chunks = chunks
    this.#offsets = rowsOf(tables, 'ctts', 2)
    this.#places = new ChunkPlaces(tables)
    this.#sizes = new SampleSizes(tables)
    this.#sync = rowsOf(tables, 'stss', 1)
  }

  get count(): number {
    return this.#sizes.count
  }

  /** Pictures from the key frame at `start` up to that at `end`; `withLeading`: see SegmentOrder. */
  pictures(start: number, end: number, withLeading = false): PlacedSample[] {
    const first = this.#keyAt(start)
    if (first === null) throw new DecodeError('there is no key frame where its index says')
    const next = this.#keyAt(end)
    return this.#placed(first, next === null ? this.count : withLeading ? this.#behindLeading(next, end) : next)
  }

  /** The sample behind a key sample and those that are decoded behind it and shown before `end`. */
  #behindLeading(key: number, end: number): number {
    const [times, offsets] = this.#cursors()
    let sample = key + 1
    while (sample < this.count && sample < key + MAX_SAMPLES && this.#shown(sample, times, offsets) < end - SAME_TIME_S)
      sample += 1
    return sample
  }

  /**
   * Frames of sound that begin from `start` on and before `end`; where the first of them begins more than `mostLate`
   * later, s, the one before it too, which reaches so far.
   */
  sounds(start: number, end: number, mostLate = Number.POSITIVE_INFINITY): PlacedSample[] {
    const first = this.#firstFrom(start)
    const reaches = first > 0 && first < this.count && this.#firstFrom(start + mostLate) === first
    return this.#placed(reaches ? first - 1 : first, this.#firstFrom(end))
  }

  /** The first key sample that is shown at a time or later; null = there is none. */
  #keyAt(time: number): number | null {
    if (time === Number.POSITIVE_INFINITY) return null
    const [times, offsets] = this.#cursors()
    const count = this.#sync?.length ?? this.count
    if (this.#sync === null && count > MAX_ALL_KEYS) throw new DecodeError('a track has too many key frames')
    let before = -1
    for (let row = 0; row < count; row += 1) {
      const sample = this.#sync === null ? row : this.#sync.at(row) - 1
      // A list that falls is not one.
      if (sample <= before || sample >= this.count) continue
      before = sample
      if (this.#shown(sample, times, offsets) >= time - SAME_TIME_S) return sample
    }
    return null
  }

  /** The first sample that is decoded at a time or later. One pass: tables of strangers have millions of rows. */
  #firstFrom(time: number): number {
    const { timescale, shift } = this.#track
    const isBefore = (ticks: number): boolean => ticks / timescale + shift < time
    let [first, ticks] = [0, 0]
    for (let row = 0; row < this.#times.length; row += 1) {
      const [count, each] = [this.#times.at(row), this.#times.at(row, 1)]
      if (count > 0 && !isBefore(ticks + (count - 1) * each)) {
        const place = firstWhere(count, sample => !isBefore(ticks + sample * each))
        return Math.min(first + place, this.count)
      }
      first += count
      ticks += count * each
    }
    return isBefore(ticks) ? this.count : Math.min(first, this.count)
  }

  #cursors(): [RunCursor, RunCursor | null] {
    return [new RunCursor(this.#times), this.#offsets === null ? null : new RunCursor(this.#offsets, true)]
  }

  #shown(sample: number, times: RunCursor, offsets: RunCursor | null): number {
    const { timescale, shift } = this.#track
    return (times.sumBefore(sample) + (offsets?.valueAt(sample) ?? 0)) / timescale + shift
  }

  #placed(first: number, end: number): PlacedSample[] {
    if (end - first > MAX_SAMPLES || this.#sizes.sum(first, Math.min(end, first + MAX_SAMPLES)) > MAX_SEGMENT_BYTES)
      throw new DecodeError('a part of it is too long')
    const [times, offsets] = this.#cursors()
    const chunks = new ChunkCursor(this.#chunks, this.#places.count)
    const keys = this.#keysFrom(first, end)
    const placed: PlacedSample[] = []
    let [chunk, place] = [-1, 0]
    for (let sample = first; sample < end; sample += 1) {
      if (!chunks.seek(sample)) throw new DecodeError('a sample lies in no chunk')
      if (chunks.chunk !== chunk) {
        chunk = chunks.chunk
        place = this.#places.at(chunk) + this.#sizes.sum(chunks.firstSample, sample)
      }
      const size = this.#sizes.sum(sample, sample + 1)
      const isKey = keys === null || keys.has(sample)
      placed.push({ time: this.#shown(sample, times, offsets), isKey, start: place, end: place + size })
      place += size
    }
    return placed
  }

  /** Key samples of a part; null = all are. */
  #keysFrom(first: number, end: number): ReadonlySet<number> | null {
    const sync = this.#sync
    if (sync === null) return null
    const keys = new Set<number>()
    for (let row = 0; row < sync.length && sync.at(row) <= end; row += 1) {
      if (sync.at(row) > first) keys.add(sync.at(row) - 1)
    }
    return keys
  }
}

/** The first of `count` numbers for which something holds that then holds for all behind it. */
function firstWhere(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
