// What the page knows of its node, as signals: the key, the connection, the downloads, the newest events. One of it in
// a page.

import { type Signal, signal } from '@preact/signals'
import type { Download } from '../../client/core-routes.ts'
import { DownloadTable, type Totals } from '../model/download-table.ts'
import { type ListPart, type NodeEvent, textIn } from '../model/event-lines.ts'
import { RateHistory } from '../model/rate-history.ts'
import { ApiError, NodeApi, NodeConnection, textOf } from './api.ts'
import { earlierEvents, Feed } from './feed.ts'

const KEY_NAME = 'tributary.key'
/** Changes are put into the page together, this often at most. */
const APPLY_MS = 40
/** Events that the page keeps. */
const MAX_EVENTS = 500
const SAMPLE_MS = 1000
/** Rows that are asked for before the whole list, and for how long. */
const FIRST_ROWS = 100
const FIRST_MS = 3000
/** Downloads whose rates are kept: those that were looked at last. */
const MAX_HISTORIES = 16
/** Events before this page was opened that are fetched to be shown. */
const EARLIER_EVENTS = 100

/** The state of the connection to the node. */
export type Connection =
  | { readonly state: 'connecting' | 'live' }
  | { readonly state: 'lost'; readonly reason: string; readonly retryAtMs: number }

