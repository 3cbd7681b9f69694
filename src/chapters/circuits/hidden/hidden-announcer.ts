// Tells the overlay DHT that a seeder can be met here (8.2). Other implementations store the value once, and it is gone
// after an hour; ours is stored again before, and soon where no node took it.

import type { PeerAddress } from '../../../base/ids.ts'
import type { OverlayDht } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import { decodeValue, encodeIntroductionPoint } from '../../overlay/wire/dht-value.ts'

/** A value in the DHT lives for 3600 s (section 6): it is renewed before. */
const ANNOUNCE_EVERY_MS = 2_700_000
/** Tried again after this when nobody took it; doubled each time, up to the second one. */
const ANNOUNCE_RETRY_MS = 2_000
/** The longest of these waits. */
const MAX_ANNOUNCE_RETRY_MS = 60_000

/** What an announcer works with. */
export interface AnnouncerDeps {
  readonly dht: OverlayDht
  readonly clock: Clock
  /** Who we are as introduction point. */
  readonly ownKey: Uint8Array
  readonly ownAddress: () => PeerAddress
}

/** The announcing of one seeder in one swarm; it begins at once and lasts until close(). */
export class IntroductionAnnouncer {
  readonly #lookup: Uint8Array
  readonly #seederKey: Uint8Array
  readonly #deps: AnnouncerDeps
  #timer: Timer | null = null
  #closed = false
  #failures = 0

  constructor(lookup: Uint8Array, seederKey: Uint8Array, deps: AnnouncerDeps) {
    this.#lookup = lookup
    this.#seederKey = seederKey
    this.#deps = deps
    void this.#announce()
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  async #announce(): Promise<void> {
    const { dht, clock, ownKey: publicKey, ownAddress } = this.#deps
    const lastSeenS = Math.floor(clock.wallMs() / 1000)
    const point = { address: ownAddress(), lastSeenS, publicKey, seederKey: this.#seederKey }
    const stored = await dht.store(this.#lookup, decodeValue(encodeIntroductionPoint(point)).data)
    if (this.#closed) return
    this.#failures = stored > 0 ? 0 : this.#failures + 1
    const againMs = Math.min(ANNOUNCE_RETRY_MS * 2 ** Math.min(this.#failures - 1, 10), MAX_ANNOUNCE_RETRY_MS)
    this.#timer = clock.after(stored > 0 ? ANNOUNCE_EVERY_MS : againMs, () => void this.#announce())
  }
}
