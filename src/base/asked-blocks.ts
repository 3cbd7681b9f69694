// The requests of one peer that are not answered yet, as numbers in typed arrays: one more and one less for each block
// that comes. Answers come about in the order of the requests, so a search from the oldest on ends soon.
// Invariant: entries lie in order of asking, those that are over are holes, and the first one is none.

const FIRST_ENTRIES = 64
/** Where an entry was that is over. */
const HOLE = -1

/** What one peer was asked for, oldest first. A block's number is piece * blocks per piece + block. */
export class AskedBlocks {
  #ids = new Float64Array(FIRST_ENTRIES)
  #askedMs = new Float64Array(FIRST_ENTRIES)
  #from = 0
  #to = 0
  #size = 0

  /** Requests not answered. */
  get size(): number {
    return this.#size
  }

  /** Notes a request for a block that is not among them. `nowMs`: clock ms, at least 0. */
  add(id: number, nowMs: number): void {
    if (this.#to === this.#ids.length) this.#makeRoom()
    this.#ids[this.#to] = id
    this.#askedMs[this.#to] = nowMs
    this.#to += 1
    this.#size += 1
  }

  has(id: number): boolean {
    return this.#find(id) >= 0
  }

  /** The request is over: when the block was asked for, clock ms; -1 = it was not. */
  take(id: number): number {
    const at = this.#find(id)
    if (at < 0) return -1
    const askedMs = this.#askedMs[at] as number
    this.#ids[at] = HOLE
    this.#size -= 1
    while (this.#from < this.#to && this.#ids[this.#from] === HOLE) this.#from += 1
    if (this.#size === 0) this.clear()
    return askedMs
  }

  clear(): void {
    this.#from = 0
    this.#to = 0
    this.#size = 0
  }

  /** The blocks asked for now, oldest first. */
  ids(): number[] {
    const ids: number[] = []
    for (let at = this.#from; at < this.#to; at += 1) if (this.#ids[at] !== HOLE) ids.push(this.#ids[at] as number)
    return ids
  }

  /** The one asked for first, -1 = none, and when that was, clock ms. */
  oldest(): { readonly id: number; readonly askedMs: number } {
    if (this.#size === 0) return { id: -1, askedMs: -1 }
    return { id: this.#ids[this.#from] as number, askedMs: this.#askedMs[this.#from] as number }
  }

  #find(id: number): number {
    for (let at = this.#from; at < this.#to; at += 1) if (this.#ids[at] === id) return at
    return -1
  }

  /** Closes the holes; what would stay more than half full gets twice the room. */
  #makeRoom(): void {
    const length = this.#size * 2 > this.#ids.length ? this.#ids.length * 2 : this.#ids.length
    const [ids, askedMs] = [new Float64Array(length), new Float64Array(length)]
    let to = 0
    for (let at = this.#from; at < this.#to; at += 1) {
      if (this.#ids[at] === HOLE) continue
      ids[to] = this.#ids[at] as number
      askedMs[to] = this.#askedMs[at] as number
      to += 1
    }
    this.#ids = ids
    this.#askedMs = askedMs
    this.#from = 0
    this.#to = to
  }
}