/** A message that goes by itself. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

/** What the page knows of its node, as signals: the key, the connection, the downloads, the newest events. */
export class Session {
  /** Null: none is known; '' where the node asks for none. */
  readonly key: Signal<string | null> = signal(readKey())
  /** Why a key is asked for again. */
  readonly keyProblem = signal('')
  readonly connection: Signal<Connection> = signal({ state: 'connecting' })
  readonly table = new DownloadTable()
  /** Grows with every change of the table. */
  readonly tableVersion = signal(0)
  /** The list came whole at least once. */
  readonly listed = signal(false)
  readonly totals: Signal<Totals> = signal(this.table.totals)
  readonly rates = new RateHistory()
  /** Grows with every sample of the rates. */
  readonly rateVersion = signal(0)
  readonly events: Signal<readonly NodeEvent[]> = signal([])
  readonly version = signal('')
  /** The core has started: before, changes are refused. */
  readonly started = signal(false)
  readonly notices: Signal<readonly Notice[]> = signal([])
  readonly node = new NodeConnection(
    () => this.key.value ?? '',
    () => this.#refused(),
  )
  readonly api = new NodeApi(this.node)
  readonly #feed = new Feed(this.api, {
    opened: () => this.table.begin(),
    event: event => this.#event(event),
    list: part => this.#list(part),
    lost: (error, retryMs) => {
      this.connection.value = { state: 'lost', reason: textOf(error), retryAtMs: Date.now() + retryMs }
    },
  })
  readonly #histories = new Map<string, RateHistory>()
  readonly #watchers = new Set<(event: NodeEvent) => void>()
  #unlisted: ReadonlySet<string> = new Set()
  #parts: ListPart[] = []
  #earlier: Promise<void> | null = null
  #firstId = 0
  #applying = false
  #noticeId = 0

  /**
   * Begins: with the key that is kept, or by finding out that none is needed. `unlisted`: types of events that are not
   * among `events`, but for watchEvents() alone.
   */
  async start(unlisted: readonly string[]): Promise<void> {
    this.#unlisted = new Set(unlisted)
    setInterval(() => this.#sample(), SAMPLE_MS)
    globalThis.addEventListener('online', () => this.#feed.retry())
    if (this.key.value !== null) return this.#begin()
    await this.tryKey('').catch(() => {
      this.keyProblem.value = ''
    })
  }

  /** Asks the node whether it takes a key, and keeps one that it takes. Rejects with ApiError. */
  async tryKey(key: string): Promise<void> {
    const candidate = new NodeConnection(
      () => key,
      () => undefined,
    )
    await new NodeApi(candidate).call('GET /state')
    localStorage.setItem(KEY_NAME, key)
    this.keyProblem.value = ''
    this.key.value = key
    void this.#begin()
  }

  /**
   * Shows what is looked at first, then follows the whole list: of many thousand downloads that is on its way for
   * seconds.
   */
  async #begin(): Promise<void> {
    const { sort, descending } = this.table.view
    const parameters = { limit: FIRST_ROWS, sort: `${descending ? '-' : ''}${sort}` }
    const signal = AbortSignal.timeout(FIRST_MS)
    // What is wrong is found, and shown, by the connection that follows.
    const first = await this.api.call('GET /downloads', { parameters, signal }).catch(() => null)
    // The key was refused.
    if (this.key.value === null) return
    if (first !== null) this.table.apply(first.downloads, [])
    this.#changed()
    this.#feed.start()
  }

  /** Forgets the key. */
  signOut(): void {
    this.#feed.stop()
    localStorage.removeItem(KEY_NAME)
    this.key.value = null
    this.events.value = []
    this.table.begin()
    this.table.finish()
    this.#changed()
  }

  /** Connects now instead of after the pause. */
  reconnect(): void {
    this.#feed.retry()
  }

  /** Tells something for a few seconds. */
  notify(text: string, tone: Notice['tone'] = 'good'): void {
    const notice = { id: ++this.#noticeId, text, tone }
    this.notices.value = [...this.notices.value.slice(-3), notice]
    setTimeout(() => this.dismiss(notice.id), tone === 'bad' ? 12_000 : 5000)
  }

  dismiss(id: number): void {
    this.notices.value = this.notices.value.filter(notice => notice.id !== id)
  }

  /** Calls `heard` with every event from now on, until the answer is called. */
  watchEvents(heard: (event: NodeEvent) => void): () => void {
    this.#watchers.add(heard)
    return () => this.#watchers.delete(heard)
  }

  /** Runs a request of the user; a failure is shown. True when it went well. */
  async attempt(run: () => Promise<unknown>, done = ''): Promise<boolean> {
    try {
      await run()
      if (done !== '') this.notify(done)
      return true
    } catch (error) {
      this.notify(textOf(error), 'bad')
      return false
    }
  }

  /** The rates of one download since it was first looked at. */
  ratesOf(infohash: string): RateHistory {
    const known = this.#histories.get(infohash)
    if (known !== undefined) return known
    const history = new RateHistory()
    this.#histories.set(infohash, history)
    this.#noteRates(infohash, history)
    const oldest = [...this.#histories.keys()][0] ?? ''
    if (this.#histories.size > MAX_HISTORIES) this.#histories.delete(oldest)
    return history
  }

  /** Adds what the log holds from before this page was opened; once. */
  loadEarlier(): Promise<void> {
    this.#earlier ??= this.attempt(async () => {
      const before = await earlierEvents(this.api, this.#firstId, EARLIER_EVENTS)
      const kept = before.filter(({ type }) => !this.#unlisted.has(type))
      this.events.value = [...kept, ...this.events.value]
    }).then(() => undefined)
    return this.#earlier
  }

  #refused(): void {
    this.signOut()
    this.keyProblem.value = 'The node does not take this key any more. Enter the one it has now.'
  }

  #event(event: NodeEvent): void {
    if (event.type === 'events_start') {
      this.version.value = textIn(event, 'version')
      this.started.value = event.event?.['tribler_started'] === true
      if (this.#firstId === 0) this.#firstId = event.id
    } else {
      for (const heard of this.#watchers) heard(event)
      if (!this.#unlisted.has(event.type)) this.events.value = [...this.events.value.slice(1 - MAX_EVENTS), event]
      if (event.type === 'tribler_started') this.started.value = true
    }
    this.#announce(event)
  }

  /** What a user waits for is shown on every page. */
  #announce(event: NodeEvent): void {
    if (event.type === 'torrent_finished') this.notify(`Finished: ${textIn(event, 'name')}`)
    if (event.type === 'torrent_error') this.notify(`Error: ${textIn(event, 'error')}`, 'bad')
    if (event.type === 'storage_move_failed') this.notify(`Files were not moved: ${textIn(event, 'error')}`, 'bad')
  }

  #list(part: ListPart): void {
    this.#parts.push(part)
    if (this.#applying) return
    this.#applying = true
    setTimeout(() => this.#apply(), APPLY_MS)
  }

  #apply(): void {
    this.#applying = false
    performance.mark('tributary-update')
    for (const { downloads, removed, complete } of this.#parts.splice(0)) {
      this.table.apply(downloads, removed)
      if (!complete || this.connection.value.state === 'live') continue
      this.table.finish()
      this.listed.value = true
      this.connection.value = { state: 'live' }
    }
    this.#changed()
  }

  #changed(): void {
    this.totals.value = this.table.totals
    this.tableVersion.value++
  }

  #sample(): void {
    const { down, up } = this.totals.value
    this.rates.note(Date.now(), down, up)
    for (const [infohash, history] of this.#histories) this.#noteRates(infohash, history)
    this.rateVersion.value++
  }

  #noteRates(infohash: string, history: RateHistory): void {
    const record = this.table.find(infohash)
    if (record !== null) history.note(Date.now(), record.speed_down, record.speed_up)
  }
}

function readKey(): string | null {
  return localStorage.getItem(KEY_NAME)
}

/** Whether an error says that the key was wrong, and not that something is in the way. */
export function isWrongKey(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** The record of a download as the table has it now; follows changes where it is read while a page is drawn. */
export function recordOf(session: Session, infohash: string): Download | null {
  void session.tableVersion.value
  return session.table.find(infohash)
}
