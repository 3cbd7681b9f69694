// Pages of the list: which downloads a query means, in its order, without looking at all of them for each. Views that
// were asked for lately are kept, and where pages ended, so that the next one goes on there whatever happened to the
// download that was last (decision 0520).

import { AppError } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import { KeyedQueue } from '../../keyed-queue.ts'
import type { ListMatcher } from '../../../wire/list/list-matcher.ts'
import { readFilter } from './list-filter.ts'
import { ListIndex, type ListRow, rowOf, type SummedDownload } from './list-index.ts'
import type { ListPage, ListQuery } from './list-query-api.ts'
import { type ListOrder, ListView, type Place, type SortKey, sortKey } from './list-view.ts'
import { Turns } from './turns.ts'

/** Views kept, and rows in all of them. */
const MAX_VIEWS = 16
const MAX_VIEW_ROWS = 400_000
/** Ends of pages that are remembered. */
const MAX_ENDS = 1024

/** All downloads. */
export interface ListedSet {
  readonly entries: ReadonlyMap<InfoHash, SummedDownload>
  /** The download of that name, null when there is none. */
  lookUp(name: string): SummedDownload | null
}

/** New views that wait to be filled: one is at a time, or many would hold rows that nobody keeps. */
const MAX_FILLING = 64

interface KeptView {
  readonly view: ListView
  readonly filled: Promise<void>
  /** It is known already what it holds. */
  full: boolean
}

/** Pages of the list. */
export class ListPages {
  readonly #set: ListedSet
  readonly #clock: Clock
  readonly #index: ListIndex
  /** By filter and order; the one that was used last is the last. */
  readonly #views = new Map<string, KeptView>()
  /** By filter, order and infohash: what the last download of a page was sorted by when that was answered. */
  readonly #ends = new Map<string, SortKey>()
  readonly #queue = new KeyedQueue<'fill'>()
  #filling = 0

  constructor(set: ListedSet, clock: Clock) {
    this.#set = set
    this.#clock = clock
    this.#index = new ListIndex(set.entries, clock, {
      changed: row => this.#changedRow(row),
      dropped: () => this.#views.clear(),
    })
  }

  /** A request changed this download; null: one or more that it cannot name. */
  changed(infoHash: InfoHash | null): void {
    this.#index.changed(infoHash)
  }

  /** Nothing is kept any more. */
  stop(): void {
    this.#index.drop()
  }

  /** What a query means. AppErrors InvalidParameter (filter), DownloadNotFound (`after`), TooManyRequests, NotReady. */
  async find(query: ListQuery): Promise<ListPage> {
    const filter = readFilter(query.filter)
    const key = orderKey(filter, query)
    const view = query.only === null ? await this.#viewOf(key, filter, query) : await this.#viewOfOnly(filter, query)
    view.settle()
    const behind = query.after === null ? 0 : view.countUpTo(this.#placeOf(key, query.after, query))
    const from = behind + query.offset
    const items = view.slice(from, query.limit === null ? view.size : from + query.limit)
    const last = items.at(-1)
    const next = last !== undefined && from + items.length < view.size ? last.infoHash : ''
    if (last !== undefined && next !== '') this.#noteEnd(`${key} ${next}`, last.key)
    const totals = query.totals ? this.#index.totals : null
    const facets = query.facets ? this.#index.facets : null
    return { infohashes: items.map(({ infoHash }) => infoHash), total: view.size, next, totals, facets }
  }

  /** A page that was answered while the list was being read ended there, in the order of adding. */
  endedEarly(query: ListQuery, next: string): void {
    const entry = this.#set.entries.get(next as InfoHash)
    if (entry !== undefined) this.#noteEnd(`${orderKey(readFilter(query.filter), query)} ${next}`, entry.number)
  }

  async #viewOf(key: string, filter: ListMatcher, order: ListOrder): Promise<ListView> {
    await this.#index.fresh()
    let kept = this.#views.get(key)
    this.#views.delete(key)
    if (kept === undefined) {
      if (this.#filling >= MAX_FILLING) throw new AppError('TooManyRequests')
      const view = new ListView(filter, order)
      kept = { view, filled: this.#fill(view), full: false }
      kept.filled.catch(() => this.#views.delete(key))
    }
    this.#views.set(key, kept)
    await kept.filled
    kept.full = true
    this.#makeRoom()
    return kept.view
  }

  async #fill(view: ListView): Promise<void> {
    this.#filling += 1
    try {
      await this.#queue.run('fill', () => view.fill(this.#index.rows.values(), new Turns(this.#clock)))
    } finally {
      this.#filling -= 1
    }
  }

  /** The longest unused go first; the newest stays whatever its size. */
  #makeRoom(): void {
    let rows = 0
    for (const { view } of this.#views.values()) rows += view.size
    for (const [key, { view, full }] of this.#views) {
      if (!full) continue
      if (this.#views.size === 1 || (this.#views.size <= MAX_VIEWS && rows <= MAX_VIEW_ROWS)) return
      this.#views.delete(key)
      rows -= view.size
    }
  }

  /** Those few are looked at as they are now. */
  async #viewOfOnly(filter: ListMatcher, query: ListQuery): Promise<ListView> {
    if (query.totals || query.facets) await this.#index.fresh()
    const entries = new Set((query.only ?? []).map(name => this.#set.lookUp(name)))
    const rows = [...entries].flatMap(entry => (entry === null ? [] : [rowOf(entry)]))
    const view = new ListView(filter, query)
    await view.fill(rows, new Turns(this.#clock))
    return view
  }

  #placeOf(key: string, after: string, order: ListOrder): Place {
    const entry = this.#set.lookUp(after)
    const infoHash = entry?.stored.infoHash ?? after.toLowerCase()
    const ended = this.#ends.get(`${key} ${infoHash}`)
    if (ended !== undefined) return { key: ended, infoHash }
    if (entry === null) throw new AppError('DownloadNotFound', 'The download that `after` names does not exist.')
    return { key: sortKey(rowOf(entry), order), infoHash }
  }

  #noteEnd(end: string, key: SortKey): void {
    this.#ends.delete(end)
    this.#ends.set(end, key)
    if (this.#ends.size <= MAX_ENDS) return
    for (const oldest of this.#ends.keys()) {
      this.#ends.delete(oldest)
      return
    }
  }

  #changedRow(row: ListRow): void {
    for (const { view } of this.#views.values()) view.changed(row)
  }
}

/** The same for queries whose pages follow each other. */
function orderKey(filter: ListMatcher, { sort, descending }: ListOrder): string {
  return `${descending ? '-' : ''}${sort ?? ''} ${filter.key}`
}
