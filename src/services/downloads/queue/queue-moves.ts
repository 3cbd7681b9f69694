// Downloads are moved in the queue: one move after the other, the store first, then the engine and the list.

import { AppError } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import { KeyedQueue } from '../../keyed-queue.ts'
import type { DownloadEntry } from '../download-entry.ts'
import type { DownloadSet } from '../download-set.ts'
import { MAX_MOVED, type QueueMove, type QueueMoved } from './queue-api.ts'
import type { NewOrder } from './queue-order.ts'

/** More changes than these are not told one by one. */
const FEW = 64

/** Moves of downloads in the queue. */
export class QueueMoves {
  readonly #set: DownloadSet
  readonly #changed: (infoHash: InfoHash | null) => void
  readonly #turns = new KeyedQueue<'move'>()

  /** `changed`: hears of a download that was moved; null = of many. */
  constructor(set: DownloadSet, changed: (infoHash: InfoHash | null) => void) {
    this.#set = set
    this.#changed = changed
  }

  /** See DownloadsService.moveInQueue. */
  move(infohashes: readonly string[], to: QueueMove): Promise<QueueMoved> {
    if (infohashes.length > MAX_MOVED) throw new AppError('InvalidParameter', `At most ${MAX_MOVED} downloads a move.`)
    this.#set.checkReady()
    return this.#turns.run('move', () => this.#move(infohashes, to))
  }

  /** Settles when no move is under way. */
  drained(): Promise<void> {
    return this.#turns.drained()
  }

  async #move(infohashes: readonly string[], to: QueueMove): Promise<QueueMoved> {
    this.#set.checkReady()
    const chosen = new Map<InfoHash, DownloadEntry>()
    for (const infohash of infohashes) {
      const entry = this.#set.lookUp(infohash)
      if (entry !== null) chosen.set(entry.stored.infoHash, entry)
    }
    if (chosen.size === 0) throw new AppError('DownloadNotFound')
    const names = new Set(chosen.keys())
    const changes = this.#set.order.plan(names, this.#named(to))
    if (changes.length > 0) await this.#apply(changes)
    const downloads = [...names].flatMap(infohash => {
      const position = this.#set.order.position(infohash)
      return position === null ? [] : [{ infohash, queue_position: position }]
    })
    return {
      modified: changes.length > 0,
      downloads: downloads.sort((a, b) => a.queue_position - b.queue_position),
    }
  }

  /** `before` by the name that is used here. */
  #named(to: QueueMove): QueueMove {
    return 'before' in to ? { before: this.#set.find(to.before).stored.infoHash } : to
  }

  async #apply(changes: readonly NewOrder<InfoHash>[]): Promise<void> {
    const entries = changes.map(([infoHash]) => this.#set.entries.get(infoHash))
    await this.#set.store.setQueueOrders(changes)
    // One that was removed meanwhile, and one that was added again since, has nothing to do with it.
    const kept = changes.filter(([infoHash], at) => this.#set.entries.get(infoHash) === entries[at])
    this.#set.order.apply(kept)
    for (const [infoHash, order] of kept) this.#set.entries.get(infoHash)?.setQueueOrder(order)
    if (kept.length > FEW) this.#changed(null)
    else for (const [infoHash] of kept) this.#changed(infoHash)
  }
}
