// How large packets may be on the way to one peer. Begins with what every path carries and tries more: a probe is an
// ordinary packet made larger by bytes that mean nothing, so losing it costs nothing and says that it was too large. No
// flag against fragmentation is needed (Node cannot set it; Linux does by default). Invariant: packetBytes was carried
// once, or is the floor.

/** Payload of a datagram that every path carries: 576 bytes of IPv4, 1280 of IPv6, less IP and UDP headers. */
const FLOOR_BYTES = { 4: 548, 6: 1232 } as const
/** Payload of a datagram on Ethernet, 1500 bytes, less IP and UDP headers. */
const CEILING_BYTES = { 4: 1472, 6: 1452 } as const
/** Closer than this the search ends. */
const PRECISION_BYTES = 16
/** A size is too large when this many probes of it were lost: one can get lost by chance. */
const LOST_PROBES = 2

/** The search on one connection. Sizes are bytes of a datagram. */
export class MtuSearch {
  #low: number
  #high: number
  #next: number
  #lost = 0
  #inAir = false

  /** `maxBytes`: the most a datagram may have for other reasons (a proxy in between), if there are any. */
  constructor(family: 4 | 6, maxBytes = Number.POSITIVE_INFINITY) {
    this.#high = Math.min(CEILING_BYTES[family], maxBytes)
    this.#low = Math.min(FLOOR_BYTES[family], this.#high)
    // Nearly every path carries full packets: that is tried first.
    this.#next = this.#high
  }

  /** Bytes a packet may have now. */
  get packetBytes(): number {
    return this.#low
  }

  /** Bytes of the probe that is due, 0 when none is. */
  get probeBytes(): number {
    return this.#inAir || this.#high - this.#low < PRECISION_BYTES ? 0 : this.#next
  }

  /** A probe is under way; there is never more than one. */
  probeSent(): void {
    this.#inAir = true
  }

  /** A probe of `bytes` arrived. */
  probeAcked(bytes: number): void {
    this.#inAir = false
    this.#lost = 0
    this.#low = Math.min(this.#high, Math.max(this.#low, bytes))
    this.#next = middle(this.#low, this.#high)
  }

  /** The probe did not arrive. */
  probeLost(): void {
    this.#inAir = false
    this.#lost += 1
    if (this.#lost < LOST_PROBES) return
    this.#lost = 0
    this.#high = Math.max(this.#low, this.#next - 1)
    this.#next = middle(this.#low, this.#high)
  }
}

function middle(low: number, high: number): number {
  return Math.ceil((low + high) / 2)
}
