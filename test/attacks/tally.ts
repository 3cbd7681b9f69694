// What an attack counts: how much was tried, what held, what broke. Every attack is a program of its own that ends with
// 1 when something broke, and that can be had again with the SEED it prints.

import { SeededRandom } from '../kit/sim/seeded-random.ts'

/** Different breaks that are printed; further ones are counted. */
const MAX_PRINTED = 40

/** What an attack counts: how much was tried, what held, what broke. */
export class Tally {
  readonly random: SeededRandom
  readonly #name: string
  readonly #held = new Map<string, number>()
  readonly #broke = new Map<string, number>()
  readonly #notes: string[] = []

  constructor(name: string) {
    this.#name = name
    this.random = new SeededRandom(Number(process.env['SEED'] ?? Date.now() % 1_000_000))
  }

  /** Counts one try of `what`; a false `held` is a break, told with `detail`. */
  check(what: string, held: boolean, detail: () => unknown = () => ''): void {
    if (held) this.#held.set(what, (this.#held.get(what) ?? 0) + 1)
    else {
      const key = `${what}: ${String(detail()).slice(0, 600)}`
      this.#broke.set(key, (this.#broke.get(key) ?? 0) + 1)
    }
  }

  /** A figure or a thing left out, printed with the counts. */
  note(text: string): void {
    this.#notes.push(text)
  }

  /** One of `items`, drawn. */
  pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T
  }

  /** Prints the counts; the exit code of the process says whether all held. */
  finish(): void {
    const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0)
    const [held, broke] = [sum(this.#held), sum(this.#broke)]
    const lines = [...this.#held].map(([what, count]) => `  held ${count}: ${what}`)
    lines.push(...this.#notes.map(note => `  note: ${note}`))
    lines.push(...[...this.#broke].slice(0, MAX_PRINTED).map(([what, count]) => `  BROKE ${count}: ${what}`))
    lines.push(`${this.#name}: tried ${held + broke}, held ${held}, broke ${broke} (SEED=${this.random.seed})`)
    process.stdout.write(`${lines.join('\n')}\n`)
    if (broke > 0) process.exitCode = 1
  }
}

/** Runs an attack and prints its counts; an attack that fails itself is a break too. */
export async function runAttack(name: string, attack: (tally: Tally) => Promise<void>): Promise<void> {
  const tally = new Tally(name)
  await attack(tally).catch((error: unknown) => {
    tally.check('the attack runs to its end', false, () => (error instanceof Error ? error.stack : error))
  })
  tally.finish()
  // Connections that a node left open must not keep the program.
  process.exit()
}
