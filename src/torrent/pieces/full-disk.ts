// What a torrent that failed on a full disk waits for: looks again now and then whether there is space, and says so.
// One look at a time, however often the torrent fails.

import { AppError } from '../../base/errors.ts'
import type { Timer } from '../../ports/clock.ts'
import { probeSpace } from './space-probe.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** A full disk is looked at again after this long. */
const SPACE_RETRY_MS = 10_000

/** A run that may have failed on a full disk; see TorrentRun. */
export interface FailedRun {
  /** The torrent stands in its error and is to go on. */
  readonly waits: boolean
  /** There is space again. */
  goOn(): void
}

/** The disk of one torrent, as its last failure left it. */
export class FullDisk {
  readonly #core: TorrentCore
  readonly #run: FailedRun
  #full = false
  #retry: Timer | null = null

  constructor(core: TorrentCore, run: FailedRun) {
    this.#core = core
    this.#run = run
  }

  /** The last failure was a full disk, and nothing was written since. */
  get full(): boolean {
    return this.#full
  }

  /**
   * Notes a failure. Answers whether it is news: a disk that is full again before anything could be written is none.
   */
  failed(error: unknown): boolean {
    const again = this.#full
    this.#full = error instanceof AppError && error.code === 'DiskFull'
    return !(again && this.#full)
  }

  /** Something was written, or the user wants another try. */
  forget(): void {
    this.#full = false
  }

  /** Looks again later, if the last failure was a full disk. */
  watch(): void {
    if (!this.#full) return
    this.#retry?.cancel()
    this.#retry = this.#core.engine.clock.after(SPACE_RETRY_MS, () => this.#look())
  }

  #look(): void {
    const content = this.#core.content
    if (!this.#full || content === null || !this.#run.waits) return
    probeSpace(this.#core, content).then(
      free => {
        // Resumed, stopped or failed again while the disk was asked: that counts.
        if (!this.#full || !this.#run.waits) return
        if (free) this.#run.goOn()
        else this.watch()
      },
      (error: unknown) => this.#core.engine.defect(error),
    )
  }
}
