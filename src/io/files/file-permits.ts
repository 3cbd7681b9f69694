// How many descriptors may be lent at a time. Callers wait for a free one; first come first served. Invariant: volumes
// other than that of the state directory hold at most half of them each, so that one that does not answer leaves the
// rest to others.

import type { Volume } from './volume.ts'

interface Waiting {
  readonly count: number
  readonly volume: Volume
  readonly go: () => void
}

/** The permits of one OpenFiles. */
export class FilePermits {
  readonly #capacity: number
  readonly #held = new Map<Volume, number>()
  #free: number
  #waiting: Waiting[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#free = capacity
  }

  /** Takes permits for files of a volume; false when the caller would have to wait. */
  takeNow(count: number, volume: Volume): boolean {
    if (this.#waiting.length > 0 || this.#free < count || !this.#hasPart({ count, volume })) return false
    this.#lend(count, volume)
    return true
  }

  /** Takes permits for files of a volume, when they are there. */
  async take(count: number, volume: Volume): Promise<void> {
    if (this.takeNow(count, volume)) return
    await new Promise<void>(go => {
      this.#waiting.push({ count, volume, go })
      this.#goOn()
    })
  }

  /** Gives permits back. */
  give(count: number, volume: Volume): void {
    this.#free += count
    const held = (this.#held.get(volume) ?? 0) - count
    if (held > 0) this.#held.set(volume, held)
    else this.#held.delete(volume)
    if (this.#waiting.length > 0) this.#goOn()
  }

  #goOn(): void {
    const left: Waiting[] = []
    let full = false
    // Within a volume none is overtaken: small ones would come before a large one for ever.
    const passed = new Set<Volume>()
    for (const waiting of this.#waiting) {
      const { count, volume, go } = waiting
      const part = !passed.has(volume) && this.#hasPart(waiting)
      // A waiter with a part that finds too few is not overtaken; one without lets others pass.
      full ||= part && count > this.#free
      if (full || !part) {
        left.push(waiting)
        passed.add(volume)
        continue
      }
      this.#lend(count, volume)
      go()
    }
    this.#waiting = left
  }

  #lend(count: number, volume: Volume): void {
    this.#free -= count
    this.#held.set(volume, (this.#held.get(volume) ?? 0) + count)
  }

  /** The volume may hold so many more. One that holds none always may: a job may need more than half. */
  #hasPart({ count, volume }: Pick<Waiting, 'count' | 'volume'>): boolean {
    const held = this.#held.get(volume) ?? 0
    return volume.own || held === 0 || held + count <= this.#capacity / 2
  }
}
