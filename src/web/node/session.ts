// What the page knows of its node, as signals: the key, the connection, the downloads, the newest events. One of it in
// a page.

import { type Signal, signal } from '@preact/signals'
import type { Download } from '../../client/core-routes.ts'
import type { Totals } from '../model/download-table.ts'
import { deviceName } from '../model/device-name.ts'
import { type ListPart, type NodeEvent, textIn } from '../model/event-lines.ts'
import { RateHistory } from '../model/rate-history.ts'
import { ApiError, NodeApi, NodeConnection, textOf } from './api.ts'
import { DownloadSource } from './download-source.ts'
import { earlierEvents, Feed } from './feed.ts'
import { text } from '../texts/node/connection.ts'

const KEY_NAME = 'tributary.key'
/** Of what the node calls the key that it made for this browser. */
const DEVICE_NAME = 'tributary.device'
/** Changes are put into the page together, this often at most. */
const APPLY_MS = 40
/** Events that the page keeps. */
const MAX_EVENTS = 500
const SAMPLE_MS = 1000
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
  /** The welcome: '' = none, after a link if it is the first visit, or because somebody asked for it. */
  readonly welcome: Signal<'' | 'linked' | 'asked'> = signal('')
  /** The code of a link is being exchanged. */
  readonly signingIn = signal(false)
  readonly connection: Signal<Connection> = signal({ state: 'connecting' })
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
    () => this.downloads.changed(),
  )
  readonly api = new NodeApi(this.node)
  readonly downloads: DownloadSource = new DownloadSource(this.api, {
    follow: list => this.#feed.follow(list),
    current: () => this.#current(),
    failed: (error, retryMs) => this.#lost(error, retryMs),
  })
  readonly totals: Signal<Totals> = this.downloads.totals
  readonly #feed = new Feed(this.api, {
    opened: () => {
      this.#open = true
      this.downloads.opened()
    },
    event: event => this.#event(event),
    list: part => this.#list(part),
    lost: (error, retryMs) => {
      this.#open = false
      this.#lost(error, retryMs)
    },
  })
  readonly #histories = new Map<string, RateHistory>()
  readonly #watchers = new Set<(event: NodeEvent) => void>()
  #unlisted: ReadonlySet<string> = new Set()
  #parts: ListPart[] = []
  #earlier: Promise<void> | null = null
  #firstId = 0
  /** The node has told which event is the newest: what came before it can be asked for. */
  #greeted: () => void = () => undefined
  readonly #greeting = new Promise<void>(resolve => {
    this.#greeted = resolve
  })
  #applying = false
  /** The connection for events is open. */
  #open = false
  #noticeId = 0

  /**
   * Begins: with the key that is kept, or by finding out that none is needed, or with the code of a link; '' = none.
   * `unlisted`: types of events that are not among `events`, but for watchEvents() alone.
   */
  async start(unlisted: readonly string[], code: string): Promise<void> {
    this.#unlisted = new Set(unlisted)
    setInterval(() => this.#sample(), SAMPLE_MS)
    globalThis.addEventListener('online', () => this.reconnect())
    if (code !== '') return this.signIn(code)
    if (this.key.value !== null) return this.downloads.start()
    await this.tryKey('').catch(() => {
      this.keyProblem.value = ''
    })
  }

  /**
   * Signs in with the code of a link, if no key is kept that the node takes: each code makes one more. What keeps it
   * from that is `keyProblem`.
   */
  async signIn(code: string): Promise<void> {
    const kept = this.key.value
    this.key.value = null
    this.signingIn.value = true
    try {
      await this.tryKey(kept ?? '').catch((error: unknown) => {
        if (!isWrongKey(error)) throw error
        return this.#exchange(code)
      })
    } catch (error) {
      this.keyProblem.value = textOf(error)
      // Of a node that does not answer: the pages say so, and go on when the node does.
      if (kept !== null && !(error instanceof ApiError && error.status === 403)) this.#keep(kept)
    } finally {
      this.signingIn.value = false
    }
  }

  async #exchange(code: string): Promise<void> {
    const parameters = { code, name: deviceName(navigator.userAgent) }
    const { key, name } = await apiWith('').call('POST /login', { parameters })
    await this.tryKey(key)
    localStorage.setItem(DEVICE_NAME, name)
    this.welcome.value = 'linked'
  }

  /** Asks the node whether it takes a key, and keeps one that it takes. Rejects with ApiError. */
  async tryKey(key: string): Promise<void> {
    await apiWith(key).call('GET /state')
    this.#keep(key)
  }

  #keep(key: string): void {
    localStorage.setItem(KEY_NAME, key)
    this.keyProblem.value = ''
    this.key.value = key
    this.downloads.start()
  }

  /** What the node calls the key of this browser; null: it has one that was typed in. */
  get device(): string | null {
    return localStorage.getItem(DEVICE_NAME)
  }

  /** Forgets the key; one that the node made for this browser is taken back. */
  async leave(): Promise<void> {
    const name = this.device
    // A key that may not do that, or a node that is away, keeps nobody here.
    if (name !== null) await this.api.call('DELETE /keys/{name}', { path: { name } }).catch(() => undefined)
    this.signOut()
  }

  /** Forgets the key. */
  signOut(): void {
    this.#feed.stop()
    this.#open = false
    localStorage.removeItem(KEY_NAME)
    localStorage.removeItem(DEVICE_NAME)
    this.key.value = null
    this.welcome.value = ''
    this.events.value = []
    this.downloads.stop()
  }

  /** Connects now instead of after the pause. */
  reconnect(): void {
    this.#feed.retry()
    this.downloads.retry()
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
      await this.#greeting
      const before = await earlierEvents(this.api, this.#firstId, EARLIER_EVENTS)
      const kept = before.filter(({ type }) => !this.#unlisted.has(type))
      this.events.value = [...kept, ...this.events.value]
    }).then(() => undefined)
    return this.#earlier
  }

  #refused(): void {
    this.signOut()
    this.keyProblem.value = text('keyChanged')
  }

  #event(event: NodeEvent): void {
    if (event.type === 'events_start') {
      this.version.value = textIn(event, 'version')
      this.started.value = event.event?.['tribler_started'] === true
      if (this.#firstId === 0) this.#firstId = event.id
      this.#greeted()
    } else {
      for (const heard of this.#watchers) heard(event)
      if (!this.#unlisted.has(event.type)) this.events.value = [...this.events.value.slice(1 - MAX_EVENTS), event]
      if (event.type === 'tribler_started') this.started.value = true
    }
    this.#announce(event)
  }

  /** What a user waits for is shown on every page. */
  #announce(event: NodeEvent): void {
    if (event.type === 'torrent_finished') this.notify(text('finished', { name: textIn(event, 'name') }))
    if (event.type === 'torrent_error') this.notify(text('failed', { error: textIn(event, 'error') }), 'bad')
    if (event.type === 'storage_move_failed') this.notify(text('notMoved', { error: textIn(event, 'error') }), 'bad')
  }

  #list(part: ListPart): void {
    this.#parts.push(part)
    if (this.#applying) return
    this.#applying = true
    setTimeout(() => this.#apply(), APPLY_MS)
  }

  #apply(): void {
    this.#applying = false
    this.downloads.take(this.#parts.splice(0))
  }

  /** What is shown is as the node has it. */
  #current(): void {
    if (this.#open && this.connection.value.state !== 'live') this.connection.value = { state: 'live' }
  }

  #lost(error: unknown, retryMs: number): void {
    this.connection.value = { state: 'lost', reason: textOf(error), retryAtMs: Date.now() + retryMs }
  }

  #sample(): void {
    const { down, up } = this.totals.value
    this.rates.note(Date.now(), down, up)
    for (const [infohash, history] of this.#histories) this.#noteRates(infohash, history)
    this.rateVersion.value++
  }

  #noteRates(infohash: string, history: RateHistory): void {
    const record = this.downloads.held(infohash)
    if (record !== null) history.note(Date.now(), record.speed_down, record.speed_up)
  }
}

function readKey(): string | null {
  return localStorage.getItem(KEY_NAME)
}

/** Asks the node with another key than that of the page. */
function apiWith(key: string): NodeApi {
  const nothing = () => undefined
  return new NodeApi(new NodeConnection(() => key, nothing, nothing))
}

/** Whether an error says that the key was wrong, and not that something is in the way. */
export function isWrongKey(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/**
 * The record of a download as the page has it now: null = there is none, undefined = that is not known yet. Follows
 * changes where it is read while a page is drawn.
 */
export function recordOf(session: Session, infohash: string): Download | null | undefined {
  void session.downloads.version.value
  return session.downloads.find(infohash)
}

/** Its name and that there is one, as recordOf(); null where that is not known. Costs less. */
export function glanceOf(session: Session, infohash: string): Pick<Download, 'infohash' | 'name'> | null {
  void session.downloads.version.value
  return session.downloads.glance(infohash)
}
