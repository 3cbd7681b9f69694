// Which files of a torrent are wanted, and whether they are wanted now: what that changes for what was begun.

import type { RoomParts } from './room-parts.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'
import type { TorrentReactions } from './torrent-reactions.ts'
import type { TorrentRun } from './torrent-run.ts'
import type { TorrentWork } from './torrent-work.ts'

/** Parts that a selection concerns. */
export interface SelectionParts extends Pick<RoomParts, 'requests' | 'pieces' | 'swarm'> {
  readonly run: TorrentRun
  readonly work: TorrentWork
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
