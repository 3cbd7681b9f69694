// KeptAnnounces, as ports/kept-announces.ts asks for them, over the database thread. In memory is what the run before
// left until it is asked for, and what waits to be written.

import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { HeldTracker, KeptAnnounce, KeptAnnounces } from '../ports/kept-announces.ts'
import type { AnnounceRow } from './announce-rows.ts'
import type { RecordsLink } from './records-link.ts'

/** Regular announces are written no oftener. */
const WRITE_EVERY_MS = 60_000
/** Rows of one job. */
const PAGE_ROWS = 500
/** A clock that was set back must not hold an announce for ever: no tracker is given more than this. */
const MAX_HELD_MS = 86_400_000
/** How long a row stays after its time: until then its tracker is known to name a min interval. */
const KEPT_MS = 3_600_000

/** KeptAnnounces, as ports/kept-announces.ts asks for them, over the database thread. */
export class DatabaseKeptAnnounces implements KeptAnnounces {
  readonly #link: RecordsLink
  readonly #now: () => number
  readonly #left = new Map<string, AnnounceRow>()
  readonly #waiting = new Map<string, AnnounceRow>()
  #timer: NodeJS.Timeout | null = null
  #writtenMs = Number.NEGATIVE_INFINITY

  constructor(link: RecordsLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  /** Reads what the run before left: once, before torrents are added. Errors as of ports/records.ts. */
  async load(): Promise<void> {
    void this.#link.run('announce.trim', this.#now() - KEPT_MS).catch(() => undefined)
    for (let after: readonly [string, string] = ['', '']; ; ) {
      const page: AnnounceRow[] = await this.#link.run('announce.list', after, PAGE_ROWS)
      for (const row of page) this.#left.set(keyOf(row), row)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE_ROWS) return
      after = [last.infoHash, last.tracker]
    }
  }

  take(infoHash: InfoHash, tracker: string): HeldTracker | null {
    const key = keyOf({ infoHash, tracker })
    const row = this.#left.get(key)
    if (row === undefined) return null
    this.#left.delete(key)
    const { mayStartAtMs, minMs, peers } = row
    const owesCompleted = row.owesCompleted === 1
    const isLate = mayStartAtMs > this.#now() + MAX_HELD_MS
    if (isLate && !owesCompleted) return null
    const untilMs = isLate ? 0 : mayStartAtMs
    return { untilMs, minMs, peers: peers === '' ? [] : (JSON.parse(peers) as PeerAddress[]), owesCompleted }
  }

  async note(announce: KeptAnnounce, pressing: boolean): Promise<void> {
    const row = rowOf(announce)
    this.#waiting.set(keyOf(row), row)
    const waitMs = this.#writtenMs + WRITE_EVERY_MS - performance.now()
    if (pressing || waitMs <= 0) await this.#write()
    else this.#timer ??= setTimeout(() => void this.#write(), waitMs).unref()
  }

  async settle(announce: KeptAnnounce): Promise<boolean> {
    const row = rowOf(announce)
    this.#waiting.delete(keyOf(row))
    return this.#link.run('announce.settle', row).then(
      () => true,
      () => false,
    )
  }

  /** Puts everything into the next batch and ends the timer. */
  stop(): void {
    void this.#write()
  }

  async #write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#writtenMs = performance.now()
    const rows = [...this.#waiting.values()]
    this.#waiting.clear()
    const jobs: Promise<void>[] = []
    for (let at = 0; at < rows.length; at += PAGE_ROWS)
      jobs.push(this.#link.run('announce.keep', rows.slice(at, at + PAGE_ROWS)))
    // Lost with a full disk: then a tracker may be asked too early after a kill.
    await Promise.allSettled(jobs)
  }
}

function rowOf(announce: KeptAnnounce): AnnounceRow {
  const peers = announce.peers.length === 0 ? '' : JSON.stringify(announce.peers)
  return { ...announce, peers, owesCompleted: announce.owesCompleted ? 1 : 0 }
}

const keyOf = ({ infoHash, tracker }: Pick<AnnounceRow, 'infoHash' | 'tracker'>): string => `${infoHash} ${tracker}`
