// Canonical peer priority (BEP 40): a number that both ends of a connection compute alike from their addresses. When
// all peers keep those with the highest numbers, a newcomer is as likely to find a place as any other, and a swarm
// cannot be closed by filling its places from a few networks.

import type { PeerAddress } from '../../base/ids.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { crc32c } from '../../wire/dht/crc32c.ts'

/** Masks from addresses that share nothing to such that share a network; as long as what is masked. */
const MASKS_4 = [
  { shared: 0, mask: [0xff, 0xff, 0x55, 0x55] },
  { shared: 2, mask: [0xff, 0xff, 0xff, 0x55] },
  { shared: 3, mask: [0xff, 0xff, 0xff, 0xff] },
]
/**
 * As libtorrent has them, which differs from the text of BEP 40: networks of /32 and /48, and the last 8 bytes
 * unmasked.
 */
const MASKS_6 = [
  { shared: 0, mask: [0xff, 0xff, 0xff, 0xff, 0x55, 0x55, 0x55, 0x55] },
  { shared: 4, mask: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x55, 0x55] },
  { shared: 6, mask: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] },
]

/** The priority that makes no difference: one of the addresses is not known. */
export const NO_PRIORITY = 0

/**
 * The priority of a connection between two addresses, an unsigned 32-bit number, whichever of them is ours. Ports count
 * only where the addresses are the same. NO_PRIORITY for addresses of different families or such that are no literals.
 */
export function peerPriority(one: PeerAddress, other: PeerAddress): number {
  const a = parseIp(one.ip)
  const b = parseIp(other.ip)
  if (a === null || b === null || a.length !== b.length) return NO_PRIORITY
  const order = Buffer.compare(a, b)
  if (order === 0) return crc32c(portBytes(one.port, other.port))
  const mask = maskFor(a, b)
  const low = masked(order < 0 ? a : b, mask)
  const high = masked(order < 0 ? b : a, mask)
  return crc32c(Buffer.concat([low, high]))
}

/** Priorities of connections from us, given our own address of each family (null = not known). */
export function priorityFrom(own: (family: 4 | 6) => PeerAddress | null): (other: PeerAddress) => number {
  return other => {
    const ours = own(other.ip.includes(':') ? 6 : 4)
    return ours === null ? NO_PRIORITY : peerPriority(ours, other)
  }
}

function portBytes(one: number, other: number): Uint8Array {
  const low = Math.min(one, other)
  const high = Math.max(one, other)
  return Uint8Array.of(low >> 8, low & 0xff, high >> 8, high & 0xff)
}

/** The mask of the smallest network that both are in. */
function maskFor(a: Uint8Array, b: Uint8Array): readonly number[] {
  let found: readonly number[] = []
  for (const { shared, mask } of a.length === 4 ? MASKS_4 : MASKS_6) {
    if (Buffer.compare(a.subarray(0, shared), b.subarray(0, shared)) === 0) found = mask
  }
  return found
}

function masked(bytes: Uint8Array, mask: readonly number[]): Uint8Array {
  return bytes.map((byte, index) => byte & (mask[index] ?? 0xff))
}
