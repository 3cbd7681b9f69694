// Where the page has its downloads from. Up to a thousand it holds them all and follows their changes with the events;
// of more it holds a window of the list, and the node filters, sorts and counts (decision 0531). It changes over while
// the page is open: what is shown stays until the other way has it.

import { type Signal, signal } from '@preact/signals'
import type { Facets } from '../../wire/list/facet-counts.ts'
import type { CoreRoutes, Download } from '../../client/core-routes.ts'
import type { ReplyOf } from '../../client/routes.ts'
import { DownloadTable, type Totals } from '../model/download-table.ts'
import { sortOf } from '../model/download-window.ts'
import type { View } from '../model/list-view.ts'
import type { ListPart } from '../model/event-lines.ts'
import { type ListedRow, type ShownList, WholeList, type WideField } from '../model/shown-list.ts'
import { ApiError, type NodeApi } from './api.ts'
import { NamedDownloads } from './named-downloads.ts'
import { type NodeTotals, WindowFollower } from './window-follower.ts'

/** With more downloads the page holds a window of the list; with this many or fewer all of them again. */
const [MAX_WHOLE, FEW] = [1000, 900]
/** Rows that are asked for before it is known how many there are. */
const FIRST_ROWS = 100
/** Events are followed without them when they have not come by then. */
const FIRST_MS = 3000
const ANSWER_MS = 20_000
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 8000]
/** Downloads that are known to be gone. */
const MAX_GONE = 10_000

/** What the source tells, and asks for. */
export interface SourceListener {
  /** Events are to be followed, `list`: with the whole list of downloads. */
  follow(list: boolean): void
  /** What is shown is as the node has it now. */
  current(): void
  /** A request failed; the next try is in `retryMs`. */
  failed(error: unknown, retryMs: number): void
}

/** Where the page has its downloads from. */
export class DownloadSource {
  /** Grows with every change of what is shown. */
  readonly version = signal(0)
  /** What is shown has come from the node at least once. */
  readonly listed = signal(false)
  readonly totals: Signal<Totals>
  readonly #api: NodeApi
  readonly #listener: SourceListener
  readonly #table = new DownloadTable()
  readonly #window: WindowFollower
  readonly #named: NamedDownloads
  /** When each was removed. */
  readonly #gone = new Map<string, number>()
  /** The window is what is shown. */
  #windowed = false
  /** The other way is being opened. */
  #changing = false
  /** Answers since the window is shown. */
  #taken = 0
  #run: AbortController | null = null
  #wake: () => void = () => undefined

  constructor(api: NodeApi, listener: SourceListener) {
    this.#api = api
    this.#listener = listener
    this.totals = signal(this.#table.totals)
    this.#window = new WindowFollower(api, this.#table.view, {
      took: (totals, begunMs) => this.#took(totals, begunMs),
      named: (infohashes, begunMs) => this.#there(infohashes, begunMs),
      failed: (error, retryMs) => {
        if (this.#windowed || !this.listed.value) listener.failed(error, retryMs)
      },
    })
    this.#named = new NamedDownloads(api, () => this.version.value++)
  }

  get view(): View {
    return this.#table.view
  }

  /** How many have each label, tracker and folder. */
  get facets(): Facets {
    return this.#windowed ? this.#window.facets : this.#table.facets
  }

  /** The rows that are shown now. */
  get list(): ShownList {
    return this.#windowed ? this.#window : new WholeList(this.#table.visible)
  }

  /** Shows what is looked at first, then follows the list in the way that fits its length. */
  start(): void {
    this.#run?.abort()
    this.#run = new AbortController()
    void this.#begin(this.#run.signal)
  }

  /** Nothing is known and nothing asked any more. */
  stop(): void {
    this.#run?.abort()
    this.#wake()
    this.#window.stop()
    this.#named.clear()
    this.#gone.clear()
    this.#windowed = this.#changing = false
    this.listed.value = false
    this.#clearTable()
    this.#shown(this.#table.totals)
  }

  /** Tries again now if it waits. */
  retry(): void {
    this.#wake()
    this.#window.retry()
  }

  setView(view: View): void {
    this.#table.setView(view)
    this.#window.setView(view)
    this.version.value++
  }

  /** These rows are in view, with fields that are asked for while they are shown. */
  look(first: number, end: number, wide: readonly WideField[]): void {
    // Also while all are held: the window that may follow begins there.
    this.#window.look(first, end, wide)
  }

