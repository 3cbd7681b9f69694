// Runs tasks of one key one after the other, tasks of different keys side by side. What two requests do to the same
// download never interleaves. A failed task does not hold up the next.

/** A queue per key; keys without work cost nothing. */
export class KeyedQueue<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>()

  /** Runs `task` after every earlier task of `key`; settles as it does. */
  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    const tail = result.catch(() => undefined)
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return result
  }

  /** Keys with work under way. */
  get size(): number {
    return this.#tails.size
  }

  /** Settles when everything queued so far is done. */
  async drained(): Promise<void> {
    await Promise.all(this.#tails.values())
  }
}
