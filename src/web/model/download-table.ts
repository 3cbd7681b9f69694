// All downloads of the node as the page knows them: kept in order, narrowed and counted while they change. An update
// costs what changed: a row moves only when its sort key did, and the others are copied, not sorted, for that.

import type { Download } from '../../client/core-routes.ts'
import { FacetCounts, type Facets } from '../../wire/list/facet-counts.ts'
import { listKey } from '../../wire/list/list-key.ts'
import { type FilteredRow, type ListMatcher, matcherOf, searchText } from '../../wire/list/list-matcher.ts'
import { LIST_STATES, stateBits } from '../../wire/list/list-states.ts'
import { trackerHosts } from '../../wire/list/tracker-hosts.ts'
import type { Group } from './download-groups.ts'
import { allDownloads, type View, wordsOf } from './list-view.ts'
import { mergeOrdered } from './merge-ordered.ts'

/** A download in the table. The record is replaced by each update, the row stays. */
export interface Row extends FilteredRow {
  record: Download
  /** Of the column that is sorted by. */
  key: number | string
  shown: boolean
  /** The last synchronisation that named it. */
  round: number
}

/** Sums over all downloads. */
export interface Totals {
  readonly down: number
  readonly up: number
  readonly count: number
  readonly groups: Readonly<Record<Group, number>>
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** All downloads of the node as the page knows them: kept in order, narrowed and counted while they change. */
export class DownloadTable {
  readonly #rows = new Map<string, Row>()
  #order: Row[] = []
  #visible: readonly Row[] = []
  readonly #facets = new FacetCounts()
  #view: View = allDownloads
  #matcher: ListMatcher = matcherOf([])
  #round = 0
  #down = 0
  #up = 0
  readonly #counts = new Uint32Array(LIST_STATES.length)

  /** Rows that the view shows, in its order. A new list whenever rows came, went or moved. */
  get visible(): readonly Row[] {
    return this.#visible
  }

  get view(): View {
    return this.#view
  }

  get totals(): Totals {
    const counted = LIST_STATES.map((state, at) => [state, this.#counts[at] ?? 0] as const)
    const groups = Object.fromEntries(counted) as Record<Group, number>
    return { down: this.#down, up: this.#up, count: this.#rows.size, groups }
  }

  /** How many have each label, tracker and folder. */
  get facets(): Facets {
    return this.#facets.read()
  }

  find(infohash: string): Download | null {
    return this.#rows.get(infohash)?.record ?? null
  }

  /** Shows the list in another way. */
  setView(view: View): void {
    this.#view = view
    this.#matcher = matcherOf(wordsOf(view))
    for (const row of this.#order) {
      row.key = this.#keyOf(row)
      row.shown = this.#matcher.matches(row)
    }
    this.#order.sort((a, b) => this.#compare(a, b))
    this.#narrow()
  }

  /** The node begins to tell the whole list: what it does not name until finish() is gone. */
  begin(): void {
    this.#round++
  }

  /** Removes rows that were not named since begin(). */
  finish(): void {
    this.apply(
      [],
      [...this.#rows.values()].filter(row => row.round !== this.#round).map(row => row.record.infohash),
    )
  }

  /** Takes records that are new or changed, and forgets those that were removed. */
  apply(records: readonly Download[], removed: readonly string[]): void {
    const moved = new Set<Row>()
    let narrowed = false
    for (const infohash of removed) narrowed = this.#remove(infohash) || narrowed
    for (const record of records) {
      const row = this.#rows.get(record.infohash)
      if (row === undefined) moved.add(this.#insert(record))
      else {
        const { key, shown } = row
        this.#update(row, record)
        if (row.key !== key) moved.add(row)
        narrowed ||= row.shown !== shown
      }
    }
    if (narrowed || moved.size > 0) this.#reorder(moved)
  }

  #insert(record: Download): Row {
    const row: Row = { ...columnsOf(record), record, key: '', shown: false, round: this.#round }
    this.#rows.set(record.infohash, row)
    this.#count(row, 1)
    this.#facets.replace(null, row)
    this.#derive(row)
    return row
  }

  #update(row: Row, record: Download): void {
    const { labels, hosts, folder } = row
    this.#count(row, -1)
    Object.assign(row, columnsOf(record), { record, round: this.#round })
    this.#count(row, 1)
    this.#facets.replace({ labels, hosts, folder }, row)
    this.#derive(row)
  }

  #derive(row: Row): void {
    row.key = this.#keyOf(row)
    row.shown = this.#matcher.matches(row)
  }

  #remove(infohash: string): boolean {
    const row = this.#rows.get(infohash)
    if (row === undefined) return false
    this.#rows.delete(infohash)
    this.#count(row, -1)
    this.#facets.replace(row, null)
    return true
  }

  /** Takes out what moved or is gone, and puts what moved where it belongs. */
  #reorder(moved: ReadonlySet<Row>): void {
    const kept = this.#order.filter(row => !moved.has(row) && this.#rows.get(row.record.infohash) === row)
    if (moved.size === 0) this.#order = kept
    else {
      const coming = [...moved].toSorted((a, b) => this.#compare(a, b))
      this.#order = mergeOrdered(kept, coming, (a, b) => this.#compare(a, b))
    }
    this.#narrow()
  }

  #narrow(): void {
    this.#visible = this.#order.filter(row => row.shown)
  }

  #count({ record, bits }: Row, sign: 1 | -1): void {
    this.#down += sign * record.speed_down
    this.#up += sign * record.speed_up
    for (let at = 0; at < LIST_STATES.length; at++)
      if ((bits & (1 << at)) !== 0) this.#counts[at] = (this.#counts[at] ?? 0) + sign
  }

  #keyOf({ record, labels, hosts }: Row): number | string {
    const { sort } = this.#view
    if (sort === 'labels') return listKey(labels)
    return sort === 'trackers' ? listKey(hosts) : record[sort]
  }

  #compare(a: Row, b: Row): number {
    const order =
      typeof a.key === 'string' && typeof b.key === 'string'
        ? collator.compare(a.key, b.key)
        : Number(a.key) - Number(b.key)
    if (order !== 0) return this.#view.descending ? -order : order
    return a.record.infohash < b.record.infohash ? -1 : 1
  }
}

function columnsOf(record: Download): FilteredRow {
  return {
    bits: stateBits(record, record.condition?.trouble === true),
    text: searchText(record),
    labels: record.labels,
    hosts: trackerHosts(record.trackers.map(({ url }) => url)),
    folder: record.destination,
    size: record.size,
  }
}
