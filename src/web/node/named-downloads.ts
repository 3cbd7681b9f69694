// Downloads that a page asks for by their names, wherever they stand in a list of which only a window is held: the one
// that is open, one that plays, whether there is one of a torrent. What is read while the page is drawn is asked for,
// all together in one request, and again as long as it is read.

import type { Download } from '../../client/core-routes.ts'
import type { NodeApi } from './api.ts'

/** Names of one request, and records that are kept. */
const [MAX_ASKED, MAX_KEPT] = [500, 2000]
/** What is read together is asked for together. */
const GATHER_MS = 20
/** What was not read for so many refreshes is not asked for any more. */
const UNREAD = 10
/** Whether there is one is asked again so often. */
const PRESENCE_MS = 5000
const ANSWER_MS = 20_000

interface Named {
  /** Null: there is none; undefined: not known yet. */
  record: Download | null | undefined
  /** All of its record is wanted, and so up to date. */
  whole: boolean
  /** The refresh after which it was read last. */
  round: number
  askedMs: number
}

/** Downloads that a page asks for by their names. */
export class NamedDownloads {
  readonly #api: NodeApi
  readonly #changed: () => void
  readonly #kept = new Map<string, Named>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #asking = false
  #round = 0

  /** `changed` is called when there is something new to read. */
  constructor(api: NodeApi, changed: () => void) {
    this.#api = api
    this.#changed = changed
  }

  /** Null: there is none; undefined: not known yet. `whole`: more is wanted than its name. */
  read(infohash: string, whole: boolean): Download | null | undefined {
    const round = this.#round
    const known = this.#kept.get(infohash) ?? { record: undefined, whole: false, round, askedMs: 0 }
    known.round = round
    if (whole && !known.whole) Object.assign(known, { whole, askedMs: 0, record: undefined })
    this.#kept.set(infohash, known)
    if (known.askedMs === 0) this.#soon()
    return known.record
  }

  /** The whole record as it was last told, without asking for it again. */
  peek(infohash: string): Download | null {
    const known = this.#kept.get(infohash)
    return known?.whole === true ? (known.record ?? null) : null
  }

  /** Everything that was read is known. */
  get settled(): boolean {
    return ![...this.#kept.values()].some(({ record }) => record === undefined)
  }

  /** Asks for what is read, where it may be old. */
  refresh(): void {
    const now = Date.now()
    this.#round += 1
    for (const [infohash, one] of this.#kept) {
      // Counted, not timed: nothing is read while the node is away.
      if (this.#round - one.round > UNREAD || this.#kept.size > MAX_KEPT) this.#kept.delete(infohash)
      else if (one.whole || now - one.askedMs > PRESENCE_MS) one.askedMs = 0
    }
    this.#soon()
  }

  /** Something was added: what was not there may be. */
  changed(): void {
    for (const one of this.#kept.values()) if (one.record === null) one.askedMs = 0
  }

  /** Nothing is known. */
  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#kept.clear()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#ask()
    }, GATHER_MS)
  }

  async #ask(): Promise<void> {
    // Whoever asks comes back for what was read meanwhile.
    if (this.#asking) return
    this.#asking = true
    try {
      await this.#askFor(true)
      await this.#askFor(false)
    } catch {
      // The next refresh asks again, and the window says what is wrong.
    } finally {
      this.#asking = false
    }
  }

  async #askFor(whole: boolean): Promise<void> {
    for (;;) {
      const due = [...this.#kept].filter(([, one]) => one.whole === whole && one.askedMs === 0).slice(0, MAX_ASKED)
      if (due.length === 0) return
      // One list, not a parameter each: addresses stay short.
      const names = [due.map(([infohash]) => infohash).join(',')]
      for (const [, one] of due) one.askedMs = Date.now()
      const parameters = { infohash: names, ...(whole ? {} : { fields: ['infohash,name'] }) }
      const signal = AbortSignal.timeout(ANSWER_MS)
      const { downloads } = await this.#api.call('GET /downloads', { parameters, signal })
      const found = new Map(downloads.map(record => [record.infohash, record]))
      for (const [infohash, one] of due) if (one.whole === whole) one.record = found.get(infohash) ?? null
      this.#changed()
    }
  }
}
