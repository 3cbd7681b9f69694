// Bounds what SYNs from strangers can make us keep. A SYN proves nothing, since its source address may be forged:
// connections whose address is not proven yet are few, and few for one address. Invariant: leave() is called once for
// every admit() that was true.

import { parseIp } from '../wire/net/compact-address.ts'

/** Connections with unproven addresses: in all, and from one address (IPv6: one network of 64 bits). */
export const MAX_HALF_OPEN = 256
/** See MAX_HALF_OPEN. */
export const MAX_HALF_OPEN_PER_ADDRESS = 64

/** Counts connections whose address is not proven. */
export class HalfOpen {
  readonly #byAddress = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** Counts one more, unless that is one too many. */
  admit(ip: string): boolean {
    if (this.#total >= MAX_HALF_OPEN) return false
    const key = addressGroup(ip)
    const count = this.#byAddress.get(key) ?? 0
    if (count >= MAX_HALF_OPEN_PER_ADDRESS) return false
    this.#byAddress.set(key, count + 1)
    this.#total += 1
    return true
  }

  /** One less: its address was proven, or it is gone. */
  leave(ip: string): void {
    const key = addressGroup(ip)
    const count = this.#byAddress.get(key) ?? 0
    if (count === 0) return
    if (count === 1) this.#byAddress.delete(key)
    else this.#byAddress.set(key, count - 1)
    this.#total -= 1
  }
}

/** A host with an IPv6 address has 2^64 of them. */
function addressGroup(ip: string): string {
  if (!ip.includes(':')) return ip
  const bytes = parseIp(ip)
  return bytes === null ? ip : bytes.subarray(0, 8).join('.')
}
