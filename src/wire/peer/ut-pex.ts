// The message of peer exchange (ut_pex, BEP 11): peers its sender got connected to, and lost, since the message before.
// Only the spelling: how often and how much may come is torrent/peer-exchange.ts. Addresses that cannot be reached are
// left out.

import { DecodeError } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'
import { type BencodeDict, decodeBencodePrefix, encodeBencode, getBytes } from '../bencode.ts'
import { encodeCompactPeer, formatIp, isPeerIp } from '../net/compact-address.ts'

/** The name of the extension in `m` of the extended handshake. */
export const UT_PEX = 'ut_pex'

/** Most contacts a message adds, and most it drops, of both address families together (BEP 11). */
export const MAX_PEX_CONTACTS = 50

/**
 * Most that are read of either: the first message may be longer, and libtorrent writes up to 100. The rest is not
 * looked at.
 */
export const MAX_PEX_READ = 100

/** What a message says of a contact; a flag that is not set says nothing. */
export interface PexFlags {
  /** Prefers encryption. */
  readonly encryption: boolean
  /** Has everything, or wants nothing. */
  readonly seed: boolean
  readonly utp: boolean
  /** Offers ut_holepunch (BEP 55). */
  readonly holepunch: boolean
  /** The sender connected to it, so it can be connected to. */
  readonly reachable: boolean
}

/** A peer the sender is connected to. */
export interface PexContact {
  readonly address: PeerAddress
  readonly flags: PexFlags
}

/** One message. No address is twice in a list. */
export interface PexMessage {
  readonly added: readonly PexContact[]
  readonly dropped: readonly PeerAddress[]
}

/** Bits of `added.f` by flag. */
const BITS: Record<keyof PexFlags, number> = {
  encryption: 0x01,
  seed: 0x02,
  utp: 0x04,
  holepunch: 0x08,
  reachable: 0x10,
}

/**
 * The payload of a message. Throws RangeError beyond MAX_PEX_READ contacts of a kind, or for what is no literal
 * address.
 */
export function encodePex(message: PexMessage): Uint8Array {
  const { added, dropped } = message
  if (added.length > MAX_PEX_READ || dropped.length > MAX_PEX_READ) throw new RangeError('too many contacts')
  const four = added.filter(contact => !isIpv6(contact.address))
  const six = added.filter(contact => isIpv6(contact.address))
  const droppedSix = dropped.filter(isIpv6)
  return encodeBencode({
    added: compact(four.map(contact => contact.address)),
    // Always beside the addresses: libtorrent passes over contacts without flags.
    'added.f': flagBytes(four),
    added6: six.length === 0 ? undefined : compact(six.map(contact => contact.address)),
    'added6.f': six.length === 0 ? undefined : flagBytes(six),
    dropped: compact(dropped.filter(address => !isIpv6(address))),
    dropped6: droppedSix.length === 0 ? undefined : compact(droppedSix),
  })
}

/**
 * Reads the payload of a message; nothing in the result is a view. Throws DecodeError when it is no dictionary, or a
 * list has a length that no list of addresses has.
 */
export function decodePex(payload: Uint8Array): PexMessage {
  const dict = decodeBencodePrefix(payload).value
  if (!(dict instanceof Map)) throw new DecodeError('the peer exchange message is not a dictionary')
  const added = new Map<string, PexContact>()
  readContacts(dict, 'added', 4, added)
  readContacts(dict, 'added6', 16, added)
  const dropped = new Map<string, PexContact>()
  readContacts(dict, 'dropped', 4, dropped)
  readContacts(dict, 'dropped6', 16, dropped)
  return { added: [...added.values()], dropped: [...dropped.values()].map(contact => contact.address) }
}

/** Adds the contacts of the list at `key`, with the flags at `key`.f, to those of the other family. */
function readContacts(dict: BencodeDict, key: string, ipBytes: 4 | 16, into: Map<string, PexContact>): void {
  const list = getBytes(dict, key)
  if (list === null) return
  const entryBytes = ipBytes + 2
  if (list.length % entryBytes !== 0) throw new DecodeError(`a peer exchange list of ${list.length} bytes`)
  const flags = getBytes(dict, `${key}.f`)
  for (let at = 0; at < list.length && into.size < MAX_PEX_READ; at += entryBytes) {
    const address = readAddress(list.subarray(at, at + entryBytes), ipBytes)
    if (address === null || into.has(addressKey(address))) continue
    into.set(addressKey(address), { address, flags: readFlags(flags?.[at / entryBytes] ?? 0) })
  }
}

function readAddress(entry: Uint8Array, ipBytes: 4 | 16): PeerAddress | null {
  const ip = entry.subarray(0, ipBytes)
  const port = ((entry[ipBytes] ?? 0) << 8) | (entry[ipBytes + 1] ?? 0)
  return port === 0 || !isPeerIp(ip) ? null : { ip: formatIp(ip), port }
}

function readFlags(bits: number): PexFlags {
  return {
    encryption: (bits & BITS.encryption) !== 0,
    seed: (bits & BITS.seed) !== 0,
    utp: (bits & BITS.utp) !== 0,
    holepunch: (bits & BITS.holepunch) !== 0,
    reachable: (bits & BITS.reachable) !== 0,
  }
}

function flagByte(flags: PexFlags): number {
  return (
    (flags.encryption ? BITS.encryption : 0) |
    (flags.seed ? BITS.seed : 0) |
    (flags.utp ? BITS.utp : 0) |
    (flags.holepunch ? BITS.holepunch : 0) |
    (flags.reachable ? BITS.reachable : 0)
  )
}

function flagBytes(contacts: readonly PexContact[]): Uint8Array {
  return Uint8Array.from(contacts, contact => flagByte(contact.flags))
}

function compact(addresses: readonly PeerAddress[]): Uint8Array {
  return Buffer.concat(addresses.map(encodeCompactPeer))
}

function isIpv6(address: PeerAddress): boolean {
  return address.ip.includes(':')
}
