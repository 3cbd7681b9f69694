// Dictionaries of DHT messages, read field by field from hostile bytes and written from encoded parts, so that the
// value of an item (BEP 44) passes through byte by byte. What is read is copied: the datagram is lent.

import { DecodeError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import { type BencodeInput, type BencodeValue, decodeBencode, dictSlices, encodeBencode } from '../bencode.ts'
import { decodeCompactPeers, encodeCompactPeer } from '../net/compact-address.ts'
import { ID_BYTES } from './dht-id.ts'
import type { NodeContact, WantedLists } from './krpc-types.ts'

/** Most nodes read of one list: eight is the custom, some send more. */
const MAX_NODES = 32
/** Largest sequence number (BEP 44). */
const MAX_SEQ = 2n ** 63n - 1n

/** The fields of one dictionary. Every method throws DecodeError when a field is there and is not what it should be. */
export class KrpcFields {
  readonly #slices: ReadonlyMap<string, Uint8Array>

  /** `bytes`: a bencoded dictionary and nothing after it. */
  constructor(bytes: Uint8Array) {
    this.#slices = dictSlices(bytes)
  }

  /** The encoded value at `key` (a view), or null. */
  raw(key: string): Uint8Array | null {
    return this.#slices.get(key) ?? null
  }

  /** The decoded value at `key` (views), or null. */
  value(key: string): BencodeValue | null {
    const slice = this.#slices.get(key)
    return slice === undefined ? null : decodeBencode(slice)
  }

  /** The byte string at `key`, copied, or null; `length` is the one it must have. */
  bytes(key: string, length?: number): Uint8Array | null {
    const value = this.value(key)
    if (value === null) return null
    if (!(value instanceof Uint8Array)) throw new DecodeError(`krpc: ${key} is no string`)
    if (length !== undefined && value.length !== length) throw new DecodeError(`krpc: ${key} has a wrong length`)
    return Uint8Array.from(value)
  }

  /** As bytes, but it must be there. */
  needed(key: string, length?: number): Uint8Array {
    const value = this.bytes(key, length)
    if (value === null) throw new DecodeError(`krpc: ${key} is missing`)
    return value
  }

  /** The integer at `key` within 0 and `max`, or null. */
  count(key: string, max: number): number | null {
    const value = this.value(key)
    if (value === null) return null
    if (typeof value !== 'number' || value < 0 || value > max) throw new DecodeError(`krpc: ${key} is out of range`)
    return value
  }

  /** True when the integer at `key` is there and not 0. Any other value is no flag. */
  flag(key: string): boolean {
    const value = this.value(key)
    return typeof value === 'number' && value !== 0
  }

  /** A sequence number, or null. */
  seq(key: string): bigint | null {
    const value = this.value(key)
    if (value === null) return null
    if (typeof value !== 'number' && typeof value !== 'bigint') throw new DecodeError(`krpc: ${key} is no integer`)
    const seq = BigInt(value)
    if (seq < 0n || seq > MAX_SEQ) throw new DecodeError(`krpc: ${key} is out of range`)
    return seq
  }

  /** The `want` list (BEP 32), or null; words it does not know are passed over. */
  want(): WantedLists | null {
    const value = this.value('want')
    if (!Array.isArray(value)) return null
    const words = value.filter(word => word instanceof Uint8Array).map(word => Buffer.from(word).toString('latin1'))
    const want = { n4: words.includes('n4'), n6: words.includes('n6') }
    return want.n4 || want.n6 ? want : null
  }

  /** The compact nodes at `key`, or null; those that cannot be reached are dropped. */
  nodes(key: string, ipBytes: 4 | 16): NodeContact[] | null {
    const value = this.value(key)
    if (value === null) return null
    if (!(value instanceof Uint8Array)) throw new DecodeError(`krpc: ${key} is no string`)
    return decodeCompactNodes(value, ipBytes)
  }
}

/**
 * Nodes of 20 + 4 + 2 (BEP 5) or 20 + 16 + 2 bytes (BEP 32), at most `limit`. Throws DecodeError for a broken length.
 */
export function decodeCompactNodes(bytes: Uint8Array, ipBytes: 4 | 16, limit = MAX_NODES): NodeContact[] {
  const entry = ID_BYTES + ipBytes + 2
  if (bytes.length % entry !== 0) throw new DecodeError(`a compact node list of ${bytes.length} bytes`)
  const contacts: NodeContact[] = []
  for (let at = 0; at < bytes.length && contacts.length < limit; at += entry) {
    const [address] = decodeCompactPeers(bytes.subarray(at + ID_BYTES, at + entry), ipBytes, 1)
    // IPv4 inside IPv6 belongs to the other network.
    if (address === undefined || address.ip.includes(':') !== (ipBytes === 16)) continue
    contacts.push({ id: Uint8Array.from(bytes.subarray(at, at + ID_BYTES)), address })
  }
  return contacts
}

/** Compact node info of `contacts`, which are of one family. */
export function encodeCompactNodes(contacts: readonly NodeContact[]): Uint8Array {
  return Buffer.concat(contacts.flatMap(contact => [contact.id, encodeCompactPeer(contact.address)]))
}

/** The `ip` field (BEP 42) as an address, or null when it is none. */
export function decodeSeenAs(bytes: Uint8Array | null): PeerAddress | null {
  if (bytes === null || (bytes.length !== 6 && bytes.length !== 18)) return null
  return decodeCompactPeers(bytes, bytes.length === 6 ? 4 : 16, 1)[0] ?? null
}

/** An encoded value that goes into a dictionary as it is. */
export class RawBencode {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** What a field can be written from; null leaves it out. */
export type KrpcFieldInput = BencodeInput | RawBencode | null

/** A bencoded dictionary of these fields, its keys in order. */
export function encodeFields(fields: { readonly [key: string]: KrpcFieldInput }): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('d')]
  for (const [key, value] of Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === null) continue
    parts.push(encodeBencode(key), value instanceof RawBencode ? value.bytes : encodeBencode(value))
  }
  parts.push(Buffer.from('e'))
  return Buffer.concat(parts)
}

/** The `want` list of a query; null leaves it out. */
export function wantField(want: WantedLists | null): string[] | null {
  if (want === null) return null
  return [...(want.n4 ? ['n4'] : []), ...(want.n6 ? ['n6'] : [])]
}
