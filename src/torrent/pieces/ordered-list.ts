// A list of items sorted by a number that no two of them share. Data only. An item's `order` must not change while it
// is in the list.

/** Something with a place. */
export interface Ordered {
  readonly order: number
}

/**
 * Lowest `order` first. Finding takes the logarithm of the size; what moves then are pointers side by side in memory.
 */
export class OrderedList<T extends Ordered> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  get last(): T | undefined {
    return this.#items.at(-1)
  }

  /** All items, lowest first; changes with the list. */
  get items(): readonly T[] {
    return this.#items
  }

  add(item: T): void {
    this.#items.splice(this.#at(item.order), 0, item)
  }

  /** Nothing happens when it is not there. */
  delete(item: T): void {
    const at = this.#at(item.order)
    if (this.#items[at] === item) this.#items.splice(at, 1)
  }

  /** Where an item of this order is, or belongs. */
  #at(order: number): number {
    const items = this.#items
    // Most are added at the end.
    if (items.length === 0 || (items.at(-1) as T).order < order) return items.length
    let low = 0
    let high = items.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((items[middle] as T).order < order) low = middle + 1
      else high = middle
    }
    return low
  }
}
