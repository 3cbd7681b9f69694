// Addresses that are not talked to. Proven poison bans at once, lesser offences after several. Knows no clock.
// Invariant: both tables are bounded; the oldest entry makes room.

/** Most bans and most addresses with strikes that are remembered: more would be an attack on memory. */
const MAX_ENTRIES = 4096
/** First ban; every further ban of the same address lasts twice as long as the one before. */
const BAN_MS = 60 * 60 * 1000
const MAX_BAN_MS = 24 * 60 * 60 * 1000
/** Strikes (broken protocol, unreadable messages) within STRIKE_MS that make a ban. */
const STRIKES_TO_BAN = 3
const STRIKE_MS = 10 * 60 * 1000

interface Ban {
  untilMs: number
  count: number
  reason: string
}

interface Strikes {
  count: number
  sinceMs: number
}

/** Bans by IP address, with expiry. */
export class BanList {
  readonly #bans = new Map<string, Ban>()
  readonly #strikes = new Map<string, Strikes>()

  /** Bans `ip` from now on: an hour the first time, twice as long each further time, at most a day. */
  ban(ip: string, reason: string, nowMs: number): void {
    const count = (this.#bans.get(ip)?.count ?? 0) + 1
    const untilMs = nowMs + Math.min(MAX_BAN_MS, BAN_MS * 2 ** Math.min(count - 1, 10))
    this.#strikes.delete(ip)
    this.#bans.delete(ip)
    this.#bans.set(ip, { untilMs, count, reason })
    dropOldest(this.#bans)
  }

  /** Notes a lesser offence; true when it was one too many and `ip` is now banned. */
  strike(ip: string, reason: string, nowMs: number): boolean {
    const known = this.#strikes.get(ip)
    const fresh = known === undefined || nowMs - known.sinceMs > STRIKE_MS
    const strikes = fresh ? { count: 1, sinceMs: nowMs } : { count: known.count + 1, sinceMs: known.sinceMs }
    this.#strikes.delete(ip)
    if (strikes.count >= STRIKES_TO_BAN) {
      this.ban(ip, reason, nowMs)
      return true
    }
    this.#strikes.set(ip, strikes)
    dropOldest(this.#strikes)
    return false
  }

  /** True while `ip` is banned. An expired ban is remembered (its count), not enforced. */
  isBanned(ip: string, nowMs: number): boolean {
    const ban = this.#bans.get(ip)
    return ban !== undefined && nowMs < ban.untilMs
  }

  /** Why `ip` is banned; null when it is not. */
  reason(ip: string, nowMs: number): string | null {
    return this.isBanned(ip, nowMs) ? (this.#bans.get(ip)?.reason ?? null) : null
  }

  /** Number of bans in force. */
  count(nowMs: number): number {
    let count = 0
    for (const ban of this.#bans.values()) if (nowMs < ban.untilMs) count++
    return count
  }

  /** Lifts the ban of `ip` and forgets its strikes. */
  pardon(ip: string): void {
    this.#bans.delete(ip)
    this.#strikes.delete(ip)
  }
}

function dropOldest(table: Map<string, unknown>): void {
  if (table.size <= MAX_ENTRIES) return
  const oldest = table.keys().next()
  if (!oldest.done) table.delete(oldest.value)
}
