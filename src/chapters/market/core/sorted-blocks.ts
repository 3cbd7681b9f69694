// A sorted set in blocks of bounded length: putting in and taking out cost a search and the shifting of one block,
// however many there are. It may change while it is iterated: the iterator goes on behind the item it gave last.

/** Items of a block at most; a full one is cut in two. */
const BLOCK_ITEMS = 256

/** Below 0: the first comes before the other; 0 only for the same item. */
export type Compare<T> = (one: T, other: T) => number

/**
 * A sorted set in blocks of bounded length: putting in and taking out cost a search and the shifting of one block,
 * however many there are. The place of an item in the order must not change while it is in.
 */
export class SortedBlocks<T> {
  readonly #compare: Compare<T>
  /** None of them empty. */
  #blocks: T[][] = []
  #size = 0
  #changes = 0

  constructor(compare: Compare<T>) {
    this.#compare = compare
  }

  get size(): number {
    return this.#size
  }

  /** Puts in; false: it was there. */
  add(item: T): boolean {
    if (this.#size === 0) this.#blocks.push([])
    const at = this.#blockFor(item)
    const block = this.#blocks[at] as T[]
    const place = this.#placeIn(block, item)
    if (place < block.length && this.#compare(block[place] as T, item) === 0) return false
    block.splice(place, 0, item)
    if (block.length > BLOCK_ITEMS) this.#blocks.splice(at + 1, 0, block.splice(BLOCK_ITEMS >> 1))
    this.#size++
    this.#changes++
    return true
  }

  /** Takes out; false: it was not there. */
  remove(item: T): boolean {
    if (this.#size === 0) return false
    const at = this.#blockFor(item)
    const block = this.#blocks[at] as T[]
    const place = this.#placeIn(block, item)
    if (place >= block.length || this.#compare(block[place] as T, item) !== 0) return false
    block.splice(place, 1)
    if (block.length === 0) this.#blocks.splice(at, 1)
    this.#size--
    this.#changes++
    return true
  }

  /** All, in order. */
  *[Symbol.iterator](): Generator<T> {
    let [at, place, seen] = [0, 0, this.#changes]
    for (;;) {
      const block = this.#blocks[at]
      if (block === undefined) return
      const item = block[place]
      if (item === undefined) {
        at++
        place = 0
        continue
      }
      yield item
      place++
      if (seen === this.#changes) continue
      seen = this.#changes
      if (this.#size === 0) return
      at = this.#blockFor(item)
      place = this.#placeIn(this.#blocks[at] as T[], item)
      const there = this.#blocks[at]?.[place]
      if (there !== undefined && this.#compare(there, item) === 0) place++
    }
  }

  /** The block that has an item, if it is in: the last one that does not begin behind it. */
  #blockFor(item: T): number {
    let [low, high] = [0, this.#blocks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#compare((this.#blocks[middle] as T[])[0] as T, item) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The place of the first item of a block that is not before this one. */
  #placeIn(block: readonly T[], item: T): number {
    let [low, high] = [0, block.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(block[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
