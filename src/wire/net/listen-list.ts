// The text of the setting libtorrent.interface: addresses and devices, each with or without a port of its own,
// separated by commas: `tun0`, `192.0.2.7,[2001:db8::7]:6881`, `eth0:6881,eth1:6882`. Empty = everywhere. The form
// libtorrent uses for its listen_interfaces, with the port optional.

import { DecodeError } from '../../base/errors.ts'
import { canonicalIp } from './compact-address.ts'

/** One entry: a canonical address or the name of a device; `port` null = the common port. */
export interface ListenEntry {
  readonly kind: 'address' | 'device'
  readonly name: string
  readonly port: number | null
}

/** Most entries of one list. */
export const MAX_LISTEN_ENTRIES = 16
/** Longest text of a list. */
export const MAX_LISTEN_LIST_CHARS = 1024
/** What Linux takes as the name of a device, without the signs that mean something here; 15 characters at most. */
const DEVICE = /^[A-Za-z0-9_.@-]{1,15}$/
const ENTRY = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/

function decodeEntry(text: string): ListenEntry {
  // An IPv6 address without brackets has no port.
  const bare = canonicalIp(text)
  if (bare !== null) return { kind: 'address', name: bare, port: null }
  const match = ENTRY.exec(text)
  const [, bracketed, plain = '', digits] = match ?? []
  const port = digits === undefined ? null : Number(digits)
  const ip = canonicalIp(bracketed ?? plain)
  const isDevice = ip === null && bracketed === undefined && DEVICE.test(plain) && /[A-Za-z]/.test(plain)
  if (match === null || (port !== null && (port < 1 || port > 65_535)) || (ip === null && !isDevice)) {
    throw new DecodeError(`'${text.slice(0, 60)}' is no address or device, with or without a port`)
  }
  return ip === null ? { kind: 'device', name: plain, port } : { kind: 'address', name: ip, port }
}

/** The entries of a list, equal ones once; empty for the empty text. Throws DecodeError. */
export function decodeListenList(text: string): ListenEntry[] {
  if (text.trim() === '') return []
  if (text.length > MAX_LISTEN_LIST_CHARS) throw new DecodeError('the list of addresses is too long')
  const entries = new Map<string, ListenEntry>()
  for (const part of text.split(',')) {
    const entry = decodeEntry(part.trim())
    entries.set(encodeListenList([entry]), entry)
  }
  if (entries.size > MAX_LISTEN_ENTRIES) throw new DecodeError(`more than ${MAX_LISTEN_ENTRIES} addresses or devices`)
  return [...entries.values()]
}

/** The text of a list in its canonical form. */
export function encodeListenList(entries: readonly ListenEntry[]): string {
  return entries
    .map(({ name, port }) => {
      if (port === null) return name
      return name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`
    })
    .join(',')
}
