// The event hub: gives each event its number by way of the durable log, and feeds every follower in order from a ring
// of recent events or, further back, from the log. Nothing waits for a follower: one that is too slow is let go.
// Invariant: a follower sees ids that grow without a gap, after one events_start of its own.

import { AppError } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'
import type { EventLog } from '../ports/records.ts'
import type { EventRecord, EventSubscription, EventsService, Json } from './api.ts'
import type { EventPayloads, EventType } from './event-table.ts'

/** Recent events kept in memory: enough that a reader of live events never needs the log. */
const RING_EVENTS = 256

/** Events that may wait for their number; more come only when the disk is stuck, and are lost then. */
const MAX_PENDING = 1000

/** Events read from the log at a time. */
const REPLAY_BATCH = 500

/** Followers at a time. Each is an open connection; the interface is for one machine's programs. */
const MAX_FOLLOWERS = 256

/** What the hub needs of the node. */
export interface EventHubDeps {
  readonly log: Log
  /** Whether the core has started, for events_start. */
  started(): boolean
  /** Version of the service, for events_start. */
  readonly version: string
}

interface Follower {
  readonly deliver: (record: EventRecord) => boolean
  /** Whether it has room for more; see EventsService.follow. */
  readonly room: () => undefined | Promise<void>
  readonly since: number | null
  /** Id of the newest event it has; null until the log is open. */
  cursor: number | null
  pumping: boolean
  closed: boolean
}

/** Numbers events, keeps them, and sends them to followers. */
export class EventHub implements EventsService {
  readonly #deps: EventHubDeps
  readonly #followers = new Set<Follower>()
  readonly #waiting: { type: EventType; payload: Json }[] = []
  #log: EventLog | null = null
  #newest = 0
  #ring: EventRecord[] = []
  #pending = 0
  #tail: Promise<void> = Promise.resolve()

  constructor(deps: EventHubDeps) {
    this.#deps = deps
  }

  /** Connects the durable log; events emitted before this get their numbers now. */
  async open(log: EventLog): Promise<void> {
    this.#newest = (await log.bounds()).newest
    this.#log = log
    for (const follower of this.#followers) this.#begin(follower)
    for (const { type, payload } of this.#waiting.splice(0)) this.#append(log, type, payload)
  }

  /** Sends an event to everybody and to the log. Never throws, never waits. */
  emit<T extends EventType>(type: T, ...payload: EventPayloads[T] extends undefined ? [] : [EventPayloads[T]]): void {
    if (this.#pending + this.#waiting.length >= MAX_PENDING) {
      this.#deps.log.error('event lost: too many are waiting to be written', { type })
      return
    }
    const value = (payload[0] ?? null) as Json
    if (this.#log === null) this.#waiting.push({ type, payload: value })
    else this.#append(this.#log, type, value)
  }

  follow(
    since: number | null,
    deliver: (record: EventRecord) => boolean,
    room: () => undefined | Promise<void> = () => undefined,
  ): EventSubscription {
    if (this.#followers.size >= MAX_FOLLOWERS) throw new AppError('TooManyRequests', 'Too many event streams are open.')
    const follower: Follower = { deliver, room, since, cursor: null, pumping: false, closed: false }
    this.#followers.add(follower)
    // Later in this turn, so that the caller holds its subscription before the first record comes.
    queueMicrotask(() => {
      if (since === null) this.#greet(follower, 0)
      if (this.#log !== null) this.#begin(follower)
    })
    return { close: () => this.#drop(follower) }
  }

  /** Settles when every event emitted so far is in the log; then ends all followers. */
  async close(): Promise<void> {
    await this.#tail
    for (const follower of this.#followers) this.#drop(follower)
    this.#log = null
  }

  #append(log: EventLog, type: EventType, payload: Json): void {
    this.#pending++
    const numbered = log.append(type, payload)
    this.#tail = this.#tail
      .then(() => numbered)
      .then(
        id => this.#publish(recordOf(id, type, payload)),
        error => this.#publishUnlogged(recordOf(this.#newest, type, payload), error),
      )
      .finally(() => this.#pending--)
  }

  #publish(record: EventRecord): void {
    this.#newest = record.id
    this.#ring.push(record)
    if (this.#ring.length > RING_EVENTS) this.#ring.shift()
    for (const follower of this.#followers) void this.#pump(follower)
  }

  /** The log refused: those who listen now still hear it, under the number of the event before. */
  #publishUnlogged(record: EventRecord, error: unknown): void {
    this.#deps.log.error('event not logged', { type: record.type, error })
    for (const follower of this.#followers) {
      if (follower.cursor === this.#newest) this.#send(follower, record)
    }
  }

  #begin(follower: Follower): void {
    if (follower.closed || follower.cursor !== null) return
    // A number from another life of the state directory counts as the newest.
    follower.cursor = Math.min(follower.since ?? this.#newest, this.#newest)
    if (follower.since === null) return
    void this.#resume(follower)
  }

  /** Events the log no longer has are told as `lost`. */
  async #resume(follower: Follower): Promise<void> {
    follower.pumping = true
    try {
      const oldest = (await this.#log?.bounds())?.oldest ?? this.#newest + 1
      const cursor = follower.cursor ?? 0
      const lost = Math.max(0, oldest - 1 - cursor)
      follower.cursor = cursor + lost
      this.#greet(follower, lost)
    } catch (error) {
      this.#fail(follower, error)
    }
    follower.pumping = false
    await this.#pump(follower)
  }

  #greet(follower: Follower, lost: number): void {
    const event: EventPayloads['events_start'] = {
      tribler_started: this.#deps.started(),
      version: this.#deps.version,
      ...(lost > 0 ? { lost } : {}),
    }
    this.#send(follower, { id: follower.cursor ?? this.#newest, type: 'events_start', event: { ...event } })
  }

  /** Sends what the follower lacks; one at a time per follower. */
  async #pump(follower: Follower): Promise<void> {
    if (follower.pumping || follower.cursor === null) return
    follower.pumping = true
    try {
      while (!follower.closed && follower.cursor < this.#newest) {
        const batch = this.#recent(follower.cursor) ?? (await this.#older(follower))
        if (batch.length === 0) break
        for (const record of batch) this.#send(follower, record)
      }
    } catch (error) {
      this.#fail(follower, error)
    } finally {
      follower.pumping = false
    }
  }

  #recent(cursor: number): EventRecord[] | null {
    const first = this.#ring[0]?.id
    if (first === undefined || first > cursor + 1) return null
    return this.#ring.filter(record => record.id > cursor)
  }

  /** A batch of the log, once the follower has taken what it got so far: a whole log at once would overrun anybody. */
  async #older(follower: Follower): Promise<EventRecord[]> {
    await follower.room()
    const events = (await this.#log?.readSince(follower.cursor ?? 0, REPLAY_BATCH)) ?? []
    return events.map(event => recordOf(event.id, event.type, event.payload as Json))
  }

  #send(follower: Follower, record: EventRecord): void {
    if (follower.closed) return
    if (follower.cursor !== null && record.type !== 'events_start')
      follower.cursor = Math.max(follower.cursor, record.id)
    if (!follower.deliver(record)) this.#drop(follower)
  }

  #fail(follower: Follower, error: unknown): void {
    this.#deps.log.error('event replay failed', { error })
    this.#drop(follower)
  }

  #drop(follower: Follower): void {
    follower.closed = true
    this.#followers.delete(follower)
  }
}

function recordOf(id: number, type: string, payload: Json): EventRecord {
  if (payload === null) return { id, type }
  return { id, type, event: payload as { [key: string]: Json } }
}