  /** The whole record of a download. Null: there is none; undefined: not known yet. */
  find(infohash: string): Download | null | undefined {
    const held = this.#table.find(infohash)
    if (!this.#windowed) return held ?? (this.listed.value ? null : undefined)
    // What was held when the list grew is better than nothing for the moment.
    const named = this.#named.read(infohash, true)
    return named === undefined ? (held ?? undefined) : named
  }

  /** What its row shows, or its name alone; null = there is none, or that is not known yet. */
  glance(infohash: string): Pick<Download, 'infohash' | 'name'> | null {
    if (!this.#windowed) return this.#table.find(infohash)
    return this.#window.find(infohash) ?? this.#named.read(infohash, false) ?? null
  }

  /** What is known of it without asking for it. */
  held(infohash: string): ListedRow | null {
    if (!this.#windowed) return this.#table.find(infohash)
    return this.#window.find(infohash) ?? this.#named.peek(infohash)
  }

  /** It is known that there is no such download any more. */
  isGone(infohash: string): boolean {
    return this.#windowed ? this.#gone.has(infohash) : this.#table.find(infohash) === null
  }

  /** The node removed it, or never had it. */
  removed(infohash: string): void {
    if (this.#windowed && this.#gone.size < MAX_GONE) this.#gone.set(infohash, Date.now())
  }

  /** A request of this page may have changed the list. */
  changed(): void {
    if (!this.#windowed) return
    this.#named.changed()
    this.#window.changed()
  }

  /** The connection is open: a whole list begins again. */
  opened(): void {
    this.#table.begin()
    if (this.#windowed) this.#window.retry()
  }

  /** Parts of the whole list. */
  take(parts: readonly ListPart[]): void {
    // Of a connection that was given up.
    if (this.#windowed && !this.#changing) return
    for (const { downloads, removed, complete } of parts) {
      this.#table.apply(downloads, removed)
      if (complete) this.#complete()
    }
    if (this.#windowed) return
    if (this.#table.totals.count > MAX_WHOLE && !this.#changing) {
      this.#changing = true
      this.#window.start()
    }
    this.#shown(this.#table.totals)
  }

  #complete(): void {
    this.#table.finish()
    if (this.#windowed && this.#table.totals.count > MAX_WHOLE) return this.#stayWindowed()
    if (this.#windowed) {
      this.#windowed = this.#changing = false
      this.#window.stop()
      this.#gone.clear()
    }
    this.listed.value = true
    this.#listener.current()
    return undefined
  }

  /** It has grown again before the whole list was here. */
  #stayWindowed(): void {
    this.#changing = false
    this.#listener.follow(false)
    this.#clearTable()
  }

  async #begin(run: AbortSignal): Promise<void> {
    const late = setTimeout(() => {
      if (!run.aborted) this.#listener.follow(false)
    }, FIRST_MS)
    for (let waitMs = FIRST_WAIT_MS; !run.aborted; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
      try {
        const parameters = { limit: FIRST_ROWS, sort: sortOf(this.view), get_totals: true }
        const signal = AbortSignal.any([run, AbortSignal.timeout(ANSWER_MS)])
        const first = await this.#api.call('GET /downloads', { parameters, signal })
        if (!run.aborted) this.#first(first)
        break
      } catch (error) {
        if (run.aborted || (error instanceof ApiError && error.status === 401)) break
        this.#listener.failed(error, waitMs)
        this.#listener.follow(false)
      }
      await this.#pause(waitMs)
    }
    clearTimeout(late)
  }

  /** Which way is taken; of many thousand downloads the whole list would be on its way for seconds. */
  #first({ downloads, totals }: ReplyOf<CoreRoutes, 'GET /downloads'>): void {
    this.#table.apply(downloads, [])
    this.#shown(totals === undefined ? this.#table.totals : totalsOf(totals))
    if ((totals?.count ?? 0) <= MAX_WHOLE) return this.#listener.follow(true)
    this.#changing = true
    this.#listener.follow(false)
    this.#window.start()
    return undefined
  }

  /** Those that were added again are not gone; an answer to a request of before they were removed says nothing. */
  #there(infohashes: Iterable<string>, begunMs: number): void {
    for (const infohash of infohashes)
      if ((this.#gone.get(infohash) ?? Number.POSITIVE_INFINITY) < begunMs) this.#gone.delete(infohash)
  }

  #took(totals: NodeTotals, begunMs: number): void {
    if (!this.#windowed) this.#enterWindow()
    this.#there(
      [...this.#gone.keys()].filter(infohash => this.#window.find(infohash) !== null),
      begunMs,
    )
    if (totals.count <= FEW && !this.#changing) {
      this.#changing = true
      this.#clearTable()
      this.#listener.follow(true)
    }
    this.#forgetWhole()
    this.#named.refresh()
    this.#shown(totalsOf(totals))
    this.listed.value = true
    this.#listener.current()
  }

  #enterWindow(): void {
    this.#windowed = true
    this.#changing = false
    this.#taken = 0
    this.#listener.follow(false)
  }

  /** What was held whole goes as soon as everything that a page reads of it has come by itself. */
  #forgetWhole(): void {
    this.#taken += 1
    const idle = this.#taken > 2 && !this.#changing && this.#named.settled
    if (idle && this.#table.totals.count > 0) this.#clearTable()
  }

  #clearTable(): void {
    this.#table.begin()
    this.#table.finish()
    this.#table.begin()
  }

  #shown(totals: Totals): void {
    performance.mark('tributary-update')
    this.totals.value = totals
    this.version.value++
  }

  async #pause(waitMs: number): Promise<void> {
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, waitMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function totalsOf({ count, speed_down: down, speed_up: up, states }: NodeTotals): Totals {
  return { down, up, count, groups: states }
}
