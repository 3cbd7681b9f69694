// Writes the market's files: one write at a time for each name, the newest last; a write that must happen and failed is
// repeated.

import { errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketFiles } from '../ports/market-files.ts'

/** What could not be written is written again after so long. Milliseconds. */
const WRITE_AGAIN_MS = 5_000

/** Files read at a time. */
const READ_AT_ONCE = 16

/**
 * Writes the market's files: one write at a time for each name, the newest last; a write that must happen and failed is
 * repeated.
 */
export class KeptTexts {
  readonly #files: MarketFiles
  readonly #clock: Clock
  readonly #log: Log
  /** The last write of each name that is under way. */
  readonly #writing = new Map<string, Promise<void>>()
  /** What could not be written: how the text is made then. Never more than there are names. */
  readonly #owed = new Map<string, () => string>()
  #again: Timer | null = null
  #stopped = false

  constructor(files: MarketFiles, clock: Clock, log: Log) {
    this.#files = files
    this.#clock = clock
    this.#log = log
  }

  /** Texts that are owed to the disk. */
  get owed(): number {
    return this.#owed.size
  }

  /** Writes what `text` makes when its turn comes; durable when settled. AppErrors DiskFull, DiskError. */
  async write(name: string, text: () => string): Promise<void> {
    await this.#inTurn(name, async () => {
      this.#owed.delete(name)
      await this.#files.write(name, text())
    })
  }

  /** As write, but never rejects: a write that fails is done again until it works. True: it is durable. */
  async owe(name: string, text: () => string): Promise<boolean> {
    try {
      await this.write(name, text)
      return true
    } catch (error) {
      this.#log.warn('the market could not write; it will again', { name, reason: errorText(error) })
      this.#owed.set(name, text)
      if (!this.#stopped) this.#again ??= this.#clock.after(WRITE_AGAIN_MS, () => this.#payAll())
      return false
    }
  }

  /** Never rejects: a text that stays is a text too many, no harm. */
  async remove(name: string): Promise<void> {
    try {
      await this.#inTurn(name, async () => {
        this.#owed.delete(name)
        await this.#files.remove(name)
      })
    } catch (error) {
      this.#log.warn('the market could not remove a file', { name, reason: errorText(error) })
    }
  }

  /**
   * All texts whose names begin so, with the number that follows, in the order of the numbers. A text that cannot be
   * read is null. AppErrors as list().
   */
  async readAll(prefix: string): Promise<{ readonly number: number; readonly text: string | null }[]> {
    const numbers = (await this.#files.list(prefix))
      .map(name => name.slice(prefix.length))
      .filter(rest => /^[1-9][0-9]{0,9}$/.test(rest))
      .map(Number)
      .sort((a, b) => a - b)
    const read: { number: number; text: string | null }[] = []
    for (let from = 0; from < numbers.length; from += READ_AT_ONCE) {
      const some = numbers.slice(from, from + READ_AT_ONCE)
      read.push(...(await Promise.all(some.map(number => this.#readOne(prefix, number)))))
    }
    return read
  }

  /** Null: there is none. AppErrors StateUnreadable, DiskError. */
  read(name: string): Promise<string | null> {
    return this.#files.read(name)
  }

  /** Writes what is owed once more, and waits for all that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#again?.cancel()
    for (const [name, text] of this.#owed) await this.owe(name, text)
    await Promise.allSettled(this.#writing.values())
  }

  async #readOne(prefix: string, number: number): Promise<{ number: number; text: string | null }> {
    try {
      return { number, text: await this.#files.read(`${prefix}${number}`) }
    } catch (error) {
      this.#log.error('a file of the market cannot be read', { name: `${prefix}${number}`, reason: errorText(error) })
      return { number, text: null }
    }
  }

  #payAll(): void {
    this.#again = null
    for (const [name, text] of this.#owed) void this.owe(name, text)
  }

  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writing.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#writing.set(name, mine)
    try {
      await mine
    } finally {
      if (this.#writing.get(name) === mine) this.#writing.delete(name)
    }
  }
}
