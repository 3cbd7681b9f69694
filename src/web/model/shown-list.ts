// What the list of downloads shows, wherever its rows are: all of them in the page, or those near what is in view.

import type { Download } from '../../client/core-routes.ts'
import type { Row } from './download-table.ts'

/** Fields of a download that its row shows. */
export const ROW_FIELDS = [
  ...(['infohash', 'name', 'labels', 'hops', 'circuits', 'status', 'queued', 'error', 'moving_to'] as const),
  ...(['stalled_volume', 'condition', 'progress', 'size', 'speed_down', 'speed_up', 'eta', 'ratio'] as const),
  ...(['num_peers', 'num_connected_peers', 'time_added'] as const),
  ...(['num_seeds', 'num_connected_seeds', 'total_up', 'time_finished', 'destination', 'availability'] as const),
] as const satisfies readonly (keyof Download)[]

/** Fields that are much of a record: asked for while their column is shown. */
export const WIDE_FIELDS = ['trackers'] as const satisfies readonly (keyof Download)[]

/** One of them. */
export type WideField = (typeof WIDE_FIELDS)[number]

/** What its row shows of a download. */
export type ListedRow = Pick<Download, (typeof ROW_FIELDS)[number]> &
  Partial<Pick<Download, (typeof WIDE_FIELDS)[number]>>

/** Info hashes: at once where they are known, else when the node has told them. */
export type Names = readonly string[] | Promise<readonly string[]>

/** Rows in the order of the view. */
export interface ShownList {
  readonly length: number
  /** Null: it is not here yet. */
  at(index: number): ListedRow | null
  /** -1: it is not shown, or nobody here knows where. */
  indexOf(infohash: string): number
  /** Those of the rows from one to before another. Rejects with ApiError, or the signal's reason. */
  names(from: number, end: number, signal: AbortSignal): Names
}

/** All rows that the view shows, in the page. */
export class WholeList implements ShownList {
  readonly #rows: readonly Row[]

  constructor(rows: readonly Row[]) {
    this.#rows = rows
  }

  get length(): number {
    return this.#rows.length
  }

  at(index: number): ListedRow | null {
    return this.#rows[index]?.record ?? null
  }

  indexOf(infohash: string): number {
    return this.#rows.findIndex(row => row.record.infohash === infohash)
  }

  names(from: number, end: number): readonly string[] {
    return this.#rows.slice(from, end).map(row => row.record.infohash)
  }
}
