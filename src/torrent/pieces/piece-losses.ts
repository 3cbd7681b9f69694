// Pieces that peers were told of and whose bytes are gone: a read for a peer failed or came short. Each piece it
// touched is hashed again; one that is not there any more is lost: it is wanted again, and peers hear of it. Files that
// vanished, a disk that cannot be read and a torrent that loses piece after piece are the torrent's failure instead.
// Invariant: a piece is examined once at a time, MAX_SUSPECTS of them at most in a run of the torrent.

import { AppError } from '../../base/errors.ts'
import type { PartReports } from '../part-reports.ts'
import { retryWhileBusy } from './busy-pool.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentPieces } from './torrent-pieces.ts'

/** When somebody empties the files under a running torrent, it fails and says so; a few broken pieces are mended. */
const MAX_SUSPECTS = 256
/** Attempts of one check: a pool that stays full this long is a fault. */
const MAX_ATTEMPTS = 200

type LossReports = Pick<PartReports, 'piecesLost' | 'checkpoint' | 'storeFailed'>

/** The losses of one torrent. */
export class PieceLosses {
  readonly #core: TorrentCore
  readonly #pieces: TorrentPieces
  readonly #reports: LossReports
  readonly #underWay = new Set<number>()
  #suspects = 0

  constructor(core: TorrentCore, pieces: TorrentPieces, reports: LossReports) {
    this.#core = core
    this.#pieces = pieces
    this.#reports = reports
  }

  /** A new run of the torrent begins with its data checked. */
  reset(): void {
    this.#suspects = 0
  }

  /** Reading from the pieces `first` to `last` for a peer failed with `error`. */
  readFailed(error: unknown, first: number, last: number): void {
    const content = this.#core.content
    const mayBeMended = error instanceof AppError && error.code === 'DiskError'
    if (content === null || !mayBeMended) return this.#reports.storeFailed(error)
    for (let piece = first; piece <= last; piece += 1) {
      if (!this.#core.working) return
      if (this.#underWay.has(piece) || !content.picker.have.get(piece)) continue
      this.#suspects += 1
      if (this.#suspects > MAX_SUSPECTS) return this.#reports.storeFailed(error)
      this.#underWay.add(piece)
      this.#pieces.watch(this.#examine(content, piece))
    }
  }

  async #examine(content: TorrentContent, piece: number): Promise<void> {
    const verify = () => content.store.verify(piece)
    try {
      const verdict = await retryWhileBusy(this.#core.engine.clock, verify, { maxAttempts: MAX_ATTEMPTS })
      // A check of everything may have begun meanwhile: it finds out for itself.
      if (verdict === 'ok' || !this.#core.working || !content.picker.have.get(piece)) return
      this.#core.engine.log.warn('a piece is lost', { infoHash: this.#core.infoHash, piece, verdict })
      content.picker.pieceLost(piece)
      this.#pieces.dirty = true
      this.#reports.piecesLost([piece])
      if (this.#core.working) this.#reports.checkpoint()
    } catch (error) {
      this.#reports.storeFailed(error)
    } finally {
      this.#underWay.delete(piece)
    }
  }
}
