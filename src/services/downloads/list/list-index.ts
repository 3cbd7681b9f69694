// Every download as a row of columns, for queries of the list: looked through again only where something may have
// changed. Kept while queries come, forgotten a while after the last one. Invariant: rows hold every change made by a
// request that was answered before, and every other change older than 2 * LOOK_MS plus the time of one look.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { DownloadCondition, DownloadRecord } from '../download-records-api.ts'
import { FacetCounts, type Facets } from '../../../wire/list/facet-counts.ts'
import { type FilteredRow, searchText } from '../../../wire/list/list-matcher.ts'
import { stateBits } from '../../../wire/list/list-states.ts'
import { trackerHosts } from '../../../wire/list/tracker-hosts.ts'
import type { ListTotals } from './list-query-api.ts'
import { RowTotals, type SummedRow } from './row-totals.ts'
import { Turns } from './turns.ts'

/** All are looked at again this long after the last look, while queries come. */
const LOOK_MS = 1000
/** Rows are forgotten this long after the last query. */
const KEEP_MS = 60_000
/** Rows looked at between two looks at the clock. */
const STEP_ROWS = 256

/** What a row is made of. */
export interface SummedDownload {
  readonly stored: { readonly infoHash: InfoHash; readonly announceTiers: readonly (readonly string[])[] }
  /** Rises from one to the next in the order of the list. */
  readonly number: number
  /** Stays as long as summary() does; null: that may change at any time. */
  readonly mark: number | null
  summary(): DownloadRecord
  /** What summary() does not say: why it does not move; null = that is said, or it does. */
  condition(): DownloadCondition | null
}

/** A download as queries see it. */
export interface ListRow extends SummedRow, FilteredRow {
  readonly infoHash: InfoHash
  entry: SummedDownload
  mark: number | null
  bits: number
  down: number
  up: number
  text: string
  labels: readonly string[]
  hosts: readonly string[]
  /** What the hosts are of. */
  tiers: SummedDownload['stored']['announceTiers']
  folder: string
  size: number
  /** It was removed. */
  gone: boolean
}

/** How things stood when a look began. */
interface Looked {
  readonly begunMs: number
  readonly version: number
}

/** Hears of every row that came, went or changed. */
export type RowWatch = (row: ListRow) => void

/** All downloads as rows. */
export class ListIndex {
  readonly #entries: ReadonlyMap<InfoHash, SummedDownload>
  readonly #clock: Clock
  readonly #changed: RowWatch
  readonly #dropped: () => void
  readonly #rows = new Map<InfoHash, ListRow>()
  readonly #totals = new RowTotals()
  readonly #facets = new FacetCounts()
  /** The last look that was ended; null: there are no rows. */
  #looked: Looked | null = null
  #look: Promise<void> | null = null
  /** Grows with changes of downloads that nobody named. */
  #version = 0
  #usedMs = 0
  #timer: Timer | null = null

  constructor(
    entries: ReadonlyMap<InfoHash, SummedDownload>,
    clock: Clock,
    tell: { readonly changed: RowWatch; readonly dropped: () => void },
  ) {
    this.#entries = entries
    this.#clock = clock
    this.#changed = tell.changed
    this.#dropped = tell.dropped
  }

  /** Rows in the order of the list, but for those that came last. */
  get rows(): ReadonlyMap<InfoHash, ListRow> {
    return this.#rows
  }

  /** Sums over all rows, as new as these are. */
  get totals(): ListTotals {
    return this.#totals.read()
  }

  /** Numbers of all rows by label, tracker and folder, as new as these are. */
  get facets(): Facets {
    return this.#facets.read()
  }

  /** A request changed this download; null: one or more that it cannot name. */
  changed(infoHash: InfoHash | null): void {
    if (infoHash === null) this.#version += 1
    else if (this.#looked !== null || this.#look !== null) this.#refresh(infoHash)
  }

  /** Settles when the rows are as new as they are said to be. */
  async fresh(): Promise<void> {
    const asked: Looked = { begunMs: this.#clock.now(), version: this.#version }
    this.#usedMs = asked.begunMs
    this.#timer ??= this.#clock.after(KEEP_MS, () => this.#dropIfUnused())
    for (;;) {
      const ageMs = this.#ageMs(asked)
      if (ageMs < LOOK_MS) return
      const current = ageMs < 2 * LOOK_MS
      this.#look ??= this.#lookAtAll(current).finally(() => {
        this.#look = null
      })
      // Who waits for it hears of a failure.
      if (current) return void this.#look.catch(() => undefined)
      await this.#look
    }
  }

