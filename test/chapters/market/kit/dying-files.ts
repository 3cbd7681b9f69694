// Files of a process that dies between two of its writes: from then on nothing is written any more, and what waits for
// it waits for ever.

import type { MarketFiles } from '../../../../src/chapters/market/ports/market-files.ts'
import type { MemoryMarketFiles } from './memory-market-files.ts'

/** What is on the disk outlives it. `after`: so many writes and removals are done. */
export class DyingFiles implements MarketFiles {
  readonly disk: MemoryMarketFiles
  writes = 0
  readonly #after: number

  constructor(disk: MemoryMarketFiles, after = Number.POSITIVE_INFINITY) {
    this.disk = disk
    this.#after = after
  }

  /** It does nothing any more. */
  get dead(): boolean {
    return this.writes > this.#after
  }

  read(name: string): Promise<string | null> {
    return this.disk.read(name)
  }

  list(prefix: string): Promise<string[]> {
    return this.disk.list(prefix)
  }

  write(name: string, text: string): Promise<void> {
    return this.#unlessDead(() => this.disk.write(name, text))
  }

  remove(name: string): Promise<void> {
    return this.#unlessDead(() => this.disk.remove(name))
  }

  /** The end, whatever was written. */
  kill(): void {
    this.writes = Number.POSITIVE_INFINITY
  }

  #unlessDead(work: () => Promise<void>): Promise<void> {
    this.writes++
    return this.dead ? new Promise(() => undefined) : work()
  }
}
