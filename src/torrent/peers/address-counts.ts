// How many connections there are to each address and to each network, so that none takes all places. An IPv6 host has a
// whole network, so the first 64 bits count as its address. Addresses of this machine and of local networks are not
// counted: behind one of them may be any number of peers (a router or container that puts its own address into what it
// forwards). Holds no more than there are connections.

import { formatIp, isMappedIpv4, parseIp } from '../../wire/net/compact-address.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'

/** Bytes that a network has in common: /24 of IPv4, /48 of IPv6, what one customer of a hosting company easily gets. */
const NETWORK_BYTES = { v4: 3, v6: 6 } as const

/** Counts by address and by network. */
export class AddressCounts {
  readonly #counts = new Map<string, number>()
  readonly #networks = new Map<string, number>()

  /** Connections of the owner of `ip`; 0 for a local one. */
  of(ip: string): number {
    // Asked for thousands of addresses in a row, nearly all of them not connected.
    return this.#counts.size === 0 ? 0 : (this.#counts.get(placeOf(ip)?.owner ?? '') ?? 0)
  }

  /** Connections of the network of `ip`; 0 for a local one. */
  ofNetwork(ip: string): number {
    return this.#networks.size === 0 ? 0 : (this.#networks.get(networkOf(ip) ?? '') ?? 0)
  }

  /** A connection more. */
  add(ip: string): void {
    this.#change(ip, 1)
  }

  /** A connection less. */
  remove(ip: string): void {
    this.#change(ip, -1)
  }

  #change(ip: string, change: 1 | -1): void {
    const place = placeOf(ip)
    if (place === null) return
    count(this.#counts, place.owner, change)
    count(this.#networks, place.network, change)
  }
}

/** The /24 or /48 of an address, as a key; null for a local one and for what is no address. */
export function networkOf(ip: string): string | null {
  return placeOf(ip)?.network ?? null
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + change
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

/** Null: not counted. */
function placeOf(ip: string): { readonly owner: string; readonly network: string } | null {
  const parsed = parseIp(ip)
  if (parsed === null || isLocalIp(ip)) return null
  const bytes = isMappedIpv4(parsed) ? parsed.subarray(12) : parsed
  const v4 = bytes.length === 4
  const owner = v4 ? formatIp(bytes) : Buffer.from(bytes.subarray(0, 8)).toString('hex')
  const network = `${v4 ? '4' : '6'}:${Buffer.from(bytes.subarray(0, NETWORK_BYTES[v4 ? 'v4' : 'v6'])).toString('hex')}`
  return { owner, network }
}
