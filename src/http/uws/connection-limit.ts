// How many connections the front has, of plain HTTP and HTTPS together. One too many is closed before a byte of it is
// read: a process without descriptors could not even do that, and would be asked again and again.

import type { NativeApp } from './native.ts'

/** How many connections the front has, of plain HTTP and HTTPS together. */
export class ConnectionLimit {
  readonly #most: number
  #open = 0

  /** `most`: connections at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Watches the connections of an app. */
  watch(app: NativeApp): void {
    app.filter((res, change) => {
      this.#open += change > 0 ? 1 : -1
      if (change > 0 && this.#open > this.#most) res.close()
    })
  }
}
