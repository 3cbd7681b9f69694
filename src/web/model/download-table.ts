// All downloads of the node as the page knows them: kept in order, narrowed and counted while they change. An update
// costs what changed: a row moves only when its sort key did, and the others are copied, not sorted, for that.

import type { Download } from '../../client/core-routes.ts'
import { type Group, groups, isIn } from './download-groups.ts'
import { mergeOrdered } from './merge-ordered.ts'

/** Columns that the list can be sorted by. */
export type SortColumn =
  | 'name'
  | 'progress'
  | 'status'
  | 'size'
  | 'speed_down'
  | 'speed_up'
  | 'eta'
  | 'ratio'
  | 'num_peers'
  | 'time_added'

/** What is shown, and its order. */
export interface View {
  readonly sort: SortColumn
  readonly descending: boolean
  readonly group: Group
  /** Words that must be in the name or a label; empty = all. */
  readonly query: string
}

/** A download in the table. The record is replaced by each update, the row stays. */
export interface Row {
  record: Download
  /** Of the column that is sorted by. */
  key: number | string
  /** What the query is looked for in. */
  text: string
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
  #view: View = { sort: 'time_added', descending: true, group: 'all', query: '' }
  #words: readonly string[] = []
  #round = 0
  #down = 0
  #up = 0
  readonly #counts: Record<Group, number> = { all: 0, active: 0, downloading: 0, seeding: 0, stopped: 0, trouble: 0 }

  /** Rows that the view shows, in its order. A new list whenever rows came, went or moved. */
  get visible(): readonly Row[] {
    return this.#visible
  }

  get view(): View {
    return this.#view
  }

  get totals(): Totals {
    return { down: this.#down, up: this.#up, count: this.#rows.size, groups: { ...this.#counts } }
  }

  find(infohash: string): Download | null {
    return this.#rows.get(infohash)?.record ?? null
  }

  /** Shows the list in another way. */
  setView(view: View): void {
    this.#view = view
    this.#words = view.query.toLowerCase().split(/\s+/).filter(Boolean)
    for (const row of this.#order) {
      row.key = this.#keyOf(row.record)
      row.shown = this.#isShown(row)
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
    const row: Row = { record, key: '', text: '', shown: false, round: this.#round }
    this.#rows.set(record.infohash, row)
    this.#count(record, 1)
    this.#derive(row)
    return row
  }

  #update(row: Row, record: Download): void {
    this.#count(row.record, -1)
    row.record = record
    row.round = this.#round
    this.#count(record, 1)
    this.#derive(row)
  }

  #derive(row: Row): void {
    row.text = `${row.record.name} ${row.record.labels.join(' ')} ${row.record.infohash}`.toLowerCase()
    row.key = this.#keyOf(row.record)
    row.shown = this.#isShown(row)
  }

  #remove(infohash: string): boolean {
    const row = this.#rows.get(infohash)
    if (row === undefined) return false
    this.#rows.delete(infohash)
    this.#count(row.record, -1)
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

  #count(record: Download, sign: 1 | -1): void {
    this.#down += sign * record.speed_down
    this.#up += sign * record.speed_up
    for (const [group] of groups) if (isIn(group, record)) this.#counts[group] += sign
  }

  #isShown(row: Row): boolean {
    return isIn(this.#view.group, row.record) && this.#words.every(word => row.text.includes(word))
  }

  #keyOf(record: Download): number | string {
    return record[this.#view.sort]
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
