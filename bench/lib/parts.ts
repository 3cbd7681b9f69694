// Parts of a long measurement: each prints a line when it is over, has a limit of its own, and does not take the others with it.

/** Something that runs while a part does. */
export interface Stoppable {
  stop(): Promise<void>
}

/** See the top of the file. */
export class Parts {
  /** Lines beginning with FAILED. */
  readonly failures: string[] = []
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void = line => console.log(line)) {
    this.#print = print
  }

  /** Says how far it is. */
  tell(line: string): void {
    this.#print(`${new Date().toISOString().slice(11, 19)} ${line}`)
  }

  /**
   * Runs `work` for at most `limitMs`. What it gave to `keep` is stopped at the end, also when it failed or was too slow; then the
   * answer is null and the failure is named.
   */
  async run<T>(
    name: string,
    limitMs: number,
    work: (keep: <S extends Stoppable>(one: Promise<S>) => Promise<S>) => Promise<T>,
  ): Promise<T | null> {
    const kept: Promise<Stoppable>[] = []
    const keep = <S extends Stoppable>(one: Promise<S>): Promise<S> => {
      kept.push(one)
      return one
    }
    let late: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error(`not over after ${limitMs / 1_000} s`)), limitMs)
    })
    try {
      return await Promise.race([work(keep), tooLate])
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      this.failures.push(`FAILED ${name}: ${text.slice(0, 600)}`)
      this.tell(`FAILED ${name}: ${text.slice(0, 200)}`)
      return null
    } finally {
      clearTimeout(late)
      await Promise.all(kept.map(one => one.then(each => each.stop()).catch(() => undefined)))
    }
  }
}
