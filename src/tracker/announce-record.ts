// What is kept of a torrent's trackers over restarts: when each may be asked again, and whether `completed` is still
// owed to it. Invariant: before `completed` leaves it is noted as sent, so that no later run sends it again.

import type { InfoHash } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeptAnnounce, KeptAnnounces } from '../ports/kept-announces.ts'
import { TrackerError } from './tracker-client.ts'
import type { TrackerEntry } from './tracker-entry.ts'

/** What the records of one torrent's announces are made of; `kept` absent: nothing outlives the process. */
export interface AnnounceRecordDeps {
  readonly clock: Clock
  readonly kept?: KeptAnnounces | undefined
}

/** The records of one torrent's announces. */
export class AnnounceRecord {
  readonly #infoHash: InfoHash
  readonly #clock: Clock
  readonly #kept: KeptAnnounces | undefined

  constructor(infoHash: InfoHash, { clock, kept }: AnnounceRecordDeps) {
    this.#infoHash = infoHash
    this.#clock = clock
    this.#kept = kept
  }

  /** What the run before left. */
  recall(entry: TrackerEntry): void {
    const held = this.#kept?.take(this.#infoHash, entry.url) ?? null
    if (held !== null) entry.recall(held, this.#clock.now() + held.untilMs - this.#clock.wallMs())
  }

  /** Keeps over a kill when it may be asked again, and whether it is to hear `completed`. See KeptAnnounces.note. */
  async keep(entry: TrackerEntry, pressing: boolean): Promise<void> {
    if (entry.hold.minMs > 0 || entry.owesCompleted) await this.#kept?.note(this.#rowOf(entry), pressing)
  }

  /**
   * Call before `completed` is sent. Rejects with TrackerError when that cannot be kept, or `signal` has fired: better
   * late than twice.
   */
  async noteTold(entry: TrackerEntry, signal: AbortSignal): Promise<void> {
    const isKept = (await this.#kept?.settle({ ...this.#rowOf(entry), owesCompleted: false })) !== false
    if (!isKept || signal.aborted) throw new TrackerError('the node could not note that it is told', null, true)
  }

  #rowOf(entry: TrackerEntry): KeptAnnounce {
    const { untilMs, afterStoppedMs, minMs, peers } = entry.hold
    const sinceMs = this.#clock.wallMs() - this.#clock.now()
    // Without a min interval it may be asked now.
    const at = (ms: number): number => Math.round((minMs === 0 ? this.#clock.now() : ms) + sinceMs)
    const times = { mayAskAtMs: at(untilMs), mayStartAtMs: at(afterStoppedMs) }
    const { owesCompleted, url: tracker } = entry
    return { infoHash: this.#infoHash, tracker, ...times, minMs, peers, owesCompleted }
  }
}
