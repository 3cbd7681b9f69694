// Of a long list the rows near what is in view: which are to be asked for, and what an answer means. The node filters,
// sorts and counts. Pure.

import { writeWords } from '../../wire/list/list-words.ts'
import { type View, wordsOf } from './list-view.ts'
import type { ListedRow } from './shown-list.ts'

/** Rows asked for beyond each edge of what is in view. */
const MARGIN = 60
/** Others are asked for at once when fewer than so many are held beyond an edge. */
const NEAR = 20

/** Which rows are asked for. */
export interface WindowQuery {
  /** As GET /downloads takes them. */
  readonly sort: string
  readonly filter: string
  readonly offset: number
  readonly limit: number
}

/** What the node answers. */
export interface WindowAnswer {
  readonly downloads: readonly ListedRow[]
  /** Rows of the filter. */
  readonly total: number
}

/** The filter of a view, as the node reads it. */
export function filterOf(view: View): string {
  return writeWords(wordsOf(view))
}

/** The order of a view. */
export function sortOf({ sort, descending }: View): string {
  return `${descending ? '-' : ''}${sort}`
}

/** Of a long list the rows near what is in view. */
export class DownloadWindow {
  #view: View
  #first = 0
  #end = 0
  #offset = 0
  #rows: readonly ListedRow[] = []
  #places: ReadonlyMap<string, number> = new Map()
  #length = 0
  /** The view that the rows are of. */
  #shownView: View | null = null

  constructor(view: View) {
    this.#view = view
  }

  /** Rows of the list, whether they are held or not. */
  get length(): number {
    return this.#length
  }

  at(index: number): ListedRow | null {
    return this.#rows[index - this.#offset] ?? null
  }

  indexOf(infohash: string): number {
    return this.#places.get(infohash) ?? -1
  }

  find(infohash: string): ListedRow | null {
    return this.at(this.indexOf(infohash))
  }

  /** Other rows are wanted; those of before stay until they come. */
  setView(view: View): void {
    this.#view = view
  }

  /** These rows are in view, to before `end`. True: others are to be asked for at once. */
  look(first: number, end: number): boolean {
    this.#first = first
    this.#end = end
    return !this.#holds(this.#offset, this.#rows.length, NEAR)
  }

  /** What is to be asked for now. */
  query(): WindowQuery {
    const offset = Math.max(0, this.#first - MARGIN)
    const limit = Math.min(1000, Math.max(this.#end - offset, 0) + MARGIN)
    return { sort: sortOf(this.#view), filter: filterOf(this.#view), offset, limit }
  }

  /** Takes an answer. False: it is to a view of before, and means nothing any more. */
  take({ sort, filter, offset }: WindowQuery, { downloads, total }: WindowAnswer): boolean {
    if (sort !== sortOf(this.#view) || filter !== filterOf(this.#view)) return false
    this.#length = total
    // One that comes late must not push out what is looked at meanwhile.
    const keeps = this.#shownView === this.#view && this.#holds(this.#offset, this.#rows.length, 0)
    if (keeps && !this.#holds(offset, downloads.length, 0)) return true
    const before = new Map(this.#rows.map(row => [row.infohash, row]))
    this.#rows = downloads.map(row => sameOr(before.get(row.infohash), row))
    this.#offset = offset
    this.#places = new Map(downloads.map(({ infohash }, at) => [infohash, offset + at]))
    this.#shownView = this.#view
    return true
  }

  /** Whether so many rows from `offset` on are what is in view, with `near` beyond its edges where there are any. */
  #holds(offset: number, count: number, near: number): boolean {
    const from = Math.max(0, Math.min(this.#first - near, this.#length))
    const to = Math.min(this.#length, this.#end + near)
    return from >= offset && to <= offset + count
  }
}

/** The row that is there already where nothing of it changed: it is not drawn again. */
function sameOr(before: ListedRow | undefined, now: ListedRow): ListedRow {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
}
