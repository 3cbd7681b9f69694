// Which downloads of the list a request means, and in which order (GET /downloads, decision 0520).

import type { Facets } from '../../../wire/list/facet-counts.ts'
import type { ListState } from '../../../wire/list/list-states.ts'

export { MAX_FACETS } from '../../../wire/list/facet-counts.ts'
export { LIST_STATES, type ListState } from '../../../wire/list/list-states.ts'
export { MAX_FILTER_CHARS } from '../../../wire/list/list-words.ts'

/** Fields of a record that the list can be sorted by. */
export const SORT_FIELDS = [
  ...(['name', 'infohash', 'status', 'progress', 'size', 'eta', 'speed_down', 'speed_up', 'ratio'] as const),
  ...(['num_peers', 'num_seeds', 'num_connected_peers', 'num_connected_seeds', 'availability'] as const),
  ...([
    'total_up',
    'total_down',
    'total_pieces',
    'time_added',
    'time_finished',
    'time_scrubbed',
    'hops',
    'destination',
    'queue_order',
    'labels',
    'trackers',
  ] as const),
] as const

/** One of them. */
export type SortField = (typeof SORT_FIELDS)[number]

/** Sums over all downloads, whatever a query means. */
export interface ListTotals {
  readonly count: number
  /** Bytes a second. */
  readonly speed_down: number
  readonly speed_up: number
  /** Downloads in each state; one may be in several. */
  readonly states: Readonly<Record<ListState, number>>
}

/** What is asked for. Null: that was not said. */
export interface ListQuery {
  /** Names of downloads, v1 or v2 info hashes; those that name none are passed over. */
  readonly only: readonly string[] | null
  /** As GET /downloads documents it; '' = all. */
  readonly filter: string
  /** Null: as they were added. */
  readonly sort: SortField | null
  readonly descending: boolean
  /** The last download of the page before. */
  readonly after: string | null
  /** So many downloads are passed over first, behind `after` where that is given. */
  readonly offset: number
  readonly limit: number | null
  /** Sums over all downloads are wanted too. */
  readonly totals: boolean
  /** Numbers by label, tracker and folder are wanted too. */
  readonly facets: boolean
}

/** What a query found. */
export interface ListPage {
  /** In their order. */
  readonly infohashes: readonly string[]
  /** Downloads that the query means without `after` and `limit`. */
  readonly total: number
  /** The `after` of the next page; '' = this is the last one. */
  readonly next: string
  /** Null: nobody asked for them. */
  readonly totals: ListTotals | null
  /** Of all downloads, whatever the query means. Null: nobody asked for them. */
  readonly facets: Facets | null
}
