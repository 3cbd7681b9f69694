// The bloom filters of DHT scrapes (BEP 33): 2048 bits, two bits an address, sizes estimated from the bits that are 0.

import { createHash } from 'node:crypto'

/** Bytes of a filter. */
export const FILTER_BYTES = 256
const FILTER_BITS = FILTER_BYTES * 8
const HASHES = 2

/** Puts an address of 4 or 16 bytes into `filter`. */
export function addToFilter(filter: Uint8Array, ip: Uint8Array): void {
  const hash = createHash('sha1').update(ip).digest()
  for (let i = 0; i < HASHES; i++) {
    const bit = ((hash[2 * i] ?? 0) | ((hash[2 * i + 1] ?? 0) << 8)) % FILTER_BITS
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
}

/** True when `ip` may have been put into `filter`; false when it was not. */
export function filterHas(filter: Uint8Array, ip: Uint8Array): boolean {
  const one = new Uint8Array(FILTER_BYTES)
  addToFilter(one, ip)
  return one.every((byte, index) => ((filter[index] ?? 0) & byte) === byte)
}

/** Adds the bits of `other` to `into`: the filter of the union. */
export function mergeFilter(into: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < FILTER_BYTES; i++) into[i] = (into[i] ?? 0) | (other[i] ?? 0)
}

/**
 * How many addresses `filter` holds, estimated; good to about 6,000. A full filter gives the largest estimate there is.
 */
export function filterCount(filter: Uint8Array): number {
  let zeros = 0
  for (let bit = 0; bit < FILTER_BITS; bit++) if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) zeros++
  if (zeros === FILTER_BITS) return 0
  const counted = Math.max(1, Math.min(FILTER_BITS - 1, zeros))
  return Math.log(counted / FILTER_BITS) / (HASHES * Math.log(1 - 1 / FILTER_BITS))
}
