// Downloads that are to be removed and still can be kept: each removal waits a while before it is sent. Pure but for
// the clock that it is given.

/** A removal that waits. */
export interface Removal {
  readonly id: number
  readonly infohashes: readonly string[]
  /** With their files. */
  readonly withFiles: boolean
}

/** What removals need. */
export interface RemovalsNeeds {
  /** Runs it when the time for thinking is over; the answer ends that. */
  later(run: () => void): () => void
  send(removal: Removal): void
  /** What waits is another now. */
  changed(): void
}

/** Downloads that are to be removed and still can be kept. Of a download the newest removal counts. */
export class DueRemovals {
  readonly #needs: RemovalsNeeds
  readonly #waiting = new Map<number, { removal: Removal; end: () => void }>()
  #due: ReadonlySet<string> = new Set()
  #lastId = 0

  constructor(needs: RemovalsNeeds) {
    this.#needs = needs
  }

  /** Those that wait, the oldest first. */
  get waiting(): readonly Removal[] {
    return [...this.#waiting.values()].map(({ removal }) => removal)
  }

  /** Info hashes of all that wait. */
  get due(): ReadonlySet<string> {
    return this.#due
  }

  add(infohashes: readonly string[], withFiles: boolean): void {
    this.#takeOut(new Set(infohashes))
    const removal = { id: ++this.#lastId, infohashes: [...new Set(infohashes)], withFiles }
    this.#waiting.set(removal.id, { removal, end: this.#later(removal.id) })
    this.#changed()
  }

  /** They stay. */
  undo(id: number): void {
    this.#end(id)
    this.#changed()
  }

  /** A download stays: somebody wants it again. */
  keep(infohash: string): void {
    if (!this.#due.has(infohash)) return
    this.#takeOut(new Set([infohash]))
    this.#changed()
  }

  /** Somebody is reading of it: it waits until go(). */
  hold(id: number): void {
    this.#waiting.get(id)?.end()
  }

  /** It waits for the whole time once more. */
  go(id: number): void {
    const waits = this.#waiting.get(id)
    if (waits === undefined) return
    waits.end()
    waits.end = this.#later(id)
  }

  /** Sends it without waiting. */
  now(id: number): void {
    const removal = this.#end(id)
    this.#changed()
    if (removal !== null) this.#needs.send(removal)
  }

  /** Takes out all that wait, to be sent in another way or not at all. */
  takeAll(): readonly Removal[] {
    const all = this.waiting
    for (const { id } of all) this.#end(id)
    this.#changed()
    return all
  }

  #later(id: number): () => void {
    return this.#needs.later(() => this.now(id))
  }

  #end(id: number): Removal | null {
    const waits = this.#waiting.get(id)
    if (waits === undefined) return null
    waits.end()
    this.#waiting.delete(id)
    return waits.removal
  }

  #takeOut(infohashes: ReadonlySet<string>): void {
    for (const [id, waits] of this.#waiting) {
      const left = waits.removal.infohashes.filter(infohash => !infohashes.has(infohash))
      if (left.length === 0) this.#end(id)
      else if (left.length < waits.removal.infohashes.length) waits.removal = { ...waits.removal, infohashes: left }
    }
  }

  #changed(): void {
    this.#due = new Set(this.waiting.flatMap(({ infohashes }) => infohashes))
    this.#needs.changed()
  }
}
