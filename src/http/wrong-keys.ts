// Wrong keys: each further one of an address is answered later than the one before, up to some seconds. Keys that were
// right from there before are never kept waiting. Bounded: so many addresses and right keys are remembered, so many
// answers wait, one timer wakes them all.

import { Allowance } from '../base/allowance.ts'
import { AppError } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import { clientNetwork } from './client-network.ts'

/** Wrong keys of an address that are answered at once. */
const FREE_TRIES = 3
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000
/** An address without wrong keys for so long begins again at none. */
const FORGET_AFTER_MS = 15 * 60 * 1000
const MAX_ADDRESSES = 1_024
/** Right keys that are remembered, each with its network. */
const MAX_RIGHT = 1_024
/**
 * While no answer is held back, so many right keys a second are looked at for where they come from, and of further ones
 * one in LOOK_AT_ONE_OF: the kernel is asked for the address, which costs a quarter of what a small request does.
 */
const LOOKS_PER_SEC = 100
const LOOK_AT_ONE_OF = 32
/** Answers that wait: of one address, of all. */
const MAX_WAITING_EACH = 8
const MAX_WAITING = 256

interface Tries {
  count: number
  newestMs: number
  waiting: number
}

/** An answer that waits. */
interface Late {
  readonly dueMs: number
  readonly tries: Tries
  readonly answer: () => void
}

/** Wrong keys: each further one of an address is answered later than the one before, up to some seconds. */
export class WrongKeys {
  readonly #clock: Clock
  /** The one with the oldest wrong key first. */
  readonly #tries = new Map<string, Tries>()
  /** Network and holder of keys that were right, the one used longest ago first. */
  readonly #right = new Set<string>()
  #newestRight = ''
  readonly #looks = new Allowance(LOOKS_PER_SEC, 1000 / LOOKS_PER_SEC)
  #passed = 0
  /** By `dueMs`. */
  readonly #late: Late[] = []
  #timer: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Answers that wait now. */
  get waiting(): number {
    return this.#late.length
  }

  /** Addresses that are remembered. */
  get known(): number {
    return this.#tries.size
  }

  /**
   * AppError TooManyRequests where so many wrong keys of this address wait for their answers that a further one is
   * refused, be it right or wrong: guessing in parallel would not be slowed otherwise. A key that was right from there
   * before passes. `holder`: id of the key's holder, null = a wrong key.
   */
  checkRoom(address: () => Uint8Array, holder: string | null): void {
    if (this.#late.length === 0 && (holder === null || this.#isOneOfMany())) return
    const network = clientNetwork(address())
    const right = holder === null ? null : `${network} ${holder}`
    if (right !== null && right === this.#newestRight) return
    if (right === null || !this.#right.has(right)) {
      const tries = this.#tries.get(network)
      if (tries !== undefined && tries.waiting >= MAX_WAITING_EACH) throw tooMany()
    }
    if (right !== null) this.#remember(right)
  }

  /** True for a right key that need not be looked at: so many others are. */
  #isOneOfMany(): boolean {
    if (this.#looks.take(this.#clock.now())) return false
    this.#passed = (this.#passed + 1) % LOOK_AT_ONE_OF
    return this.#passed !== 0
  }

  #remember(right: string): void {
    this.#newestRight = right
    this.#right.delete(right)
    this.#right.add(right)
    for (const oldest of this.#right) {
      if (this.#right.size <= MAX_RIGHT) break
      this.#right.delete(oldest)
    }
  }

  /** Calls `answer`, later the more wrong keys came from there. AppError TooManyRequests when too many wait already. */
  note(address: Uint8Array, answer: () => void): void {
    const tries = this.#count(clientNetwork(address))
    const over = tries.count - FREE_TRIES
    if (over <= 0) return answer()
    if (this.#late.length >= MAX_WAITING) throw tooMany()
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(over - 1, 20), LONGEST_DELAY_MS)
    const late = { dueMs: this.#clock.now() + delayMs, tries, answer }
    const at = this.#late.findIndex(({ dueMs }) => dueMs > late.dueMs)
    this.#late.splice(at < 0 ? this.#late.length : at, 0, late)
    tries.waiting++
    if (this.#late[0] === late) this.#wakeUp()
  }

  /** Right keys that are remembered. */
  get rightOnes(): number {
    return this.#right.size
  }

  /** Answers everything that waits. */
  stop(): void {
    this.#timer?.cancel()
    for (const { answer, tries } of this.#late.splice(0)) {
      tries.waiting--
      answer()
    }
  }

  #count(network: string): Tries {
    const nowMs = this.#clock.now()
    const known = this.#tries.get(network)
    const stale = known === undefined || (known.waiting === 0 && nowMs - known.newestMs > FORGET_AFTER_MS)
    const tries = stale ? { count: 0, newestMs: nowMs, waiting: 0 } : known
    tries.count++
    tries.newestMs = nowMs
    this.#tries.delete(network)
    this.#tries.set(network, tries)
    for (const oldest of this.#tries.keys()) {
      if (this.#tries.size <= MAX_ADDRESSES) break
      this.#tries.delete(oldest)
    }
    return tries
  }

  #wakeUp(): void {
    this.#timer?.cancel()
    const [first] = this.#late
    if (first === undefined) return
    this.#timer = this.#clock.after(Math.max(0, first.dueMs - this.#clock.now()), () => {
      const nowMs = this.#clock.now()
      while (this.#late[0] !== undefined && this.#late[0].dueMs <= nowMs) {
        const { answer, tries } = this.#late.shift() as Late
        tries.waiting--
        answer()
      }
      this.#wakeUp()
    })
  }
}

function tooMany(): AppError {
  return new AppError('TooManyRequests', 'Too many wrong keys came from this address; try again in some seconds.')
}
