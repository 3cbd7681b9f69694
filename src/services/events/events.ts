// The event hub: gives each event its number by way of the durable log, and feeds every follower in order from the
// recent events in memory or, further back, from the log. Nothing waits for a follower: one without room falls behind
// in the log, and one that stalls is let go by its front. An event is shown only after the log has it. Followers take
// turns: each gets one run of events, then the next one, and the loop turns when it was enough for all of them.
// Invariant: a follower misses no event after its events_start; what the log dropped before it came is reported as
// lost.

import { AppError } from '../../base/errors.ts'
import type { Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { EventLog, NewEvent } from '../../ports/records.ts'
import type { EventRun, EventsService, EventSubscription } from './events-api.ts'
import type { Json } from '../settings/settings-api.ts'
import { EventAppends } from './event-appends.ts'
import { eventLine, lastOf, runAfter } from './event-run.ts'
import type { EventPayloads, EventSink, EventType } from './event-table.ts'
import { LogBatches } from '../diagnostics/log-batches.ts'
import { RecentEvents } from './recent-events.ts'

/** Events that may wait for their number; more come only when the disk is stuck, and are lost then. */
const MAX_PENDING = 10_000

/** What all followers together get in one turn of the event loop: so many events and a run at most, and for so long. */
const TURN_EVENTS = 8192
const TURN_MS = 4

/** Followers at a time. Each is an open connection; the interface is for one machine's programs. */
const MAX_FOLLOWERS = 256

/** What the hub needs of the node. */
export interface EventHubDeps {
  readonly log: Log
  /** Whether the core has started, for events_start. */
  started(): boolean
  /** Version of the service, for events_start. */
  readonly version: string
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Runs something later. */
  after(ms: number, run: () => void): Timer
}

interface Follower {
  readonly deliver: (run: EventRun) => boolean
  /** Whether it has room for more; see EventsService.follow. */
  readonly room: () => undefined | Promise<void>
  readonly since: number | null
  /** Id of the newest event it has; null until the log is open. */
  cursor: number | null
  /** It waits for room, or for the log. */
  waiting: boolean
  closed: boolean
  /** What was read of the log for it. */
  older: readonly EventRun[]
}

/** A table of which no type is the core's. */
type OtherThanCore = object & { readonly [T in EventType]?: never }

/** Numbers events, keeps them, and sends them to followers. */
export class EventHub implements EventsService, EventSink<EventPayloads> {
  readonly #deps: EventHubDeps
  readonly #followers = new Set<Follower>()
  /** Who may lack something, in the order of their turns. */
  readonly #ready = new Set<Follower>()
  /** Emitted before the log was open. */
  readonly #early: NewEvent[] = []
  #appends: EventAppends | null = null
  #log: EventLog | null = null
  #batches: LogBatches | null = null
  #newest = 0
  readonly #recent = new RecentEvents()
  #turnComes = false
  /** Something came since the last turn. */
  #fresh = false

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
    this.#appends = new EventAppends(log, {
      logged: (id, { type, payload }) => this.#publish(id, eventLine(id, type, payload)),
      refused: (event, error) => {
        this.#deps.log.error('event not logged', { type: event.type, error })
        this.#publishUnlogged(event)
      },
      delayed: (event, error) => {
        this.#deps.log.warn('event logged later', { type: event.type, error })
        this.#publishUnlogged(event)
      },
      after: (ms, run) => this.#deps.after(ms, run),
    })
    for (const event of this.#early.splice(0)) this.#appends.add(event)
  }

  emit<T extends EventType>(type: T, ...payload: EventPayloads[T] extends undefined ? [] : [EventPayloads[T]]): void {
    this.#add(type, payload[0])
  }

  /** Takes events of a chapter's own table, which has no type of the core's. */
  of<Table extends OtherThanCore>(): EventSink<Table> {
    return { emit: (type, ...payload) => this.#add(type, payload[0]) }
  }

  #add(type: string, payload: unknown): void {
    if ((this.#appends?.pending ?? 0) + this.#early.length >= MAX_PENDING) {
      this.#deps.log.error('event lost: too many are waiting to be written', { type })
      return
    }
    const event = { type, payload: JSON.stringify(payload ?? null) }
    if (this.#appends === null) this.#early.push(event)
    else this.#appends.add(event)
  }

  follow(
    since: number | null,
    deliver: (run: EventRun) => boolean,
    room: () => undefined | Promise<void> = () => undefined,
  ): EventSubscription {
    if (this.#followers.size >= MAX_FOLLOWERS) throw new AppError('TooManyRequests', 'Too many event streams are open.')
    const follower: Follower = { deliver, room, since, cursor: null, waiting: false, closed: false, older: [] }
    this.#followers.add(follower)
    // Later in this turn, so that the caller holds its subscription before the first record comes.
    queueMicrotask(() => this.#welcome(follower))
    return { close: () => this.#drop(follower) }
  }

  /**
   * Shows an event that is in the log although open() was not called yet: what the store tells while it is being
   * upgraded. Ids grow, and the first follows the newest one of the log.
   */
  publishLogged(id: number, type: EventType, payload: Json): void {
    for (const follower of this.#followers) {
      if (follower.since === null) follower.cursor ??= id - 1
    }
    this.#publish(id, eventLine(id, type, JSON.stringify(payload)))
  }

  /** Settles when every event emitted so far is in the log; then ends all followers. */
  async close(): Promise<void> {
    await this.#appends?.done()
    for (const follower of this.#followers) this.#drop(follower)
    this.#log = null
    this.#appends = null
    this.#batches = null
  }

  #publish(id: number, line: string): void {
    this.#newest = id
    this.#recent.push(id, line)
    this.#feed()
  }

  /** The log refused: those who listen now still hear it, under the number of the event before. */
  #publishUnlogged({ type, payload }: NewEvent): void {
    const run: EventRun = { ids: [this.#newest], lines: [eventLine(this.#newest, type, payload)] }
    for (const follower of this.#followers) {
      if (follower.cursor === this.#newest) this.#send(follower, run)
    }
  }

  /** Once for all events that got their number in this turn of the event loop. */
  #feed(): void {
    this.#fresh = true
    this.#planTurn()
  }

  #planTurn(): void {
    if (this.#turnComes) return
    this.#turnComes = true
    setImmediate(() => {
      this.#turnComes = false
      this.#turn()
    })
  }

  /** One run for each in turn, until that is enough: those who come too short are the first of the next turn. */
  #turn(): void {
    if (this.#fresh) for (const follower of this.#followers) this.#ready.add(follower)
    this.#fresh = false
    const endMs = this.#deps.now() + TURN_MS
    let left = TURN_EVENTS
    // Who is added again while this goes on comes once more, after all others.
    for (const follower of this.#ready) {
      this.#ready.delete(follower)
      left -= this.#step(follower)
      if (left <= 0 || this.#deps.now() >= endMs) break
    }
    if (this.#ready.size > 0) this.#planTurn()
  }

  /** The next run for a follower, as far as it has room; how many events it got. */
  #step(follower: Follower): number {
    if (follower.closed || follower.waiting || follower.cursor === null || follower.cursor >= this.#newest) return 0
    const full = follower.room()
    if (full !== undefined) {
      // That may take long, and the log can be read again.
      follower.older = []
      void this.#wait(follower, full)
      return 0
    }
    const run = this.#recent.after(follower.cursor) ?? runAfter(follower.older, follower.cursor)
    if (run === null) {
      void this.#wait(follower, this.#readOlder(follower))
      return 0
    }
    follower.cursor = lastOf(run)
    this.#send(follower, run)
    if (!follower.closed) this.#ready.add(follower)
    return run.ids.length
  }

  /** It gets nothing until `what` has settled; then it has its turn, unless that answers false. */
  async #wait(follower: Follower, what: Promise<unknown>): Promise<void> {
    follower.waiting = true
    let goesOn = false
    try {
      goesOn = (await what) !== false
    } catch (error) {
      this.#fail(follower, error)
    }
    follower.waiting = false
    if (!goesOn || follower.closed) return
    this.#ready.add(follower)
    this.#planTurn()
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
    void this.#wait(follower, this.#resume(follower))
  }

  /** Events the log no longer has are reported as `lost`. */
  async #resume(follower: Follower): Promise<void> {
    const oldest = (await this.#log?.bounds())?.oldest ?? this.#newest + 1
    const cursor = follower.cursor ?? 0
    const lost = Math.max(0, oldest - 1 - cursor)
    follower.cursor = cursor + lost
    this.#greet(follower, lost)
  }

  #greet(follower: Follower, lost: number): void {
    const event: EventPayloads['events_start'] = {
      tribler_started: this.#deps.started(),
      version: this.#deps.version,
      ...(lost > 0 ? { lost } : {}),
    }
    const id = follower.cursor ?? this.#newest
    this.#send(follower, { ids: [id], lines: [eventLine(id, 'events_start', JSON.stringify(event))] })
  }

  /**
   * A batch of the log. The follower gets the number of those dropped from it meanwhile, as at its beginning. False:
   * there is none.
   */
  async #readOlder(follower: Follower): Promise<boolean> {
    const cursor = follower.cursor ?? 0
    const runs = (await this.#batches?.after(cursor)) ?? []
    if ((runs[0]?.ids[0] ?? 0) > cursor + 1) await this.#skip(follower)
    follower.older = runs
    return runs.length > 0
  }

  /** Goes on to the oldest event that is kept; how many were dropped is said in an events_start. */
  async #skip(follower: Follower): Promise<void> {
    const cursor = follower.cursor ?? 0
    const oldest = (await this.#log?.bounds())?.oldest ?? cursor + 1
    const lost = oldest - 1 - cursor
    if (lost <= 0) return
    follower.cursor = cursor + lost
    this.#greet(follower, lost)
  }

  #send(follower: Follower, run: EventRun): void {
    if (!follower.closed && !follower.deliver(run)) this.#drop(follower)
  }

  #fail(follower: Follower, error: unknown): void {
    this.#deps.log.error('event replay failed', { error })
    this.#drop(follower)
  }

  #drop(follower: Follower): void {
    follower.closed = true
    this.#followers.delete(follower)
    this.#ready.delete(follower)
  }
}
