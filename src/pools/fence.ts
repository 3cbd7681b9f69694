// The order of work on one torrent: ordinary jobs run side by side; an exclusive one waits for all jobs posted before
// it and holds back all posted after it. First come first served, so neither kind starves.

interface Waiting {
  readonly exclusive: boolean
  readonly go: () => void
}

/** The fence of one torrent. */
export class Fence {
  readonly #queue: Waiting[] = []
  #sharing = 0
  #exclusive = false

  /** Jobs running now. */
  get running(): number {
    return this.#sharing + (this.#exclusive ? 1 : 0)
  }

  /** True when shared work would run at once. */
  get open(): boolean {
    return this.#queue.length === 0 && !this.#exclusive
  }

  /** Runs `work` beside other shared work. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(false)
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /** Shared work begins at once, until leave(); false when it would have to wait. */
  enterNow(): boolean {
    if (!this.open) return false
    this.#sharing++
    return true
  }

  /** Shared work that enterNow() let in has ended. */
  leave(): void {
    this.#sharing--
    this.#admit()
  }

  /** Runs `work` alone. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(true)
    try {
      return await work()
    } finally {
      this.#exclusive = false
      this.#admit()
    }
  }

  /** Takes `snapshot` alone, then runs `work` on it beside later work: nothing exclusive comes in between. */
  async barrier<S, T>(snapshot: () => S, work: (snapshot: S) => Promise<T>): Promise<T> {
    await this.#enter(true)
    this.#exclusive = false
    this.#sharing++
    try {
      const taken = snapshot()
      this.#admit()
      return await work(taken)
    } finally {
      this.leave()
    }
  }

  async #enter(exclusive: boolean): Promise<void> {
    if (this.#queue.length === 0 && this.#mayEnter(exclusive)) this.#take(exclusive)
    else await new Promise<void>(go => this.#queue.push({ exclusive, go }))
  }

  #mayEnter(exclusive: boolean): boolean {
    return !this.#exclusive && (!exclusive || this.#sharing === 0)
  }

  #take(exclusive: boolean): void {
    if (exclusive) this.#exclusive = true
    else this.#sharing++
  }

  #admit(): void {
    for (let first = this.#queue[0]; first !== undefined && this.#mayEnter(first.exclusive); first = this.#queue[0]) {
      this.#queue.shift()
      this.#take(first.exclusive)
      first.go()
    }
  }
}
