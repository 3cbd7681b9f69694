// IP addresses as bytes and text, and compact peer lists: 4 + 2 bytes a peer (BEP 23) or 16 + 2 (BEP 7).
// Text is always canonical (RFC 5952), so equal addresses have equal texts; mapped IPv4 becomes plain IPv4.
// Invariant: an address that leaves here can be connected to: not unspecified, multicast or reserved, port above 0.

import { DecodeError } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'

const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

/** True when `bytes` are an IPv4 address inside IPv6 (::ffff:0:0/96). */
export function isMappedIpv4(bytes: Uint8Array): boolean {
  return bytes.length === 16 && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte)
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  const bytes = new Uint8Array(4)
  for (const [index, part] of parts.entries()) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null
    bytes[index] = Number(part)
  }
  return bytes
}

/** The groups of one side of `::` as bytes; an IPv4 tail counts as two groups. */
function parseGroups(text: string): number[] | null {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [index, group] of groups.entries()) {
    if (group.includes('.') && index === groups.length - 1) {
      const tail = parseIpv4(group)
      if (tail === null) return null
      bytes.push(...tail)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    }
  }
  return bytes
}

function parseIpv6(text: string): Uint8Array | null {
  if (text.length > 45) return null
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = parseGroups(halves[0] ?? '')
  if (head === null) return null
  if (halves.length === 1) return head.length === 16 ? Uint8Array.from(head) : null
  if ((halves[0] ?? '').includes('.')) return null
  const tail = parseGroups(halves[1] ?? '')
  if (tail === null || head.length + tail.length > 14) return null
  const bytes = new Uint8Array(16)
  bytes.set(head)
  bytes.set(tail, 16 - tail.length)
  return bytes
}

/** The 4 or 16 bytes of a literal address, null for anything else (names, ports, zones, octal or short spellings). */
export function parseIp(text: string): Uint8Array | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

/** Start and length of the longest run of zero groups (RFC 5952: two at least, the first of equals). */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: -1, length: 1 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (start + length < groups.length && groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
    if (length > 0) start += length - 1
  }
  return best
}

/** Canonical text of 4 or 16 bytes; mapped IPv4 becomes IPv4. Throws RangeError for other lengths. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new RangeError(`an address has 4 or 16 bytes, not ${bytes.length}`)
  if (isMappedIpv4(bytes)) return bytes.subarray(12).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0))
  const run = longestZeroRun(groups)
  const hex = groups.map(group => group.toString(16))
  if (run.start < 0) return hex.join(':')
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`
}

/** The canonical text of a literal address, or null when `text` is none. */
export function canonicalIp(text: string): string | null {
  const bytes = parseIp(text)
  return bytes === null ? null : formatIp(bytes)
}

/** True for 127.0.0.0/8 and ::1. `ip` is canonical. */
export function isLoopbackIp(ip: string): boolean {
  return ip.startsWith('127.') || ip === '::1'
}

/**
 * True when a peer can be behind these 4 or 16 bytes: not unspecified, multicast, broadcast, reserved or link-local v6.
 */
export function isPeerIp(bytes: Uint8Array): boolean {
  if (isMappedIpv4(bytes)) return isPeerIp(bytes.subarray(12))
  const first = bytes[0] ?? 0
  if (bytes.length === 4) return first !== 0 && first < 224
  if (first === 0xff) return false
  // A link-local address says nothing without the interface it belongs to.
  if (first === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80) return false
  return bytes.subarray(0, 15).some(byte => byte !== 0) || bytes[15] === 1
}

/** The address of a peer, or null when nothing can be reached there. */
function peerAddress(ipBytes: Uint8Array, port: number): PeerAddress | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || !isPeerIp(ipBytes)) return null
  return { ip: formatIp(ipBytes), port }
}

/** 6 or 18 bytes of one peer. Throws RangeError when `address.ip` is no literal address. */
export function encodeCompactPeer(address: PeerAddress): Uint8Array {
  const ip = parseIp(address.ip)
  if (ip === null) throw new RangeError('not a literal address')
  const bytes = new Uint8Array(ip.length + 2)
  bytes.set(ip)
  bytes[ip.length] = address.port >> 8
  bytes[ip.length + 1] = address.port & 0xff
  return bytes
}

/** Gathers peers up to a bound, each once. */
export class PeerCollector {
  readonly #limit: number
  readonly #byKey = new Map<string, PeerAddress>()
  constructor(limit: number) {
    this.#limit = limit
  }
  get full(): boolean {
    return this.#byKey.size >= this.#limit
  }
  add(ipBytes: Uint8Array, port: number): void {
    if (this.full) return
    const address = peerAddress(ipBytes, port)
    if (address !== null) this.#byKey.set(addressKey(address), address)
  }
  peers(): PeerAddress[] {
    return [...this.#byKey.values()]
  }
}

/**
 * Reads a compact list of peers with addresses of `ipBytes` (4 or 16) bytes into `into`; entries that cannot be a peer
 * are dropped. Throws DecodeError when the length is no multiple of an entry.
 */
export function collectCompactPeers(bytes: Uint8Array, ipBytes: 4 | 16, into: PeerCollector): void {
  const entry = ipBytes + 2
  if (bytes.length % entry !== 0) throw new DecodeError(`a compact peer list of ${bytes.length} bytes`)
  for (let at = 0; at < bytes.length && !into.full; at += entry) {
    const port = ((bytes[at + ipBytes] ?? 0) << 8) | (bytes[at + ipBytes + 1] ?? 0)
    into.add(bytes.subarray(at, at + ipBytes), port)
  }
}

/** The peers of one compact list, at most `limit`, each once. Throws DecodeError as collectCompactPeers. */
export function decodeCompactPeers(bytes: Uint8Array, ipBytes: 4 | 16, limit: number): PeerAddress[] {
  const collector = new PeerCollector(limit)
  collectCompactPeers(bytes, ipBytes, collector)
  return collector.peers()
}
