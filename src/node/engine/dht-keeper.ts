// Keeps the routing table of the DHT from one start to the next (BEP 5): a row of the records, written every few
// minutes and at the end. What a kill loses is a few minutes of news; a row that cannot be read is as good as none.

import { makeDeferred } from '../../base/deferred.ts'
import { errorText } from '../../base/errors.ts'
import { decodeSavedDht, encodeSavedDht } from '../../dht/saved-bytes.ts'
import type { SavedDht } from '../../dht/types.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NodeValues } from '../../ports/records.ts'

const KEY = 'dht'
const SAVE_EVERY_MS = 5 * 60_000
/** A node that was started for a moment has learned something too. */
const FIRST_SAVE_MS = 30_000

/** What it needs of the node. */
export interface DhtKeeperDeps {
  readonly clock: Clock
  readonly log: Log
  readonly values: NodeValues
}

/**
 * Keeps the routing table of the DHT from one start to the next (BEP 5): a row of the records, written every few
 * minutes and at the end.
 */
export class DhtKeeper {
  readonly #deps: DhtKeeperDeps
  #state: () => SavedDht | null = () => null
  #timers: Timer[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: DhtKeeperDeps) {
    this.#deps = deps
  }

  /** What was saved last; null when nothing was, or it cannot be read. */
  async load(): Promise<SavedDht | null> {
    try {
      const bytes = await this.#deps.values.get(KEY)
      const saved = bytes === null ? null : decodeSavedDht(bytes)
      if (bytes !== null && saved === null) this.#deps.log.warn('the saved routing table cannot be read')
      return saved
    } catch (error) {
      this.#deps.log.warn('the saved routing table is not known', { error: errorText(error) })
      return null
    }
  }

  /** Saves what `state` gives from time to time. */
  start(state: () => SavedDht | null): void {
    const { clock } = this.#deps
    this.#state = state
    const save = (): void => void this.save()
    this.#timers = [clock.after(FIRST_SAVE_MS, save), clock.every(SAVE_EVERY_MS, save)]
  }

  /** Saves now; a failure is logged. A table without a node does not take the place of one that has some. */
  save(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const state = this.#state()
      if (state === null || !hasNodes(state)) return
      try {
        await this.#deps.values.set(KEY, encodeSavedDht(state))
      } catch (error) {
        this.#deps.log.warn('the routing table could not be saved', { error: errorText(error) })
      }
    })
    return this.#writing
  }

  /** Saves a last time; a disk that takes longer than `deadlineMs` is not waited for. */
  async stop(deadlineMs: number): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.cancel()
    const late = makeDeferred<void>()
    const timer = this.#deps.clock.after(deadlineMs, () => late.resolve())
    await Promise.race([this.save(), late.promise])
    timer.cancel()
  }
}

function hasNodes(state: SavedDht): boolean {
  return (state[4]?.nodes.length ?? 0) + (state[6]?.nodes.length ?? 0) > 0
}
