// Finds the address of a trader: a peer of the overlay, one that we heard from lately, or found by the DHT of the
// overlays, which opens the way to it.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Overlay, OverlayDht, SignedSender } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { traderOf } from '../wire/order-codec.ts'
import type { TraderId } from '../wire/types.ts'
import { TtlMap } from '../../../base/ttl-map.ts'

/** Addresses of traders that are no peers, and how long they are used. */
const MAX_CONTACTS = 512
/** Addresses of traders that are no peers are used for so long. */
const CONTACT_MS = 120_000
/** Traders that are looked for at a time. */
const MAX_SEEKING = 16

/** What it works with. */
export interface PeerLookupDeps {
  readonly overlay: Overlay
  readonly dht: OverlayDht
  readonly clock: Clock
}

/**
 * Finds the address of a trader: a peer of the overlay, one that we heard from lately, or found by the DHT of the
 * overlays, which opens the way to it.
 */
export class PeerLookup {
  readonly #deps: PeerLookupDeps
  readonly #contacts = new TtlMap<PeerAddress>(MAX_CONTACTS, CONTACT_MS)
  readonly #seeking = new Map<TraderId, Promise<PeerAddress | null>>()

  constructor(deps: PeerLookupDeps) {
    this.#deps = deps
  }

  /** A trader has signed something that came from there. */
  heard(trader: TraderId, { address }: SignedSender): void {
    this.#contacts.set(trader, { ip: address.ip, port: address.port }, this.#deps.clock.now())
  }

  /** Where to send to; null: not found. Never rejects. */
  async find(trader: TraderId): Promise<PeerAddress | null> {
    const { overlay, clock } = this.#deps
    const peer = overlay.peers().find(({ member }) => member === trader)
    return peer?.address ?? this.#contacts.get(trader, clock.now()) ?? this.seek(trader)
  }

  /** Looks for a trader in the DHT, whatever is known of it. Never rejects. */
  seek(trader: TraderId): Promise<PeerAddress | null> {
    const running = this.#seeking.get(trader)
    if (running !== undefined) return running
    if (this.#seeking.size >= MAX_SEEKING) return Promise.resolve(null)
    const sought = this.#connect(trader).finally(() => this.#seeking.delete(trader))
    this.#seeking.set(trader, sought)
    return sought
  }

  async #connect(trader: TraderId): Promise<PeerAddress | null> {
    const { dht, clock } = this.#deps
    const found = await dht.connect(Buffer.from(trader, 'hex'))
    if (found === null || traderOf(found.publicKey) !== trader) return null
    this.#contacts.set(trader, found.address, clock.now())
    return found.address
  }
}
