// How many connections there are to each address, so that none takes all places. An IPv6 host has a whole network, so the
// first 64 bits count. Addresses of this machine and of local networks are not counted: behind them may stand everybody
// (a router or container that puts its own address into what it forwards). Holds no more than there are connections.

import { formatIp, isMappedIpv4, parseIp } from '../wire/compact-address.ts'
import { isLocalIp } from '../wire/local-address.ts'

/** Counts by address. */
export class AddressCounts {
  readonly #counts = new Map<string, number>()

  /** Connections of the owner of `ip`; 0 for a local one. */
  of(ip: string): number {
    // Asked for thousands of addresses in a row, of which hardly any is connected.
    return this.#counts.size === 0 ? 0 : (this.#counts.get(ownerOf(ip) ?? '') ?? 0)
  }

  /** A connection more. */
  add(ip: string): void {
    const owner = ownerOf(ip)
    if (owner !== null) this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1)
  }

  /** A connection less. */
  remove(ip: string): void {
    const owner = ownerOf(ip)
    if (owner === null) return
    const left = (this.#counts.get(owner) ?? 0) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
  }
}

/** Null: not counted. */
function ownerOf(ip: string): string | null {
  const bytes = parseIp(ip)
  if (bytes === null || isLocalIp(ip)) return null
  if (isMappedIpv4(bytes)) return formatIp(bytes.subarray(12))
  return bytes.length === 4 ? formatIp(bytes) : Buffer.from(bytes.subarray(0, 8)).toString('hex')
}
