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
/** What could not be known is looked at again after this. */
const AGAIN_MS = 600_000

/** What is known of a film. */
interface Known {
  /** Milliseconds; null: it could not be found out. */
  readonly durationMs: number | null
  readonly atMs: number
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
    if (looks.length === 0) return
    await new Promise<void>(resolve => {
      const timer = this.#deps.clock.after(WAIT_MS, resolve)
      void Promise.all(looks).then(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  /** Looks end; nothing is looked at any more. */
  stop(): void {
    this.#looks.close()
    this.#asker.abort()
  }

  #isDue(item: MediaItem): boolean {
    const known = this.#known.get(keyOf(item))
    if (known === undefined) return true
    return known.durationMs === null && this.#deps.clock.now() - known.atMs >= AGAIN_MS
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

  /** Nothing is remembered of one for which there was no place. */
  async #run(key: string, { download, file }: MediaItem): Promise<void> {
    if (!(await this.#looks.acquire())) return
    try {
      const seconds = await this.#deps.durations(download.infohash, file.index, this.#asker)
      if (!this.#asker.signal.aborted) this.#remember(key, seconds)
    } finally {
      this.#looks.release()
    }
  }

  #remember(key: string, seconds: number | null): void {
    this.#known.delete(key)
    const durationMs = seconds === null ? null : Math.round(seconds * 1000)
    this.#known.set(key, { durationMs, atMs: this.#deps.clock.now() })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
  }
}

function keyOf({ download, file }: MediaItem): string {
  return `${download.infohash}-${file.index}`
}
