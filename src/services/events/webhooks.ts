// Webhooks: every URL of the settings gets the events it asks for, at least once each, also over restarts: how far each
// has come is durable. A URL that is new begins with what happens from now on. Bounded: 16 URLs, one request at a time
// each.

import { createHash } from 'node:crypto'
import { errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpPoster } from '../../ports/http-post.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { EventLog, NodeValues } from '../../ports/records.ts'
import type { EventsService, EventSubscription } from './events-api.ts'
import { type WebhookRules, WebhookTarget } from './webhook-target.ts'

/** URLs at a time. */
export const MAX_WEBHOOKS = 16
/** The key of the places in the log: {first digits of the SHA-256 of the URL: id}. */
const POSITIONS_KEY = 'webhooks'

/** Section webhooks. */
export interface WebhookSettings extends WebhookRules {
  readonly urls: readonly string[]
}

/** What the webhooks work with. */
export interface WebhooksDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly http: HttpPoster
  readonly events: EventLog
  readonly values: NodeValues
  /** Tells of events when they are in the log. */
  readonly follow: EventsService['follow']
  /** Read at each use. */
  settings(): WebhookSettings
}

/**
 * Webhooks: every URL of the settings gets the events it is to get, at least once each, also over restarts: how far
 * each has come is durable.
 */
export class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #targets = new Map<string, WebhookTarget>()
  readonly #positions = new Map<string, number>()
  #subscription: EventSubscription | null = null
  #saving: Promise<void> | null = null
  #unsaved = false
  /** Changes of settings follow each other. */
  #turn: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: WebhooksDeps) {
    this.#deps = deps
  }

  /** Settles when every URL has its place. Rejects as the records do. */
  async start(): Promise<void> {
    for (const [name, position] of readPositions(await this.#deps.values.get(POSITIONS_KEY))) {
      this.#positions.set(name, position)
    }
    await this.#apply()
    this.#subscription = this.#deps.follow(null, () => {
      for (const target of this.#targets.values()) target.wake()
      return true
    })
    // What was logged before.
    for (const target of this.#targets.values()) target.wake()
  }

  /** The settings changed. */
  settingsChanged(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#apply())
      .catch((error: unknown) => this.#deps.log.error('webhooks could not be changed', { error: errorText(error) }))
    return this.#turn
  }

  /** Ends all requests; settles when places are durable. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#subscription?.close()
    await this.#turn
    await Promise.all([...this.#targets.values()].map(target => target.stop()))
    this.#targets.clear()
    await this.#saving
    await this.#deps.http.close()
  }

  async #apply(): Promise<void> {
    if (this.#stopped) return
    const urls = new Set(this.#deps.settings().urls.slice(0, MAX_WEBHOOKS))
    for (const [url, target] of this.#targets) {
      if (urls.has(url)) continue
      this.#targets.delete(url)
      await target.stop()
    }
    const names = new Set([...urls].map(nameOf))
    const before = [...this.#positions.keys()]
    if (before.length === 0 && urls.size === 0) return
    for (const name of before) if (!names.has(name)) this.#positions.delete(name)
    const { newest } = await this.#deps.events.bounds()
    for (const url of urls) this.#add(url, newest)
    // A new URL must not begin again after a kill.
    if (before.length !== names.size || before.some(name => !names.has(name))) await this.#save()
  }

  #add(url: string, newest: number): void {
    const name = nameOf(url)
    // A place from another life of the state directory counts as the newest.
    const position = Math.min(this.#positions.get(name) ?? newest, newest)
    this.#positions.set(name, position)
    const known = this.#targets.get(url)
    // Other events may be wanted now.
    if (known !== undefined) return known.wake()
    const { clock, random, log, http, events } = this.#deps
    const note = (at: number): void => {
      this.#positions.set(name, at)
      void this.#save()
    }
    const rules = (): WebhookRules => this.#deps.settings()
    const target = new WebhookTarget(url, position, { clock, random, log, http, events, rules, note })
    this.#targets.set(url, target)
    target.wake()
  }

  /** Writes the places; what changes meanwhile goes with the next write. Never rejects. */
  #save(): Promise<void> {
    this.#unsaved = true
    this.#saving ??= this.#write().finally(() => {
      this.#saving = null
      // Asked for between the last look and here.
      if (this.#unsaved) void this.#save()
    })
    return this.#saving
  }

  async #write(): Promise<void> {
    while (this.#unsaved) {
      this.#unsaved = false
      const text = JSON.stringify(Object.fromEntries(this.#positions))
      try {
        await this.#deps.values.set(POSITIONS_KEY, Buffer.from(text))
      } catch (error) {
        // What was sent may be sent again after a restart: at least once.
        this.#deps.log.warn('how far webhooks have come could not be noted', { error: errorText(error) })
      }
    }
  }
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32)
}

/** What was stored; what cannot be read counts as nothing. */
function readPositions(stored: Uint8Array | null): [name: string, position: number][] {
  if (stored === null) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(stored).toString('utf8'))
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]))
  } catch {
    return []
  }
}
