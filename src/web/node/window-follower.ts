// Keeps the window of a long list as it is at the node: asks when other rows come into view, soon after something was
// asked of the node, and else at a steady pace. One request at a time.

import type { CoreRoutes } from '../../client/core-routes.ts'
import type { ParametersOf, ReplyOf } from '../../client/routes.ts'
import type { View } from '../model/list-view.ts'
import type { Facets } from '../../wire/list/facet-counts.ts'
import { DownloadWindow, filterOf, sortOf } from '../model/download-window.ts'
import { type ListedRow, type Names, ROW_FIELDS, type ShownList, type WideField } from '../model/shown-list.ts'
import { ApiError, type NodeApi } from './api.ts'

/** From the beginning of one request to that of the next, by why it is made. */
const [LOOK_MS, CHANGE_MS, STEADY_MS, HIDDEN_MS] = [50, 300, 1000, 5000]
/** Numbers by label, tracker and folder are asked for this long after the last ones, or after a change. */
const FACETS_MS = 4000
/** After a failure; longer with each. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 8000]
const ANSWER_MS = 20_000
/** Names that are asked for at a time. */
const NAMES = 1000

type Answer = ReplyOf<CoreRoutes, 'GET /downloads'>

/** Sums over all downloads, as the node has them. */
export type NodeTotals = NonNullable<Answer['totals']>

const noFacets: Facets = { labels: [], trackers: [], folders: [] }

/** What the follower tells. */
export interface FollowerListener {
  /** The window holds what the node answered to a request of that time. */
  took(totals: NodeTotals, begunMs: number): void
  /** The node has downloads of these names, at the time of a request. */
  named(infohashes: readonly string[], begunMs: number): void
  failed(error: unknown, retryMs: number): void
}

/** Keeps the window of a long list as it is at the node. */
export class WindowFollower implements ShownList {
  readonly #api: NodeApi
  readonly #listener: FollowerListener
  readonly #window: DownloadWindow
  #view: View
  #run: AbortController | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #begunMs = 0
  #asking = false
  #failures = 0
  #facets: Facets = noFacets
  /** When the request that told them began. */
  #facetsMs = 0
  /** A change was told of after the request under way had begun. */
  #changed = false
  #wide: readonly WideField[] = []

  constructor(api: NodeApi, view: View, listener: FollowerListener) {
    this.#api = api
    this.#view = view
    this.#window = new DownloadWindow(view)
    this.#listener = listener
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#within(LOOK_MS)
    })
  }

  get length(): number {
    return this.#window.length
  }

  at(index: number): ListedRow | null {
    return this.#window.at(index)
  }

  indexOf(infohash: string): number {
    return this.#window.indexOf(infohash)
  }

  find(infohash: string): ListedRow | null {
    return this.#window.find(infohash)
  }

  /** How many have each label, tracker and folder, as the node told last. */
  get facets(): Facets {
    return this.#facets
  }

  /** Asks, until stop(). */
  start(): void {
    if (this.#run !== null) return
    this.#run = new AbortController()
    this.#within(0)
  }

  stop(): void {
    this.#run?.abort()
    this.#run = null
    this.#failures = 0
    clearTimeout(this.#timer)
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  setView(view: View): void {
    this.#view = view
    this.#window.setView(view)
    this.#within(LOOK_MS)
  }

  /** These rows are in view. */
  look(first: number, end: number, wide: readonly WideField[]): void {
    const isMore = wide.some(field => !this.#wide.includes(field))
    this.#wide = wide
    if (this.#window.look(first, end) || isMore) this.#within(LOOK_MS)
  }

  /** Something was asked of the node that changed the list, or may have. */
  changed(): void {
    this.#changed = true
    this.#facetsMs = 0
    this.#within(CHANGE_MS)
  }

  /** Tries again now. */
  retry(): void {
    this.#failures = 0
    this.#within(0)
  }

  names(from: number, end: number, signal: AbortSignal): Names {
    const held: string[] = []
    for (let at = from; at < Math.min(end, this.length); at++) {
      const row = this.at(at)
      if (row === null) return this.#askNames(from, end, signal)
      held.push(row.infohash)
    }
    return held
  }

  async #askNames(from: number, end: number, signal: AbortSignal): Promise<readonly string[]> {
    const order = { filter: filterOf(this.#view), sort: sortOf(this.#view), fields: ['infohash'] }
    const names: string[] = []
    let place: { offset: number } | { after: string } = { offset: from }
    for (;;) {
      const begunMs = Date.now()
      const limit = Math.min(NAMES, end - from - names.length)
      if (limit <= 0) return names
      const parameters: ParametersOf<CoreRoutes, 'GET /downloads'> = { ...order, ...place, limit }
      const { downloads, next = '' }: Answer = await this.#api.call('GET /downloads', { parameters, signal })
      const told = downloads.map(({ infohash }) => infohash)
      names.push(...told)
      this.#listener.named(told, begunMs)
      if (next === '') return names
      place = { after: next }
    }
  }

  /** A request begins so long after the last one at the latest; not before it was answered. */
  #within(waitMs: number): void {
    if (this.#run === null) return
    const due = Math.max(Date.now(), this.#begunMs + waitMs)
    if (due >= this.#dueMs) return
    this.#dueMs = due
    clearTimeout(this.#timer)
    if (!this.#asking) this.#timer = setTimeout(() => void this.#ask(), due - Date.now())
  }

  async #ask(): Promise<void> {
    const run = this.#run
    if (run === null) return
    this.#asking = true
    this.#begunMs = Date.now()
    this.#dueMs = Number.POSITIVE_INFINITY
    this.#changed = false
    try {
      await this.#askOnce(run.signal)
    } catch (error) {
      if (!run.signal.aborted) this.#fail(error)
    }
    this.#asking = false
    if (this.#run === null) return
    if (this.#changed) this.#within(CHANGE_MS)
    if (this.#failures === 0) this.#within(document.hidden ? HIDDEN_MS : STEADY_MS)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), Math.max(0, this.#dueMs - Date.now()))
  }

  async #askOnce(ended: AbortSignal): Promise<void> {
    const query = this.#window.query()
    const begunMs = this.#begunMs
    const signal = AbortSignal.any([ended, AbortSignal.timeout(ANSWER_MS)])
    const asked = begunMs - this.#facetsMs >= FACETS_MS
    if (asked) this.#facetsMs = begunMs
    const parameters = {
      ...query,
      fields: [[...ROW_FIELDS, ...this.#wide].join(',')],
      get_totals: true,
      get_facets: asked,
    }
    const { downloads, total = 0, totals, facets } = await this.#api.call('GET /downloads', { parameters, signal })
    if (ended.aborted) return
    this.#failures = 0
    this.#facets = facets ?? this.#facets
    const taken = this.#window.take(query, { downloads, total })
    if (taken && totals !== undefined) this.#listener.took(totals, begunMs)
    if (!taken) this.#within(LOOK_MS)
  }

  #fail(error: unknown): void {
    this.#facetsMs = 0
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++)
    this.#within(waitMs)
    if (error instanceof ApiError && error.status === 401) return
    this.#listener.failed(error, waitMs)
  }
}
