// Hashes everything a torrent has, once, in the background and with long pauses: finds what no look at a file can see
// (a disk that forgets, a change that put the old time back). What does not fit is a changed file's affair
// (changed-files.ts).

import { FileChanged } from '../../ports/piece-store.ts'
import { retryWhileBusy } from './busy-pool.ts'
import type { ChangedFiles } from './changed-files.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import { CheckRuns } from './check-runs.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

/** Attempts of one job: a pool that stays full this long is a fault. */
const MAX_ATTEMPTS = 200
/** After each run of pieces it pauses so many times as long as that took: a tenth of one thread, and of the disk. */
const REST_TIMES = 9
const SHORTEST_REST_MS = 20
/** States without other work on the data. */
const QUIET: ReadonlySet<string> = new Set(['seeding', 'stopped', 'queued'])

interface Round {
  wake: () => void
  /** A piece did not fit. */
  bad: boolean
}

/** The scrub of one torrent. */
export class TorrentScrub {
  readonly #core: TorrentCore
  readonly #changed: Pick<ChangedFiles, 'found'>
  #round: Round | null = null

  constructor(core: TorrentCore, changed: Pick<ChangedFiles, 'found'>) {
    this.#core = core
    this.#changed = changed
  }

  /** One is under way. */
  get underWay(): boolean {
    return this.#round !== null
  }

  /** It ends with the run under way. */
  stop(): void {
    const round = this.#round
    this.#round = null
    round?.wake()
  }

  /**
   * Hashes all pieces that are had. False: it was not brought to its end (stopped, started, moved on, a file is gone),
   * or a piece did not fit: begin it again. Rejects with what the store said.
   */
  async run(signal: AbortSignal): Promise<boolean> {
    const { content } = this.#core
    if (content === null || this.#round !== null || !QUIET.has(this.#core.status)) return false
    const round: Round = { wake: () => undefined, bad: false }
    this.#round = round
    const stop = () => this.stop()
    signal.addEventListener('abort', stop)
    try {
      const whole = await this.#hashAll(content, round)
      if (whole && !this.#core.working) await content.store.close()
      return whole
    } finally {
      signal.removeEventListener('abort', stop)
      if (this.#round === round) this.#round = null
    }
  }

  async #hashAll(content: TorrentContent, round: Round): Promise<boolean> {
    const { clock } = this.#core.engine
    const { have } = content.picker
    const pieces = Array.from({ length: content.lengths.pieceCount }, (_, i) => i).filter(piece => have.get(piece))
    const runs = new CheckRuns(pieces, content.lengths.pieceLength, 1)
    for (let run = runs.next(); run !== null; run = runs.next()) {
      if (this.#round !== round || !QUIET.has(this.#core.status)) return false
      const beganMs = clock.now()
      if (!(await this.#hash(content, run))) return false
      const tookMs = clock.now() - beganMs
      runs.took(tookMs)
      await this.#rest(Math.max(SHORTEST_REST_MS, REST_TIMES * tookMs), round)
    }
    // What is mended is hashed with everything else, in a scrub that finds nothing.
    return this.#round === round && !round.bad
  }

  /** False: some of it is not there. */
  async #hash(content: TorrentContent, { first, count }: PieceRun): Promise<boolean> {
    const check = () => content.store.check(first, count)
    const verdicts = await retryWhileBusy(this.#core.engine.clock, check, { maxAttempts: MAX_ATTEMPTS })
    for (const [i, verdict] of verdicts.entries()) if (verdict === 'bad-hash') this.#bad(content, first + i)
    return !verdicts.includes('missing')
  }

  /** Every file that has a part in the piece is in doubt, unless it is already. */
  #bad({ doubted, lengths, metainfo, picker }: TorrentContent, piece: number): void {
    if (!picker.have.get(piece) || doubted?.get(piece) === true) return
    if (this.#round !== null) this.#round.bad = true
    const begin = piece * lengths.pieceLength
    const end = begin + lengths.pieceLength
    for (const { index, offset, length, padding, path } of metainfo.files) {
      if (padding || length === 0 || offset >= end || offset + length <= begin) continue
      this.#changed.found(new FileChanged(index, 'changed', path.join('/')))
    }
  }

  #rest(ms: number, round: Round): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#core.engine.clock.after(ms, resolve)
      round.wake = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}
