// Rates of the last minutes for a graph: one sample a second, the oldest dropped. Pure; times come from the caller.

/** Samples kept: ten minutes. */
const MAX_SAMPLES = 600

/** Columns as the graph takes them: Unix seconds, bytes/s down, bytes/s up. */
export type RateColumns = readonly [times: number[], down: number[], up: number[]]

/** Rates of the last minutes for a graph: one sample a second, the oldest dropped. */
export class RateHistory {
  readonly #times: number[] = []
  readonly #down: number[] = []
  readonly #up: number[] = []

  /** A sample of the second `wallMs` is in; a later one of the same second takes its place. */
  note(wallMs: number, down: number, up: number): void {
    const second = Math.floor(wallMs / 1000)
    if (this.#times.at(-1) === second) this.#drop(this.#times.length - 1)
    this.#times.push(second)
    this.#down.push(Math.max(0, down))
    this.#up.push(Math.max(0, up))
    if (this.#times.length > MAX_SAMPLES) this.#drop(0)
  }

  /** Copies of the columns. */
  columns(): RateColumns {
    return [[...this.#times], [...this.#down], [...this.#up]]
  }

  #drop(at: number): void {
    for (const column of [this.#times, this.#down, this.#up]) column.splice(at, 1)
  }
}
