// A player of a film on virtual time: it waits as the forecast says, plays as fast as the film is, and stands still
// where a byte is not there. It notes when each piece came, so that the best start can be worked out afterwards.

import assert from 'node:assert/strict'
import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import type { Forecast } from '../../../src/torrent/streams/forecast.ts'
import type { AwakeTorrent, FileReader } from '../../../src/torrent/types.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** How often it looks, and plays on. */
const STEP_MS = 100
/** Longer waits are a fault. */
const MAX_WAIT_MS = 600_000

/** What it plays. */
export interface PlayedFilm {
  readonly clock: VirtualClock
  readonly torrent: () => AwakeTorrent
  readonly film: FilmFacts
  readonly pieceLength: number
  readonly length: number
  /** Lets a step of time pass; absent: the clock's. */
  readonly step?: (ms: number) => Promise<void>
  have(piece: number): boolean
}

/** One start of it. */
export interface PlayedRun {
  /** ms from the wish to the start, and to the best start, which is known afterwards. */
  readonly startMs: number
  readonly bestMs: number
  readonly stalls: number
  readonly stalledMs: number
  /** What was forecast on the way, ms after the wish. */
  readonly said: readonly { readonly atMs: number; readonly forecast: Forecast }[]
}

/** The player. */
export class FilmPlayer {
  readonly #what: PlayedFilm
  readonly #reader: FileReader
  /** When each piece was seen to be there. */
  readonly #came = new Map<number, number>()

  constructor(what: PlayedFilm) {
    this.#what = what
    this.#reader = what.torrent().openReader(0)
    this.#reader.setFilm(what.film)
  }

  /** Plays `seconds` from a byte on, begun as `mayStart` says. `onSecond` is called with each second that is played. */
  async play(
    from: number,
    seconds: number,
    mayStart: (forecast: Forecast) => boolean,
    onSecond: (second: number) => void = () => undefined,
  ): Promise<PlayedRun> {
    const { clock, film } = this.#what
    const wishedMs = clock.now()
    const said: { atMs: number; forecast: Forecast }[] = []
    this.#want(from)
    for (;;) {
      const forecast = this.#what.torrent().forecast(0, { byte: from }, film, 0)
      assert.ok(forecast)
      said.push({ atMs: clock.now() - wishedMs, forecast })
      if (mayStart(forecast)) break
      assert.ok(clock.now() - wishedMs < MAX_WAIT_MS, `still waiting: ${JSON.stringify(forecast)}`)
      await this.#step()
      // As browsers do, it reads while it waits.
      this.#want(from)
    }
    const startMs = clock.now() - wishedMs
    let [played, stalls, stalledMs, stands] = [0, 0, 0, false]
    while (played < seconds * 1000) {
      const at = Math.min(this.#what.length - 1, Math.floor(from + (film.bytesPerSecond * played) / 1000))
      const there = this.#what.have(Math.floor(at / this.#what.pieceLength))
      if (!there && !stands) stalls += 1
      stands = !there
      if (there) played += STEP_MS
      else stalledMs += STEP_MS
      this.#want(at)
      if (there && played % 1000 === 0) onSecond(played / 1000)
      await this.#step()
    }
    const bestMs = Math.max(0, this.#best(from, seconds) - wishedMs)
    return { startMs, bestMs, stalls, stalledMs, said }
  }

  close(): void {
    this.#reader.close()
  }

  #want(at: number): void {
    void Promise.resolve(this.#reader.waitFor(at)).catch(() => undefined)
  }

  async #step(): Promise<void> {
    const { clock, pieceLength, length, step } = this.#what
    await (step === undefined ? clock.advance(STEP_MS) : step(STEP_MS))
    for (let piece = 0; piece * pieceLength < length; piece += 1) {
      if (!this.#came.has(piece) && this.#what.have(piece)) this.#came.set(piece, clock.now())
    }
  }

  /** The earliest start, as a time of the clock, with which nothing of what was played would have been late. */
  #best(from: number, seconds: number): number {
    const { pieceLength, film, length } = this.#what
    const end = Math.min(length, from + film.bytesPerSecond * seconds)
    let best = 0
    for (let piece = Math.floor(from / pieceLength); piece * pieceLength < end; piece += 1) {
      const cameMs = this.#came.get(piece)
      assert.ok(cameMs !== undefined, `piece ${piece} was played and never came`)
      const playedMs = (Math.max(0, piece * pieceLength - from) * 1000) / film.bytesPerSecond
      best = Math.max(best, cameMs - playedMs)
    }
    return best
  }
}
