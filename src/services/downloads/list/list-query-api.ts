// Which downloads of the list a request means, and in which order (GET /downloads, decision 0520).

/** Fields of a record that the list can be sorted by. */
export const SORT_FIELDS = [
  ...(['name', 'infohash', 'status', 'progress', 'size', 'eta', 'speed_down', 'speed_up', 'ratio'] as const),
  ...(['num_peers', 'num_seeds', 'num_connected_peers', 'num_connected_seeds', 'availability'] as const),
  ...(['total_up', 'total_down', 'total_pieces', 'time_added', 'time_scrubbed', 'hops', 'destination'] as const),
] as const

/** One of them. */
export type SortField = (typeof SORT_FIELDS)[number]

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
  readonly limit: number | null
}

/** What a query found. */
export interface ListPage {
  /** In their order. */
  readonly infohashes: readonly string[]
  /** Downloads that the query means without `after` and `limit`. */
  readonly total: number
  /** The `after` of the next page; '' = this is the last one. */
  readonly next: string
}
