// Places for actions: each may make a list of thousands, so few are answered at a time, some wait, and one address has
// only a part of both.

import { AppError } from '../../../base/errors.ts'
import { Semaphore } from '../../../base/semaphore.ts'

/** How many. */
export interface ActionLimits {
  readonly atATime: number
  readonly waiting: number
  /** Of one address, answered or waiting. */
  readonly ofAddress: number
}

/** The actions of all interfaces. */
export class ActionPlaces {
  readonly #places: Semaphore
  readonly #ofAddress: number
  /** Only addresses that have an action. */
  readonly #counts = new Map<string, number>()

  constructor({ atATime, waiting, ofAddress }: ActionLimits) {
    this.#places = new Semaphore(atATime, waiting)
    this.#ofAddress = ofAddress
  }

  /** Addresses that have an action. */
  get addresses(): number {
    return this.#counts.size
  }

  /** Answers for `remoteIp` when there is a place. AppError TooManyRequests, and what `answer` rejects with. */
  async run<T>(remoteIp: string, answer: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(remoteIp) ?? 0
    if (count >= this.#ofAddress) throw new AppError('TooManyRequests')
    this.#counts.set(remoteIp, count + 1)
    try {
      if (!(await this.#places.acquire())) throw new AppError('TooManyRequests')
      try {
        return await answer()
      } finally {
        this.#places.release()
      }
    } finally {
      this.#left(remoteIp)
    }
  }

  #left(remoteIp: string): void {
    const count = (this.#counts.get(remoteIp) ?? 1) - 1
    if (count === 0) this.#counts.delete(remoteIp)
    else this.#counts.set(remoteIp, count)
  }
}
