// Keys of wallets that are unlocked: in bytes, for a while, wiped at its end and when the node stops.

import type { HDKey } from '@scure/bip32'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { CoinId } from '../core/coins.ts'

interface Open {
  readonly key: HDKey
  readonly timer: Timer
}

/** Keys of wallets that are unlocked: in bytes, for a while, wiped at its end and when the node stops. */
export class OpenKeys {
  readonly #clock: Clock
  readonly #open = new Map<CoinId, Open>()
  readonly #ended: (id: CoinId) => void
  readonly #changed: (id: CoinId) => void

  /** `ended`: the time of one is over. `changed`: one was opened or closed. */
  constructor(clock: Clock, ended: (id: CoinId) => void, changed: (id: CoinId) => void) {
    this.#clock = clock
    this.#ended = ended
    this.#changed = changed
  }

  /** Keeps it for so many seconds, in the place of an older one. */
  open(id: CoinId, key: HDKey, seconds: number): void {
    this.#wipe(id)
    const timer = this.#clock.after(seconds * 1000, () => {
      this.close(id)
      this.#ended(id)
    })
    this.#open.set(id, { key, timer })
    this.#changed(id)
  }

  /** Null: locked. */
  of(id: CoinId): HDKey | null {
    return this.#open.get(id)?.key ?? null
  }

  /** Wipes it. */
  close(id: CoinId): boolean {
    const found = this.#wipe(id)
    if (found) this.#changed(id)
    return found
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id)
  }

  #wipe(id: CoinId): boolean {
    const found = this.#open.get(id)
    found?.timer.cancel()
    found?.key.wipePrivateData()
    return this.#open.delete(id)
  }
}
