// The rows of one filter in one order, kept while they are asked for: rows that changed are taken out and put where
// they belong when the view is read, the others stay. Invariant: items are sorted by (key, infohash), no two are equal.

import { listKey } from '../../../wire/list/list-key.ts'
import type { ListMatcher } from '../../../wire/list/list-matcher.ts'
import type { ListRow } from './list-index.ts'
import type { SortField } from './list-query-api.ts'
import { sortInTurns } from './sort-in-turns.ts'
import type { Turns } from './turns.ts'

/** What a row is sorted by. */
export type SortKey = number | string

/** Where a row stands, or stood. */
export interface Place {
  readonly key: SortKey
  readonly infoHash: string
}

interface Item extends Place {
  readonly row: ListRow
  stays: boolean
}

/** An order of the list. */
export interface ListOrder {
  /** Null: as they were added. */
  readonly sort: SortField | null
  readonly descending: boolean
}

/** The key of a row in an order: of several labels, or hosts of trackers, all of them, the first counting most. */
export function sortKey({ entry, labels, hosts }: ListRow, { sort }: ListOrder): SortKey {
  if (sort === null) return entry.number
  if (sort === 'labels') return listKey(labels)
  if (sort === 'trackers') return listKey(hosts)
  const value = entry.summary()[sort]
  return typeof value === 'string' ? value.toLowerCase() : value
}

/** How places compare in an order: by their keys, then by infohash whatever the direction. */
export function comparePlaces({ descending }: ListOrder): (a: Place, b: Place) => number {
  const sign = descending ? -1 : 1
  return (a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -sign : sign
    return a.infoHash < b.infoHash ? -1 : a.infoHash > b.infoHash ? 1 : 0
  }
}

/** The rows of one filter in one order. */
export class ListView {
  readonly #filter: ListMatcher
  readonly #order: ListOrder
  readonly #compare: (a: Place, b: Place) => number
  readonly #dirty = new Set<ListRow>()
  readonly #itemOf = new Map<ListRow, Item>()
  #items: Item[] = []

  constructor(filter: ListMatcher, order: ListOrder) {
    this.#filter = filter
    this.#order = order
    this.#compare = comparePlaces(order)
  }

  /** Rows in it. */
  get size(): number {
    return this.#items.length
  }

  /** A row came, went, or may have changed. */
  changed(row: ListRow): void {
    this.#dirty.add(row)
  }

  /** Takes these rows in, once; those that change meanwhile are to be told. */
  async fill(rows: Iterable<ListRow>, turns: Turns): Promise<void> {
    const items: Item[] = []
    let looked = 0
    for (const row of rows) {
      const item = row.gone ? null : this.#itemFor(row)
      if (item !== null) items.push(item)
      looked += 1
      if (looked % 256 === 0) await turns.after(256)
    }
    this.#items = await sortInTurns(items, this.#compare, turns)
  }

  /** Puts what changed where it belongs; to be called before the view is read. */
  settle(): void {
    if (this.#dirty.size === 0) return
    const coming: Item[] = []
    let anyLeft = false
    for (const row of this.#dirty) {
      const before = this.#itemOf.get(row)
      const matches = !row.gone && this.#filter.matches(row)
      if (before !== undefined && matches && sortKey(row, this.#order) === before.key) continue
      if (before !== undefined) {
        before.stays = false
        anyLeft = true
        this.#itemOf.delete(row)
      }
      const item = matches ? this.#itemFor(row) : null
      if (item !== null) coming.push(item)
    }
    this.#dirty.clear()
    if (anyLeft) this.#items = this.#items.filter(item => item.stays)
    if (coming.length > 0) this.#insert(coming.sort(this.#compare))
  }

  /** How many rows come before a place, or are at it. */
  countUpTo(place: Place): number {
    return firstBehind(this.#items, place, this.#compare)
  }

  /** Rows from one to before another, with their places. */
  slice(from: number, to: number): readonly Item[] {
    return this.#items.slice(from, to)
  }

  #itemFor(row: ListRow): Item | null {
    if (!this.#filter.matches(row)) return null
    const item: Item = { row, key: sortKey(row, this.#order), infoHash: row.infoHash, stays: true }
    this.#itemOf.set(row, item)
    return item
  }

  #insert(coming: readonly Item[]): void {
    const merged: Item[] = []
    let from = 0
    for (const item of coming) {
      const at = firstBehind(this.#items, item, this.#compare)
      for (; from < at; from++) merged.push(this.#items[from] as Item)
      merged.push(item)
    }
    for (; from < this.#items.length; from++) merged.push(this.#items[from] as Item)
    this.#items = merged
  }
}

/** The index of the first item that comes behind a place. */
function firstBehind(items: readonly Place[], place: Place, compare: (a: Place, b: Place) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(items[middle] as Place, place) > 0) high = middle
    else low = middle + 1
  }
  return low
}
