// Moving downloads to other folders: one at a time, in the background, over restarts. The records say `movingTo` from
// the request on, and name the new folder as `destination` only when every file is there and durable; then `movedFrom`
// says where the old files are still to be deleted. So at any instant `destination` has them all. Where another
// download has its own files in the old place they stay for it (decision 0261).

import { AppError, errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { FolderUse } from '../../ports/own-files.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import type { EventHub } from '../events/events.ts'
import type { SharedPlaces } from './places/shared-places.ts'
import type { StalledDownloads } from './stalled-downloads.ts'

/** What the moves need of the node. */
export interface StorageMovesDeps {
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, PathNotAllowed, DiskFull. */
  prepareFolder(folder: string, use?: FolderUse): Promise<string>
}

/** The parts of the service that it works with. */
interface MoveParts {
  readonly stalled: Pick<StalledDownloads, 'settled'>
  readonly shared: Pick<SharedPlaces, 'findIn'>
  /** Told when a download's row changed outside of a request. */
  readonly changed: () => void
}

interface Move {
  readonly abort: AbortController
  /** It is not waiting for others any more. */
  begun: boolean
  /** Settles when it is over, whatever came of it. */
  done: Promise<void>
}

/** Moving downloads to other folders: one at a time, in the background, over restarts. */
export class StorageMoves {
  readonly #set: DownloadSet
  readonly #deps: StorageMovesDeps
  readonly #moves = new Map<InfoHash, Move>()
  readonly #parts: MoveParts
  #tail: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(set: DownloadSet, parts: MoveParts, deps: StorageMovesDeps) {
    this.#set = set
    this.#parts = parts
    this.#deps = deps
  }

  /**
   * Begins a move to `folder`, durable when settled; to the folder where the files are: gives up the one under way.
   * `linkless`: the folder was judged without links and may not lead elsewhere by now.
   * AppErrors InvalidParameter, PathNotAllowed, DiskFull, StateConflict (it is on its way to another one).
   */
  async request(entry: DownloadEntry, folder: string, linkless = false): Promise<void> {
    const { stored } = entry
    const files = (await entry.torrent.loadMetainfo())?.files
    const destination = await this.#deps.prepareFolder(folder, { files, linkless })
    if (destination === stored.movingTo) return
    if (destination === stored.destination) return this.#giveUp(entry)
    if (stored.movingTo !== null) {
      throw new AppError('StateConflict', `The files are on their way to ${stored.movingTo}.`)
    }
    if (stored.renames?.to || stored.renames?.from)
      throw new AppError('StateConflict', 'The files are being renamed; move them when that is done.')
    if (stored.movedFrom !== null) {
      // It could not be brought to its end before.
      if (!this.#moves.has(stored.infoHash)) this.resume(entry)
      throw new AppError('StateConflict', `The files in ${stored.movedFrom} are still being deleted.`)
    }
    await this.#set.update(entry, { movingTo: destination })
    this.#begin(entry, destination, false)
  }

  /** Goes on with what a restart cut off. */
  resume(entry: DownloadEntry): void {
    const { movingTo, movedFrom } = entry.stored
    if (movedFrom !== null) this.#queue(entry, () => this.#leave(entry, movedFrom))
    else if (movingTo !== null) this.#begin(entry, movingTo, true)
  }

  /**
   * Ends the move of a download; settles when nothing touches its files any more. The next start would go on with it.
   */
  async cancel(entry: DownloadEntry): Promise<void> {
    const move = this.#moves.get(entry.stored.infoHash)
    move?.abort.abort()
    // One that waits for others finds out when its turn comes.
    if (move?.begun === true) await move.done
  }

  /** Ends it for good; of a volume that does not answer nothing is waited for. */
  async #giveUp(entry: DownloadEntry): Promise<void> {
    await this.#parts.stalled.settled(entry.stored, this.cancel(entry))
    if (entry.stored.movingTo !== null) await this.#set.update(entry, { movingTo: null })
  }

  /** Ends all moves; the next start goes on with them. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const { abort } of this.#moves.values()) abort.abort()
    await this.#tail
  }

  #begin(entry: DownloadEntry, destination: string, resumed: boolean): void {
    this.#queue(entry, signal => this.#move(entry, destination, resumed, signal))
  }

  /** One after the other: two at once would only make the disk seek. */
  #queue(entry: DownloadEntry, work: (signal: AbortSignal) => Promise<void>): void {
    const { infoHash } = entry.stored
    const abort = new AbortController()
    const run = async (): Promise<void> => {
      try {
        if (abort.signal.aborted || this.#stopping) return
        move.begun = true
        entry.moving = true
        await work(abort.signal)
      } catch (error) {
        this.#deps.log.error('a move could not be brought to its end', { infoHash, error: errorText(error) })
      } finally {
        if (this.#moves.get(infoHash) === move) this.#moves.delete(infoHash)
        entry.moving = false
        this.#parts.changed()
      }
    }
    const move: Move = { abort, begun: false, done: Promise.resolve() }
    this.#moves.set(infoHash, move)
    move.done = this.#tail.then(run)
    this.#tail = move.done
  }

  async #move(entry: DownloadEntry, folder: string, resumed: boolean, signal: AbortSignal): Promise<void> {
    const { infoHash, destination: before } = entry.stored
    try {
      const files = (await entry.torrent.loadMetainfo())?.files
      const destination = await this.#deps.prepareFolder(folder, { files })
      const commit = () => this.#set.update(entry, { destination, movingTo: null, movedFrom: before })
      await entry.torrent.moveStorage({ destination, commit, resumed, signal })
    } catch (error) {
      // Given up by a stop: the next start goes on. By a request: that request forgets it.
      if (signal.aborted) return
      await this.#set.update(entry, { movingTo: null })
      this.#deps.log.warn('a download could not be moved', { infoHash, folder, error: errorText(error) })
      this.#deps.events.emit('storage_move_failed', { infohash: infoHash, error: errorText(error) })
      return
    }
    this.#deps.events.emit('storage_moved', { infohash: infoHash, destination: entry.stored.destination })
    await this.#leave(entry, before)
  }

  /**
   * Deletes the old files, but where another download has, or may have, its own: they are the same ones, and it would
   * look for them in vain. What cannot be deleted, or told, now is tried again by the next request or start.
   */
  async #leave(entry: DownloadEntry, folder: string): Promise<void> {
    const { infoHash } = entry.stored
    const shares = await this.#parts.shared.findIn(entry, folder)
    if (shares === null) throw new AppError('DiskError', `Whose files are in ${folder} cannot be told now; they stay.`)
    if (shares) this.#deps.log.info('files stay where they were: another download has them too', { infoHash, folder })
    else await (await entry.torrent.wake()).leaveFolder(folder)
    await this.#set.update(entry, { movedFrom: null })
  }
}
