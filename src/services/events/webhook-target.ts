// One webhook URL: sends the events it wants from the durable log, in order, one at a time, until each was answered
// with 2xx. What fails is tried again with growing pauses, for as long as the log holds it. Knows its place in the log
// only.

import { createHmac } from 'node:crypto'
import { errorText } from '../../base/errors.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { HttpPoster } from '../../ports/http-post.ts'
import type { Log } from '../../ports/log.ts'
import type { EventLog, LoggedEvent } from '../../ports/records.ts'
import type { Random } from '../../ports/random.ts'

/** Events read from the log at a time. */
const BATCH = 100
const TIMEOUT_MS = 15_000
/** Pause after the first failure; doubles with each, up to the longest, and is spread by a quarter. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 3_600_000
/** Events that were passed over without a POST are noted this often: to pass over them again costs little. */
const NOTE_EVERY = 256

/** What is sent, and how it is signed. */
export interface WebhookRules {
  /** Types of events that are sent; empty = all. */
  readonly types: ReadonlySet<string>
  /** Key of the HMAC; '' = unsigned. */
  readonly secret: string
}

/** What a target works with. */
export interface WebhookTargetDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly http: Pick<HttpPoster, 'post'>
  readonly events: Pick<EventLog, 'readSince' | 'bounds'>
  rules(): WebhookRules
  /** Everything up to `position` was answered. */
  note(position: number): void
}

/** The headers and body of one event. `body` is what the signature is made over. */
export function webhookMessage(
  event: LoggedEvent,
  secret: string,
): { readonly headers: Record<string, string>; readonly body: Buffer } {
  const { id, type, atMs, payload } = event
  const time = Math.floor(atMs / 1000)
  const head = JSON.stringify({ id, type, time })
  const body = Buffer.from(payload === 'null' ? head : `${head.slice(0, -1)},"event":${payload}}`)
  const signed = secret === '' ? null : createHmac('sha256', secret).update(body).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-tributary-event': type,
      'x-tributary-delivery': String(id),
      ...(signed === null ? {} : { 'x-tributary-signature': `sha256=${signed}` }),
    },
  }
}

/**
 * One webhook URL: sends the events it wants from the durable log, in order, one at a time, until each was answered
 * with 2xx.
 */
export class WebhookTarget {
  readonly #url: string
  readonly #deps: WebhookTargetDeps
  readonly #abort = new AbortController()
  /** Id of the last event that needs nothing any more. */
  #position: number
  #noted: number
  #running: Promise<void> | null = null
  /** There may be more than was read. */
  #again = false
  #failures = 0
  #pause: Timer | null = null

  constructor(url: string, position: number, deps: WebhookTargetDeps) {
    this.#url = url
    this.#position = position
    this.#noted = position
    this.#deps = deps
  }

  get position(): number {
    return this.#position
  }

  /** The log has more. */
  wake(): void {
    this.#again = true
    if (this.#running !== null || this.#pause !== null || this.#abort.signal.aborted) return
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#again && this.#pause === null) this.wake()
    })
  }

  /** Sends nothing any more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#abort.abort()
    this.#pause?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#abort.signal.aborted) {
        this.#again = false
        const events = await this.#next()
        if (events.length === BATCH) this.#again = true
        for (const event of events) if (!(await this.#handle(event))) return
      }
    } catch (error) {
      this.#failed(errorText(error))
    }
  }

  /** The next events of the log; those it has dropped are lost, and the log of the node says so. */
  async #next(): Promise<LoggedEvent[]> {
    const events = await this.#deps.events.readSince(this.#position, BATCH)
    const lost = (events[0]?.id ?? this.#position + 1) - this.#position - 1
    if (lost > 0) this.#deps.log.warn('events were dropped before a webhook took them', { host: this.#host, lost })
    return events
  }

  /** False: it failed, or everything ends. */
  async #handle(event: LoggedEvent): Promise<boolean> {
    const { types, secret } = this.#deps.rules()
    if (this.#abort.signal.aborted) return false
    if (types.size > 0 && !types.has(event.type)) {
      this.#position = event.id
      if (event.id - this.#noted >= NOTE_EVERY) this.#note()
      return true
    }
    const problem = await this.#send(event, secret)
    if (this.#abort.signal.aborted) return false
    if (problem !== null) {
      this.#failed(problem)
      return false
    }
    this.#failures = 0
    this.#position = event.id
    this.#note()
    return true
  }

  /** Null when it was taken, else why not. */
  async #send(event: LoggedEvent, secret: string): Promise<string | null> {
    const order = {
      url: this.#url,
      ...webhookMessage(event, secret),
      timeoutMs: TIMEOUT_MS,
      signal: this.#abort.signal,
    }
    try {
      const status = await this.#deps.http.post(order)
      return status >= 200 && status < 300 ? null : `HTTP status ${status}`
    } catch (error) {
      return errorText(error)
    }
  }

  #failed(problem: string): void {
    this.#again = true
    if (this.#abort.signal.aborted) return
    this.#failures += 1
    const doubledMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(20, this.#failures - 1))
    const pauseMs = doubledMs + Math.floor((doubledMs / 4) * (this.#deps.random.below(1000) / 1000))
    this.#deps.log.warn('a webhook did not take an event', { host: this.#host, problem, failures: this.#failures })
    this.#pause = this.#deps.clock.after(pauseMs, () => {
      this.#pause = null
      this.wake()
    })
  }

  #note(): void {
    this.#noted = this.#position
    this.#deps.note(this.#position)
  }

  /** For the log: the rest of the URL may hold a secret. */
  get #host(): string {
    return URL.parse(this.#url)?.host ?? ''
  }
}