  /** How old the rows are to somebody who asked then. */
  #ageMs(asked: Looked): number {
    const looked = this.#looked
    if (looked === null || looked.version < asked.version) return Number.POSITIVE_INFINITY
    return asked.begunMs - looked.begunMs
  }

  /** No row is kept, and nothing is looked at any more. */
  drop(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#rows.clear()
    this.#totals.clear()
    this.#facets.clear()
    this.#looked = null
    this.#dropped()
  }

  #dropIfUnused(): void {
    this.#timer = null
    const leftMs = this.#usedMs + KEEP_MS - this.#clock.now()
    if (leftMs > 0 || this.#look !== null) {
      this.#timer = this.#clock.after(Math.max(leftMs, LOOK_MS), () => this.#dropIfUnused())
      return
    }
    this.drop()
  }

  /** `later`: nobody waits for it. */
  async #lookAtAll(later: boolean): Promise<void> {
    if (later) await nextTurn()
    const looked: Looked = { begunMs: this.#clock.now(), version: this.#version }
    const turns = new Turns(this.#clock)
    if (this.#looked?.version === looked.version) await this.#lookAtRows(turns)
    else await this.#lookAtEntries(turns)
    this.#looked = looked
  }

  /** Which downloads there are is known: whoever adds or removes one names it. */
  async #lookAtRows(turns: Turns): Promise<void> {
    let count = 0
    for (const row of this.#rows.values()) {
      const { mark } = row.entry
      if (mark === null || mark !== row.mark) this.#refresh(row.infoHash)
      count += 1
      if (count % STEP_ROWS === 0) await turns.after(STEP_ROWS)
    }
  }

  async #lookAtEntries(turns: Turns): Promise<void> {
    let count = 0
    for (const infoHash of this.#entries.keys()) {
      this.#refresh(infoHash)
      count += 1
      if (count % STEP_ROWS === 0) await turns.after(STEP_ROWS)
    }
    for (const infoHash of this.#rows.keys()) if (!this.#entries.has(infoHash)) this.#refresh(infoHash)
  }

  #refresh(infoHash: InfoHash): void {
    const entry = this.#entries.get(infoHash)
    const row = this.#rows.get(infoHash)
    if (entry === undefined) {
      if (row !== undefined) this.#remove(row)
      return
    }
    const { mark } = entry
    if (row?.entry === entry && mark !== null && row.mark === mark) return
    if (row === undefined) return this.#add(rowOf(entry))
    const before = row.text
    const { labels, hosts, folder } = row
    this.#totals.note(row, -1)
    Object.assign(row, rowOf(entry, row))
    this.#totals.note(row, 1)
    this.#facets.replace({ labels, hosts, folder }, row)
    // Rows of torrents that are awake are made again and again: they share what stays.
    if (row.text === before) row.text = before
    this.#changed(row)
  }

  #add(row: ListRow): void {
    this.#rows.set(row.infoHash, row)
    this.#totals.note(row, 1)
    this.#facets.replace(null, row)
    this.#changed(row)
  }

  #remove(row: ListRow): void {
    this.#rows.delete(row.infoHash)
    this.#totals.note(row, -1)
    this.#facets.replace(row, null)
    row.gone = true
    this.#changed(row)
  }
}

/** The row of a download as it is now; `before`: as it was. */
export function rowOf(entry: SummedDownload, before?: ListRow): ListRow {
  // Before the rest: what changes meanwhile is seen by the next look.
  const { mark, stored } = entry
  const record = entry.summary()
  return {
    infoHash: stored.infoHash,
    entry,
    mark,
    bits: stateBits(record, entry.condition()?.trouble === true),
    down: Math.round(record.speed_down),
    up: Math.round(record.speed_up),
    text: searchText(record),
    labels: record.labels,
    // Addresses are read once: they are made new where they change.
    hosts: before?.tiers === stored.announceTiers ? before.hosts : trackerHosts(stored.announceTiers.flat()),
    tiers: stored.announceTiers,
    folder: record.destination,
    size: record.size,
    gone: false,
  }
}
