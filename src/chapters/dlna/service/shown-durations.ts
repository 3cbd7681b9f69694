// How long the films of a page play. Each is looked at once, few at a time; who asks for a page waits a moment for
// those of it, and what is found later is in the next page. Only complete downloads are looked at: of others the look
// would ask the swarm. Bounded in looks that wait and in what is remembered.

import { Semaphore } from '../../../base/semaphore.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { MediaItem, MediaObject } from '../core/media-objects.ts'
import type { FilmDurations } from '../ports/film-durations.ts'

/** Players give up on a page after some seconds; one of 50 films that nobody has looked at yet takes half of one. */
const WAIT_MS = 700
/** Looks at a time, and those that wait: the reader of films has others to read for. */
const LOOKS = { atATime: 2, waiting: 256 }
const MAX_REMEMBERED = 8_192
/** What is none, and what could not be looked at, is looked at again after this. */
const NONE_MS = 600_000
const FAILED_MS = 30_000
/** Pages that wait at a time; others are answered with what is known. */
const MAX_PAGES = 2
/** Lengths are a stranger's numbers; players drop a page with one that is no time. */
const MAX_SECONDS = 30 * 86_400

/** What is known of a film. */
interface Known {
  /** Milliseconds; null: it is none, or could not be looked at. */
  readonly durationMs: number | null
  /** When it is looked at again, where it is null. */
  readonly againMs: number
}

/** What it works with. */
export interface ShownDurationsDeps {
  readonly clock: Clock
  readonly durations: FilmDurations
}

/** How long the films of a page play. */
export class ShownDurations {
  readonly #deps: ShownDurationsDeps
  readonly #looks = new Semaphore(LOOKS.atATime, LOOKS.waiting)
  readonly #under = new Map<string, Promise<void>>()
  /** The oldest first. */
  readonly #known = new Map<string, Known>()
  readonly #asker = new AbortController()
  #pages = 0

  constructor(deps: ShownDurationsDeps) {
    this.#deps = deps
  }

  /** Films that are being looked at, or are to be. */
  get looks(): number {
    return this.#under.size
  }

  /** Milliseconds; null: not known (yet). */
  of(item: MediaItem): number | null {
    return this.#known.get(keyOf(item))?.durationMs ?? null
  }

  /** Looks at the films that are not known yet; resolves when all are, or after a moment. Never rejects. */
  async look(objects: readonly MediaObject[]): Promise<void> {
    const looks: Promise<void>[] = []
    for (const object of objects)
      if (object.kind === 'item' && object.download.complete && this.#isDue(object)) looks.push(this.#lookAt(object))
    if (looks.length === 0 || this.#pages >= MAX_PAGES) return
    this.#pages += 1
    await this.#moment(Promise.all(looks))
    this.#pages -= 1
  }

  /** Looks end; nothing is looked at any more. */
  stop(): void {
    this.#looks.close()
    this.#asker.abort()
  }

  #moment(looks: Promise<unknown>): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#deps.clock.after(WAIT_MS, resolve)
      void looks.then(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  #isDue(item: MediaItem): boolean {
    const known = this.#known.get(keyOf(item))
    return known === undefined || (known.durationMs === null && this.#deps.clock.now() >= known.againMs)
  }

  #lookAt(item: MediaItem): Promise<void> {
    const key = keyOf(item)
    let look = this.#under.get(key)
    if (look === undefined) {
      look = this.#run(key, item).finally(() => this.#under.delete(key))
      this.#under.set(key, look)
    }
    return look
  }

  /** Never rejects. Nothing is remembered of one for which there was no place. */
  async #run(key: string, { download, file }: MediaItem): Promise<void> {
    if (!(await this.#looks.acquire())) return
    try {
      const seconds = await this.#deps.durations(download.infohash, file.index, this.#asker)
      const isTime = seconds !== null && seconds > 0 && seconds < MAX_SECONDS
      this.#remember(key, isTime ? Math.round(seconds * 1000) : null, NONE_MS)
    } catch {
      this.#remember(key, null, FAILED_MS)
    } finally {
      this.#looks.release()
    }
  }

  #remember(key: string, durationMs: number | null, againMs: number): void {
    if (this.#asker.signal.aborted) return
    this.#known.delete(key)
    this.#known.set(key, { durationMs, againMs: this.#deps.clock.now() + againMs })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
  }
}

function keyOf({ download, file }: MediaItem): string {
  return `${download.infohash}-${file.index}`
}
