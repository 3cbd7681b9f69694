// Node ids of the Mainline DHT: distance (BEP 5), keys, ids bound to an address (BEP 42). Pure; ids are 20 bytes.
// A node's id is free for local addresses and otherwise must carry 21 bits of a CRC32C of its address.

import { crc32c } from './crc32c.ts'
import { parseIp } from '../net/compact-address.ts'

/** Bytes of a node id, and of what is looked up (BEP 5). */
export const ID_BYTES = 20
/** Bits of a node id. */
export const ID_BITS = ID_BYTES * 8

/** Orders `a` and `b` by their XOR distance to `target`: below 0 when `a` is closer, 0 when they are equal (BEP 5). */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < ID_BYTES; i++) {
    const wanted = target[i] ?? 0
    const difference = ((a[i] ?? 0) ^ wanted) - ((b[i] ?? 0) ^ wanted)
    if (difference !== 0) return difference
  }
  return 0
}

/** How many leading bits two ids share: 0 to 160. */
export function sharedBits(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < ID_BYTES; i++) {
    const different = (a[i] ?? 0) ^ (b[i] ?? 0)
    if (different !== 0) return i * 8 + Math.clz32(different) - 24
  }
  return ID_BITS
}

/** An id as 40 hexadecimal digits, usable as a map key. */
export function idKey(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex')
}

/** The id that 40 hexadecimal digits spell, or null. */
export function idFromKey(key: string): Uint8Array | null {
  return /^[0-9a-f]{40}$/i.test(key) ? Uint8Array.from(Buffer.from(key, 'hex')) : null
}

/**
 * An id that shares exactly `shared` leading bits (0 to 159) with `own`; its other bits come from `random` (20 bytes).
 */
export function idAtDepth(own: Uint8Array, shared: number, random: Uint8Array): Uint8Array {
  const id = Uint8Array.from(random)
  for (let bit = 0; bit <= shared && bit < ID_BITS; bit++) {
    const at = bit >> 3
    const mask = 0x80 >> (bit & 7)
    const ownBit = (own[at] ?? 0) & mask
    id[at] = ((id[at] ?? 0) & ~mask) | (bit < shared ? ownBit : ownBit ^ mask)
  }
  return id
}

/** What of an address counts, by family (BEP 42). */
const MASK_4 = [0x03, 0x0f, 0x3f, 0xff]
const MASK_6 = [0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff]

/** The 32 bits whose upper 21 an id at this address begins with; `r` is the id's last byte. */
function addressPrefix(ip: Uint8Array, r: number): number {
  const masked = Uint8Array.from(ip.length === 4 ? MASK_4 : MASK_6, (mask, index) => mask & (ip[index] ?? 0))
  masked[0] = (masked[0] ?? 0) | ((r & 7) << 5)
  return crc32c(masked)
}

/** An id that is valid at `ip` (4 or 16 bytes); everything free in it comes from `random` (20 bytes). BEP 42. */
export function idForAddress(ip: Uint8Array, random: Uint8Array): Uint8Array {
  const id = Uint8Array.from(random)
  const prefix = addressPrefix(ip, id[ID_BYTES - 1] ?? 0)
  id[0] = prefix >>> 24
  id[1] = (prefix >>> 16) & 0xff
  id[2] = ((prefix >>> 8) & 0xf8) | ((id[2] ?? 0) & 0x07)
  return id
}

/** True for the local addresses that BEP 42 exempts (4 bytes), and IPv6 loopback, unique local and link-local (16). */
export function isExemptAddress(ip: Uint8Array): boolean {
  const first = ip[0] ?? 0
  const second = ip[1] ?? 0
  if (ip.length === 4) {
    if (first === 10 || first === 127) return true
    if (first === 172) return second >= 16 && second < 32
    return (first === 192 && second === 168) || (first === 169 && second === 254)
  }
  if ((first & 0xfe) === 0xfc || (first === 0xfe && (second & 0xc0) === 0x80)) return true
  return ip.subarray(0, 15).every(byte => byte === 0) && ip[15] === 1
}

/**
 * True when a node with this id may be at `ip` (a canonical literal): its bits fit, or the address is local. BEP 42.
 */
export function idFitsAddress(id: Uint8Array, ip: string): boolean {
  const bytes = parseIp(ip)
  if (bytes === null) return false
  if (isExemptAddress(bytes)) return true
  const prefix = addressPrefix(bytes, id[ID_BYTES - 1] ?? 0)
  if (id[0] !== prefix >>> 24 || id[1] !== ((prefix >>> 16) & 0xff)) return false
  return ((id[2] ?? 0) & 0xf8) === ((prefix >>> 8) & 0xf8)
}
