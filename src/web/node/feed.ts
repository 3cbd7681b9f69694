// The one open connection to the node: events, and of a list that the page holds whole the downloads with their
// changes. When it ends it is opened again, after growing pauses, and the list comes from its beginning.

import { isListPart, LineSplitter, type ListPart, type NodeEvent, readLine } from '../model/event-lines.ts'
import { ApiError, type NodeApi } from './api.ts'
import { text } from '../texts/node/connection.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000
/** The node sends something every 15 s; without it for this long the connection is dead. */
const SILENCE_MS = 40_000
/** Events of the log that do not come by then are not shown. */
const EARLIER_MS = 5000

/** What the feed tells. */
export interface FeedListener {
  /** A connection is open; a list begins again. */
  opened(): void
  event(event: NodeEvent): void
  list(part: ListPart): void
  /** It ended; the next try is in `retryMs`. */
  lost(error: unknown, retryMs: number): void
}

/** The one open connection to the node: events, and the list of downloads with its changes where that is wanted. */
export class Feed {
  readonly #api: NodeApi
  readonly #listener: FeedListener
  #stopped = new AbortController()
  /** Whether downloads come too; null: it does not run. */
  #list: boolean | null = null
  /** Id of the newest event heard; null before the first connection. */
  #since: number | null = null
  #wake: () => void = () => undefined

  constructor(api: NodeApi, listener: FeedListener) {
    this.#api = api
    this.#listener = listener
  }

  /** Connects, and goes on until stop(); `list`: the downloads come too. Nothing happens where that is so already. */
  follow(list: boolean): void {
    if (this.#list === list) return
    this.stop()
    this.#list = list
    this.#stopped = new AbortController()
    void this.#run(this.#stopped.signal)
  }

  stop(): void {
    this.#list = null
    this.#stopped.abort()
    this.#wake()
  }

  /** Tries again now if it waits. */
  retry(): void {
    this.#wake()
  }

  async #run(stopped: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    while (!stopped.aborted) {
      try {
        await this.#follow(stopped, () => {
          waitMs = FIRST_WAIT_MS
        })
        throw new ApiError(0, 'Ended', text('ended'))
      } catch (error) {
        if (stopped.aborted || (error instanceof ApiError && error.status === 401)) return
        this.#listener.lost(error, waitMs)
      }
      await this.#pause(waitMs)
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
    }
  }

  async #follow(stopped: AbortSignal, connected: () => void): Promise<void> {
    const silence = new AbortController()
    const cancel = () => silence.abort()
    stopped.addEventListener('abort', cancel)
    let timer = setTimeout(cancel, SILENCE_MS)
    try {
      const list = this.#list === true ? { downloads: true } : {}
      const parameters = { ...list, ...(this.#since === null ? {} : { since: this.#since }) }
      const answer = await this.#api.open('GET /events', { parameters, signal: silence.signal })
      const reader = answer.body?.getReader()
      if (reader === undefined) return
      connected()
      this.#listener.opened()
      const lines = new LineSplitter()
      for (;;) {
        // What browsers say of a stream that broke off helps no user.
        const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
        if (done || value === undefined) return
        clearTimeout(timer)
        timer = setTimeout(cancel, SILENCE_MS)
        for (const line of lines.push(value)) if (!stopped.aborted) this.#take(readLine(line))
      }
    } finally {
      clearTimeout(timer)
      stopped.removeEventListener('abort', cancel)
      silence.abort()
    }
  }

  #take(value: NodeEvent | ListPart | null): void {
    if (value === null) return
    if (isListPart(value)) return this.#listener.list(value)
    this.#since = value.id
    this.#listener.event({ ...value, heardMs: Date.now() })
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

/** At most `count` events up to number `last`, from the log. */
export async function earlierEvents(api: NodeApi, last: number, count: number): Promise<NodeEvent[]> {
  const found: NodeEvent[] = []
  if (last === 0) return found
  const ended = new AbortController()
  const late = setTimeout(() => ended.abort(), EARLIER_MS)
  try {
    const parameters = { since: Math.max(0, last - count) }
    const reader = (await api.open('GET /events', { parameters, signal: ended.signal })).body?.getReader()
    const lines = new LineSplitter()
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      for (const event of lines.push(value).map(readLine))
        if (event !== null && !isListPart(event) && event.type !== 'events_start' && event.id <= last) found.push(event)
      if ((found.at(-1)?.id ?? 0) >= last) break
    }
  } catch (error) {
    // The newest one may be gone from the log: what came by then is all.
    if (!ended.signal.aborted) throw error
  } finally {
    clearTimeout(late)
    ended.abort()
  }
  return found
}
