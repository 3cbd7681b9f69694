// Addresses of the overlay protocol (IPv8, section 1) in their three forms: ipv4 (6 bytes), ip (a type byte before),
// and addr, which may also be a host name. Pure. Texts are canonical, so that a mapped IPv4 address is the IPv4 address
// that it means and no filter of addresses can be passed by its spelling.

import { DecodeError } from '../../../base/errors.ts'
import { formatIp, parseIp } from '../../../wire/net/compact-address.ts'
import type { OverlayReader } from './reader.ts'
import type { OverlayWriter } from './writer.ts'

/**
 * A literal IPv4 or IPv6 address, canonical; unlike a PeerAddress it may be nowhere (NO_ADDRESS) or unreachable, and
 * port 0.
 */
export interface OverlayAddress {
  readonly ip: string
  readonly port: number
}

/** A host name that the reader has to look up: 1 to 255 printable ASCII characters. It may spell a literal address. */
export interface NamedAddress {
  readonly host: string
  readonly port: number
}

/** An address or a name; `'host' in it` tells them apart. */
export type AnyAddress = OverlayAddress | NamedAddress

/** The value for "no address". */
export const NO_ADDRESS: OverlayAddress = { ip: '0.0.0.0', port: 0 }

/** Types of ip and addr. Not those of SOCKS5. */
const TYPE = { ipv4: 1, name: 2, ipv6: 3 } as const
const MOST_NAME_BYTES = 255

/** True for the address that says "none". */
export function isNoAddress(address: AnyAddress): boolean {
  return !('host' in address) && address.port === 0 && address.ip === NO_ADDRESS.ip
}

/** Reads an ipv4. */
export function readIpv4(from: OverlayReader): OverlayAddress {
  return { ip: formatIp(from.take(4)), port: from.u16() }
}

/** Writes an ipv4. Throws RangeError when the address is of the other family. */
export function writeIpv4(to: OverlayWriter, address: OverlayAddress): void {
  const ip = bytesOf(address)
  if (ip.length !== 4) throw new RangeError('an IPv6 address where only IPv4 fits')
  to.put(ip)
  to.u16(address.port)
}

/** Reads an ip. */
export function readIp(from: OverlayReader): OverlayAddress {
  return readTyped(from, from.u8())
}

/** Writes an ip. */
export function writeIp(to: OverlayWriter, address: OverlayAddress): void {
  const ip = bytesOf(address)
  to.u8(ip.length === 4 ? TYPE.ipv4 : TYPE.ipv6)
  to.put(ip)
  to.u16(address.port)
}

/** Reads an addr. */
export function readAddr(from: OverlayReader): AnyAddress {
  const type = from.u8()
  if (type !== TYPE.name) return readTyped(from, type)
  const name = from.v16(MOST_NAME_BYTES)
  if (name.length === 0 || name.some(byte => byte <= 0x20 || byte >= 0x7f)) throw new DecodeError('not a host name')
  return { host: Buffer.from(name).toString('latin1'), port: from.u16() }
}

/** Writes an addr. Throws RangeError for a name that readAddr would refuse. */
export function writeAddr(to: OverlayWriter, address: AnyAddress): void {
  if (!('host' in address)) return writeIp(to, address)
  if (!/^[\x21-\x7e]{1,255}$/.test(address.host)) throw new RangeError('not a host name')
  to.u8(TYPE.name)
  to.v16(Buffer.from(address.host, 'latin1'))
  to.u16(address.port)
}

/** Passes over an addr without making text of it. */
export function skipAddr(from: OverlayReader): void {
  const type = from.u8()
  if (type === TYPE.name) from.v16(MOST_NAME_BYTES)
  else from.take(widthOf(type))
  from.take(2)
}

function widthOf(type: number): number {
  if (type === TYPE.ipv4) return 4
  if (type === TYPE.ipv6) return 16
  throw new DecodeError(`no address is of type ${type}`)
}

function readTyped(from: OverlayReader, type: number): OverlayAddress {
  return { ip: formatIp(from.take(widthOf(type))), port: from.u16() }
}

function bytesOf(address: OverlayAddress): Uint8Array {
  const ip = parseIp(address.ip)
  if (ip === null) throw new RangeError('not a literal address')
  return ip
}
