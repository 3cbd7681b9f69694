// The columns of the list: what they are called, what they sort by, and how wide they are. Pure.

import type { SortColumn } from './list-view.ts'

/** A column of the list. */
export interface ListColumn {
  readonly sort: SortColumn
  /** The key of its text. */
  readonly heading:
    | 'name'
    | 'progress'
    | 'state'
    | 'size'
    | 'downRate'
    | 'upRate'
    | 'left'
    | 'peers'
    | 'ratio'
    | 'added'
  /** Its class in the style sheet. */
  readonly place: string
  /** People look for its large values first. */
  readonly largeFirst: boolean
}

const column = (sort: SortColumn, heading: ListColumn['heading'], place: string, largeFirst = false): ListColumn => ({
  sort,
  heading,
  place,
  largeFirst,
})

/** All of them, in the order they are shown. */
export const listColumns: readonly ListColumn[] = [
  column('name', 'name', 'name'),
  column('progress', 'progress', 'progress', true),
  column('status', 'state', 'state'),
  column('size', 'size', 'size', true),
  column('speed_down', 'downRate', 'down', true),
  column('speed_up', 'upRate', 'up', true),
  column('eta', 'left', 'eta'),
  column('num_peers', 'peers', 'peers', true),
  column('ratio', 'ratio', 'ratio', true),
  column('time_added', 'added', 'added', true),
]
