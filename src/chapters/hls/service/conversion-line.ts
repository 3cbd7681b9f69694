// The line for conversions by another program: one with a picture at a time, and two of sound alone. Who does not get
// its turn within two seconds is refused, which players take as "ask again"; so is who would be the fifth to wait, or
// whose cut is too much beside those that wait: each is held.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'

/** How many go on at a time. */
const PLACES = { picture: 1, sound: 2 } as const
/** How long one waits for its turn. */
const TURN_LIMIT_MS = 2000
const MAX_WAITING = 4
/** Bytes of all cuts that wait. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** What is converted. */
export type ConversionKind = keyof typeof PLACES

interface Waiting {
  readonly kind: ConversionKind
  readonly bytes: number
  readonly take: () => void
}

/** The line. */
export class ConversionLine {
  readonly #clock: Clock
  readonly #active = { picture: 0, sound: 0 }
  readonly #waiting = new Set<Waiting>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Conversions under way. */
  get active(): number {
    return this.#active.picture + this.#active.sound
  }

  /** Those that wait for their turn. */
  get length(): number {
    return this.#waiting.size
  }

  /**
   * Does the work when it is its turn; `bytes`: what is held for it meanwhile. AppErrors TooManyRequests: that does not
   * come in time; Aborted.
   */
  async run<T>(kind: ConversionKind, bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw new AppError('Aborted')
    if (this.#active[kind] < PLACES[kind]) this.#active[kind] += 1
    else await this.#turn(kind, bytes, signal)
    try {
      return await work()
    } finally {
      this.#pass(kind)
    }
  }

  #turn(kind: ConversionKind, bytes: number, signal: AbortSignal): Promise<void> {
    const refusal = new AppError(
      'TooManyRequests',
      `As many films are being converted as may be (${PLACES[kind]}); try again.`,
    )
    const held = [...this.#waiting].reduce((sum, one) => sum + one.bytes, bytes)
    if (this.#waiting.size >= MAX_WAITING || held > MAX_WAITING_BYTES) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(one)
        timer.cancel()
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        reject(new AppError('Aborted'))
      }
      const take = (): void => {
        end()
        resolve()
      }
      const one = { kind, bytes, take }
      const timer = this.#clock.after(TURN_LIMIT_MS, () => {
        end()
        reject(refusal)
      })
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(one)
    })
  }

  /** To whoever waits longest for such a place. */
  #pass(kind: ConversionKind): void {
    for (const one of this.#waiting) if (one.kind === kind) return one.take()
    this.#active[kind] -= 1
  }
}
