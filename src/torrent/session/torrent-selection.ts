// Which files of a torrent are wanted, whether they are wanted now, and whether for readers alone: what that changes
// for what was begun.

import type { ReadCache } from './read-cache.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'
import type { TorrentReactions } from './torrent-reactions.ts'
import type { TorrentRun } from './torrent-run.ts'
import type { TorrentWork } from './torrent-work.ts'

/** Parts that a selection concerns. */
export interface SelectionParts extends Pick<RoomParts, 'requests' | 'pieces' | 'swarm'> {
  readonly run: TorrentRun
  readonly work: TorrentWork
  readonly cache: ReadCache
  readonly reactions: TorrentReactions
}

/** The selection of one torrent. */
export class TorrentSelection {
  readonly #core: TorrentCore
  readonly #parts: SelectionParts

  constructor(core: TorrentCore, parts: SelectionParts) {
    this.#core = core
    this.#parts = parts
  }

  /** Other files are wanted: what is not any more is given up. Throws AppError InvalidParameter. */
  select(files: readonly number[] | null): void {
    const { run, work, reactions } = this.#parts
    const dropped = this.#core.setSelected(files)
    const content = this.#core.content
    if (content === null) return
    this.#drop([...dropped, ...run.chooseWanted(content)], content)
    if (!this.#core.working) return run.regard()
    work.needMore()
    this.#parts.swarm.judgeAll()
    if (run.forReaders) return
    if (!this.#core.complete) run.setStatus('downloading')
    else if (this.#core.status === 'downloading') reactions.finished()
  }

  /**
   * It forgets from now on, or keeps what it has. Pieces that are on their way out at that moment are kept as far as
   * their bytes are there still, and only then it stops forgetting: nobody must hear of one that goes all the same.
   */
  setForgets(on: boolean): void {
    this.#core.toForget = on
    if (!this.#parts.cache.dropping) this.settleForgets()
  }

  /** What setForgets() was told last counts from now on: peers that are connected know other things of it. */
  settleForgets(): void {
    const core = this.#core
    const on = core.toForget
    if (core.forgets === on) return
    core.forgets = on
    const { content } = core
    const { run, work, swarm, cache, reactions } = this.#parts
    if (content === null) return
    this.#drop(run.chooseWanted(content), content)
    if (!core.working) return run.regard()
    swarm.meetAgain()
    if (on && core.status === 'seeding') run.setStatus('downloading')
    if (on) cache.begin()
    if (core.complete && core.status === 'downloading' && !run.forReaders) reactions.finished()
    else reactions.leftChanged()
    work.needMore()
    swarm.judgeAll()
  }

  /** Its turn in the queue is over. */
  hold(): void {
    const { run } = this.#parts
    const { content } = this.#core
    if (!run.hold() || content === null) return
    this.#drop(run.chooseWanted(content), content)
    this.#parts.swarm.judgeAll()
  }

  #drop(pieces: readonly number[], content: TorrentContent): void {
    this.#parts.requests.withdrawPieces(pieces, content)
    this.#parts.pieces.drop(pieces)
  }
}
