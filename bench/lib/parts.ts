// Parts of a long measurement: each prints a line when it is over, has a limit of its own, and does not take the others
// with it.

/** Something that runs while a part does. */
export interface Stoppable {
  stop(): Promise<void>
}

/**
 * Parts of a long measurement: each prints a line when it is over, has a limit of its own, and does not take the others
 * with it.
 */
export class Parts {
  /** Lines beginning with FAILED. */
  readonly failures: string[] = []
  readonly #print: (line: string) => void
  readonly #endMs: number

  /** `totalMs`: of all parts together; those that find none of it left are named and not begun. */
  constructor(print: (line: string) => void = line => console.log(line), totalMs = Number.POSITIVE_INFINITY) {
    this.#print = print
    this.#endMs = performance.now() + totalMs
  }

  /** Says how far it is. */
  tell(line: string): void {
    this.#print(`${new Date().toISOString().slice(11, 19)} ${line}`)
  }

  /** Something failed: named at once and at the end. */
  fail(name: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.failures.push(`FAILED ${name}: ${text.slice(0, 600)}`)
    this.tell(`FAILED ${name}: ${text.slice(0, 200)}`)
  }

  /**
   * Runs `work` for at most `limitMs`. What it gave to `keep` is stopped at the end, also when it failed or was too
   * slow; then the answer is null and the failure is named.
   */
  async run<T>(
    name: string,
    limitMs: number,
    work: (keep: <S extends Stoppable>(one: Promise<S>) => Promise<S>) => Promise<T>,
  ): Promise<T | null> {
    const leftMs = Math.round(Math.min(limitMs, this.#endMs - performance.now()))
    if (leftMs <= 0) {
      this.fail(name, new Error('not begun: the time of all parts is over'))
      return null
    }
    const kept: Promise<Stoppable>[] = []
    const keep = <S extends Stoppable>(one: Promise<S>): Promise<S> => {
      kept.push(one)
      return one
    }
    let late: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error(`not over after ${leftMs / 1_000} s`)), leftMs)
    })
    try {
      return await Promise.race([work(keep), tooLate])
    } catch (error) {
      this.fail(name, error)
      return null
    } finally {
      clearTimeout(late)
      await Promise.all(kept.map(one => one.then(each => each.stop()).catch(() => undefined)))
    }
  }
}
