// How often strangers are asked for counts: in all, and one tracker. Channels name trackers, so the writer of many
// records could send this node against any host; a tracker that does not answer is left alone, longer each time. Knows
// hosts, no torrents.

import { Allowance } from '../../../base/allowance.ts'
import type { Clock } from '../../../ports/clock.ts'

/** Questions at once, and after how many milliseconds one more. */
export interface Pace {
  readonly burst: number
  readonly refillMs: number
}

/** Most hosts that are remembered; the one unused the longest goes. */
const MAX_HOSTS = 1024
/** Rest after a failure; doubles with each further one. */
const REST_MS = 5 * 60_000
const MAX_REST_MS = 6 * 3_600_000

interface Host {
  readonly pace: Allowance
  failures: number
  restsUntilMs: number
}

/** Gives leave to ask. */
export class ScrapeBudget {
  readonly #clock: Pick<Clock, 'now'>
  readonly #total: Allowance
  readonly #perHost: Pace
  readonly #hosts = new Map<string, Host>()

  constructor(paces: { readonly total: Pace; readonly perHost: Pace }, clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#total = new Allowance(paces.total.burst, paces.total.refillMs)
    this.#perHost = paces.perHost
  }

  /** It has failed lately: not to be asked. */
  isResting(host: string): boolean {
    return (this.#hosts.get(host)?.restsUntilMs ?? 0) > this.#clock.now()
  }

  /** True: ask it now; that is counted. */
  take(host: string): boolean {
    const nowMs = this.#clock.now()
    if (this.isResting(host) || this.#total.available(nowMs) === 0) return false
    return this.#hostOf(host).pace.take(nowMs) && this.#total.take(nowMs)
  }

  /** It gave an answer. */
  answered(host: string): void {
    const known = this.#hostOf(host)
    known.failures = 0
    known.restsUntilMs = 0
  }

  /** It gave none. */
  failed(host: string): void {
    const known = this.#hostOf(host)
    known.restsUntilMs = this.#clock.now() + Math.min(MAX_REST_MS, REST_MS * 2 ** known.failures)
    known.failures++
  }

  #hostOf(name: string): Host {
    const { burst, refillMs } = this.#perHost
    const host = this.#hosts.get(name) ?? { pace: new Allowance(burst, refillMs), failures: 0, restsUntilMs: 0 }
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    for (const oldest of this.#hosts.keys()) {
      if (this.#hosts.size <= MAX_HOSTS) break
      this.#hosts.delete(oldest)
    }
    return host
  }
}
