// The event hub: gives each event its number by way of the durable log, and feeds every follower in order from the recent
// events in memory or, further back, from the log. Nothing waits for a follower: one without room falls behind in the log,
// and one that stalls is let go by its front. An event is shown only after the log has it.
// Invariant: a follower misses no event after its events_start; what the log dropped before it came is told as lost.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'
import type { EventLog } from '../ports/records.ts'
import type { EventRecord, EventSubscription, EventsService, Json } from './api.ts'
import type { EventPayloads, EventType } from './event-table.ts'
import { LogBatches, recordOf } from './log-batches.ts'
import { RecentEvents } from './recent-events.ts'

/** Events that may wait for their number; more come only when the disk is stuck, and are lost then. */
const MAX_PENDING = 10_000

/** Events that one follower gets in one turn of the event loop. */
const TURN_EVENTS = 128

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
  #batches: LogBatches | null = null
  #newest = 0
  readonly #recent = new RecentEvents()
  #pending = 0
  #feeding = false
  #tail: Promise<void> = Promise.resolve()

  constructor(deps: EventHubDeps) {
    this.#deps = deps
  }

  /** Connects the durable log; events emitted before this get their numbers now. */
  async open(log: EventLog): Promise<void> {
    this.#newest = (await log.bounds()).newest
    this.#log = log
    this.#batches = new LogBatches(log)
    for (const follower of this.#followers) this.#begin(follower)
    this.#feed()
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
    queueMicrotask(() => this.#welcome(follower))
    return { close: () => this.#drop(follower) }
  }

  /**
   * Shows an event that is in the log although open() was not called yet: what the store tells while it is being upgraded.
   * Ids grow, and the first follows the newest one of the log.
   */
  publishLogged(id: number, type: EventType, payload: Json): void {
    for (const follower of this.#followers) {
      if (follower.since === null) follower.cursor ??= id - 1
    }
    this.#publish(recordOf(id, type, payload))
  }

  /** Settles when every event emitted so far is in the log; then ends all followers. */
  async close(): Promise<void> {
    await this.#tail
    for (const follower of this.#followers) this.#drop(follower)
    this.#log = null
    this.#batches = null
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
    this.#recent.push(record)
    this.#feed()
  }

  /** Once for all events that got their number in this turn of the event loop. */
  #feed(): void {
    if (this.#feeding) return
    this.#feeding = true
    setImmediate(() => {
      this.#feeding = false
      for (const follower of this.#followers) void this.#pump(follower)
    })
  }

  /** The log refused: those who listen now still hear it, under the number of the event before. */
  #publishUnlogged(record: EventRecord, error: unknown): void {
    this.#deps.log.error('event not logged', { type: record.type, error })
    for (const follower of this.#followers) {
      if (follower.cursor === this.#newest) this.#send(follower, record)
    }
  }

  #welcome(follower: Follower): void {
    const { since } = follower
    if (this.#log === null && since !== null && since <= this.#newest && this.#recent.covers(since)) {
      follower.cursor = since
      this.#greet(follower, 0)
      this.#feed()
      return
    }
    if (since === null) this.#greet(follower, 0)
    if (this.#log !== null) this.#begin(follower)
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

  /** Sends what the follower lacks, as far as it has room; one at a time per follower. */
  async #pump(follower: Follower): Promise<void> {
    if (follower.pumping || follower.cursor === null) return
    follower.pumping = true
    try {
      while (!follower.closed && follower.cursor < this.#newest) {
        const full = follower.room()
        if (full !== undefined) await full
        const batch = this.#recent.after(follower.cursor) ?? (await this.#older(follower))
        if (batch.length === 0) break
        this.#deliver(follower, batch.slice(0, TURN_EVENTS))
        // A burst for many followers is work for several turns.
        if (batch.length > TURN_EVENTS) await nextTurn()
      }
    } catch (error) {
      this.#fail(follower, error)
    } finally {
      follower.pumping = false
    }
  }

  #deliver(follower: Follower, batch: readonly EventRecord[]): void {
    for (const record of batch) {
      this.#send(follower, record)
      if (follower.closed || follower.room() !== undefined) return
    }
  }

  /** A batch of the log. Of what was dropped from it meanwhile the follower is told, as at its beginning. */
  async #older(follower: Follower): Promise<readonly EventRecord[]> {
    const cursor = follower.cursor ?? 0
    const batch = (await this.#batches?.after(cursor)) ?? []
    if ((batch[0]?.id ?? 0) > cursor + 1) await this.#skip(follower)
    return batch
  }

  /** Goes on to the oldest event that is kept; how many were dropped is told in an events_start. */
  async #skip(follower: Follower): Promise<void> {
    const cursor = follower.cursor ?? 0
    const oldest = (await this.#log?.bounds())?.oldest ?? cursor + 1
    const lost = oldest - 1 - cursor
    if (lost <= 0) return
    follower.cursor = cursor + lost
    this.#greet(follower, lost)
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
