// The first page of a list that is still being read at a start: whoever opens a dashboard on a hundred thousand
// downloads has it before the last of them is listed. Only what cannot change any more is answered: the rows come in
// the order of the list, and how many there are is known with the first of them.

import { makeDeferred } from '../../../base/deferred.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { ListPage, ListQuery } from './list-query-api.ts'

/** The downloads that are listed so far, in their order. */
export interface EarlySet {
  readonly entries: ReadonlyMap<InfoHash, unknown>
}

/** The first page while the list is being read. */
export class EarlyPage {
  readonly #set: EarlySet
  /** Some rows are there, or no more will come. */
  readonly #begun = makeDeferred<void>()
  #total: number | null = null

  constructor(set: EarlySet) {
    this.#set = set
  }

  /** More rows are there, of so many in all. */
  came(total: number): void {
    this.#total = total
    this.#begun.resolve()
  }

  /** All rows are there, or none will come. */
  end(): void {
    this.#total = null
    this.#begun.resolve()
  }

  /** Null: it cannot be told from what is there. */
  async find(query: ListQuery): Promise<ListPage | null> {
    const { limit } = query
    if (limit === null || !isPlain(query)) return null
    await this.#begun.promise
    const total = this.#total
    if (total === null || this.#set.entries.size < Math.min(limit, total)) return null
    const infohashes: InfoHash[] = []
    for (const infoHash of this.#set.entries.keys()) {
      if (infohashes.length === limit) break
      infohashes.push(infoHash)
    }
    return { infohashes, total, next: total > limit ? (infohashes.at(-1) ?? '') : '', totals: null, facets: null }
  }
}

/** The first page of all, in the order of adding. */
function isPlain({ only, filter, sort, descending, after, offset, totals, facets }: ListQuery): boolean {
  if (totals || facets) return false
  return only === null && filter === '' && sort === null && !descending && after === null && offset === 0
}
