// Datagrams and bytes of one direction: totals, and a rate over the last seconds. Time is passed in.

/** Seconds the rate looks back. */
const WINDOW_SEC = 10

/** Counts one direction. */
export class Traffic {
  #datagrams = 0
  #bytes = 0
  /** Bytes of each of the last seconds, by second modulo the window. */
  readonly #perSecond = new Array<number>(WINDOW_SEC).fill(0)
  #second = 0

  /** A datagram of `bytes` bytes passed. */
  add(bytes: number, nowMs: number): void {
    this.#datagrams++
    this.#bytes += bytes
    this.#moveTo(nowMs)
    const at = this.#second % WINDOW_SEC
    this.#perSecond[at] = (this.#perSecond[at] ?? 0) + bytes
  }

  /** Totals since the start and bytes a second of late. */
  read(nowMs: number): { datagrams: number; bytes: number; bytesPerSecond: number } {
    this.#moveTo(nowMs)
    const recent = this.#perSecond.reduce((sum, bytes) => sum + bytes, 0)
    return { datagrams: this.#datagrams, bytes: this.#bytes, bytesPerSecond: Math.round(recent / WINDOW_SEC) }
  }

  #moveTo(nowMs: number): void {
    const second = Math.floor(nowMs / 1000)
    const passed = Math.min(WINDOW_SEC, second - this.#second)
    for (let step = 0; step < passed; step++) this.#perSecond[(second - step) % WINDOW_SEC] = 0
    this.#second = second
  }
}
