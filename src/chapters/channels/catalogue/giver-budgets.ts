// How much of the catalogue one giver may fill in an hour: a lying peer is refused, the others are not. In memory,

/** Givers that are remembered. */
const MAX_GIVERS = 4096
// bounded; a giver that is forgotten begins with a full budget.

const HOUR_S = 3600

/** Budgets of one kind. */
export class GiverBudgets {
  readonly #most: number
  readonly #spent = new Map<string, { used: number; sinceS: number }>()

  /** `most`: in an hour. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes one of the giver's; false: it has had its share. */
  take(giver: string, nowS: number): boolean {
    const before = this.#spent.get(giver)
    const spent = before === undefined || nowS - before.sinceS >= HOUR_S ? { used: 0, sinceS: nowS } : before
    this.#spent.delete(giver)
    if (this.#spent.size >= MAX_GIVERS) this.#forgetOldest()
    this.#spent.set(giver, spent)
    if (spent.used >= this.#most) return false
    spent.used++
    return true
  }

  #forgetOldest(): void {
    const [oldest] = this.#spent.keys()
    if (oldest !== undefined) this.#spent.delete(oldest)
  }
}
