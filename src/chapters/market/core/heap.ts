// A binary heap: the first item is known, the others are only partly in order.

/** Whether `one` comes before `other`. */
export type Before<T> = (one: T, other: T) => boolean

/** A binary heap: the first item is known, the others are only partly in order. */
export class Heap<T> {
  readonly #before: Before<T>
  #items: T[] = []

  constructor(before: Before<T>) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  /** The first, left in; undefined: it is empty. */
  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    let at = this.#items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(item, this.#items[parent] as T)) break
      this.#items[at] = this.#items[parent] as T
      at = parent
    }
    this.#items[at] = item
  }

  /** Takes the first out. */
  pop(): T | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (last !== undefined && this.#items.length > 0) this.#sink(last)
    return first
  }

  /** Keeps only what `wanted` says. */
  keep(wanted: (item: T) => boolean): void {
    const kept = this.#items.filter(wanted)
    this.#items = []
    for (const item of kept) this.push(item)
  }

  /** Puts `item` at the top and lets it down to its place. */
  #sink(item: T): void {
    const items = this.#items
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#before(items[child + 1] as T, items[child] as T)) child++
      if (!this.#before(items[child] as T, item)) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = item
  }
}
