// Where rows that were dragged come to in the queue. Pure.

import { isNarrowed, type View } from './list-view.ts'
import type { ShownList } from './shown-list.ts'

/** As PATCH /queue takes it. */
export type QueuePlace = { readonly move: 'top' | 'up' | 'down' | 'bottom' } | { readonly before: string }

/** The rows stand in the order of the queue, the next one first. */
export function isQueue({ sort, descending }: View): boolean {
  return sort === 'queue_order' && !descending
}

/** All of the queue is shown, in its order: places of rows are places in it. */
export function isWholeQueue(view: View): boolean {
  return isQueue(view) && !isNarrowed(view)
}

/** Before which row something lies that is `y` pixels below the top of the first one, of rows of one height. */
export function dropIndex(y: number, rowHeight: number, length: number): number {
  return Math.max(0, Math.min(length, Math.round(y / rowHeight)))
}

/**
 * Where `moved` go that are dropped before row `index`: before the first of the rows from there on that stays; behind
 * the last one, to the end. Null: that row is not here yet.
 */
export function queuePlace(list: ShownList, moved: ReadonlySet<string>, index: number): QueuePlace | null {
  for (let at = index; at < list.length; at++) {
    const row = list.at(at)
    if (row === null) return null
    if (!moved.has(row.infohash)) return { before: row.infohash }
  }
  return { move: 'bottom' }
}
