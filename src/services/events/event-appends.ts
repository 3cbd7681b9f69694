// Events on their way into the log. Those of one turn go as one job: a promise and a message for each of a burst would
// be most of what it costs. They come out in the order they were emitted, whichever the log answers first. Those that a
// full or failing disk refuses wait, with all that come after them, and are tried again: listeners to the log alone get
// them late.

import { type Deferred, makeDeferred } from '../../base/deferred.ts'
import { AppError } from '../../base/errors.ts'
import type { Timer } from '../../ports/clock.ts'
import { type EventLog, MAX_EVENT_CHARS, type NewEvent } from '../../ports/records.ts'

/** Events of one job, and characters of their payloads: the last one may go beyond. */
const MAX_BATCH = 256
const MAX_BATCH_CHARS = 256 * 1024

/** What the disk refused is tried again after this long, ms. */
const RETRY_MS = 5000

/** Receives what the log answered to each event. */
export interface AppendedEvents {
  logged(id: number, event: NewEvent): void
  /** It never comes into the log. */
  refused(event: NewEvent, error: unknown): void
  /** It comes into the log later, if there is space by then; told once. */
  delayed(event: NewEvent, error: unknown): void
  /** Runs something later. */
  after(ms: number, run: () => void): Timer
}

interface Batch {
  readonly events: NewEvent[]
  chars: number
  /** `delayed` was already called. */
  told?: boolean
  /** Null until the log has answered; `first` is the number of its first event. */
  outcome: { readonly first: number } | { readonly error: unknown } | null
}

/** Events on their way into the log. */
export class EventAppends {
  readonly #log: EventLog
  readonly #told: AppendedEvents
  /** Those that are not told of yet. */
  readonly #batches: Batch[] = []
  /** The last of them, while events of this turn are added to it. */
  #gathering: Batch | null = null
  /** What the disk refused, and what came after it: in order, not sent. */
  #held: Batch[] = []
  /** Why it refused. */
  #refusal: unknown = null
  #retry: Timer | null = null
  #ending = false
  #pending = 0
  #none: Deferred<void> | null = null

  constructor(log: EventLog, told: AppendedEvents) {
    this.#log = log
    this.#told = told
  }

  /** Events that are not told of yet. */
  get pending(): number {
    return this.#pending
  }

  /** Settles when there are none: what waits for the disk is tried once more, and then given up. */
  async done(): Promise<void> {
    this.#ending = true
    this.#sendHeld()
    if (this.#pending === 0) return
    this.#none ??= makeDeferred<void>()
    await this.#none.promise
  }

  /** Goes into the log with the others of this turn. */
  add(event: NewEvent): void {
    this.#pending++
    const { length } = event.payload
    if (length > MAX_EVENT_CHARS) return this.#refuse(event)
    if (this.#held.length > 0) return this.#holdToo(event)
    const batch = this.#gathering ?? this.#begin()
    batch.events.push(event)
    batch.chars += length
    if (batch.events.length >= MAX_BATCH || batch.chars >= MAX_BATCH_CHARS) this.#gathering = null
  }

  /** It must not cost those it would have gone with. */
  #refuse(event: NewEvent): void {
    const error = new RangeError(`the payload of ${event.type} has ${event.payload.length} characters`)
    this.#batches.push({ events: [event], chars: 0, outcome: { error } })
    this.#gathering = null
    queueMicrotask(() => this.#tell())
  }

  #begin(): Batch {
    const batch: Batch = { events: [], chars: 0, outcome: null }
    this.#batches.push(batch)
    this.#gathering = batch
    queueMicrotask(() => this.#send(batch))
    return batch
  }

  #send(batch: Batch): void {
    if (this.#gathering === batch) this.#gathering = null
    const settle = (outcome: Batch['outcome']): void => {
      batch.outcome = outcome
      this.#tell()
    }
    this.#log.append(batch.events).then(
      first => settle({ first }),
      (error: unknown) => {
        if (this.#ending || !mayPass(error)) return settle({ error })
        this.#refusal = error
        this.#batches.splice(this.#batches.indexOf(batch), 1)
        this.#hold(batch)
        this.#tell()
      },
    )
  }

  #hold(batch: Batch): void {
    if (!batch.told) for (const event of batch.events) this.#told.delayed(event, this.#refusal)
    batch.told = true
    this.#held.push(batch)
    this.#retry ??= this.#told.after(RETRY_MS, () => this.#sendHeld())
  }

  /** After those that wait already. */
  #holdToo(event: NewEvent): void {
    const last = this.#held.at(-1)
    if (last === undefined || last.events.length >= MAX_BATCH || last.chars >= MAX_BATCH_CHARS)
      return this.#hold({ events: [event], chars: event.payload.length, outcome: null })
    last.events.push(event)
    last.chars += event.payload.length
    this.#told.delayed(event, this.#refusal)
  }

  #sendHeld(): void {
    this.#retry?.cancel()
    this.#retry = null
    const held = this.#held
    this.#held = []
    this.#batches.push(...held)
    for (const batch of held) this.#send(batch)
  }

  #tell(): void {
    for (let batch = this.#batches[0]; batch !== undefined && batch.outcome !== null; batch = this.#batches[0]) {
      this.#batches.shift()
      for (const [at, event] of batch.events.entries()) {
        this.#pending--
        if ('first' in batch.outcome) this.#told.logged(batch.outcome.first + at, event)
        else this.#told.refused(event, batch.outcome.error)
      }
    }
    if (this.#pending > 0) return
    this.#none?.resolve()
    this.#none = null
  }
}

/** There may be space, or an answer, later. */
function mayPass(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DiskFull' || error.code === 'DiskError')
}
