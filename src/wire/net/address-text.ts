// Peer addresses as people and links write them: `1.2.3.4:6881` and `[2001:db8::1]:6881`. Host names are not addresses.

import type { PeerAddress } from '../../base/ids.ts'

const IPV4_PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${IPV4_PART}(?:\\.${IPV4_PART}){3}$`)

/** Longest text of an address with its port; longer ones are not looked at. */
const MAX_CHARS = 60

/** The address that `text` spells, IPv6 in its shortest spelling, or null. */
export function parsePeerAddress(text: string): PeerAddress | null {
  if (text.length > MAX_CHARS) return null
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+)):(\d{1,5})$/.exec(text)
  if (match === null) return null
  const port = Number(match[3])
  if (port < 1 || port > 65535) return null
  const ip = match[1] !== undefined ? canonicalIpv6(match[1]) : IPV4.test(match[2] ?? '') ? (match[2] ?? null) : null
  return ip === null ? null : { ip, port }
}

/** The shortest spelling of an IPv6 address (RFC 5952), or null when `text` is none. */
function canonicalIpv6(text: string): string | null {
  const url = `http://[${text}]/`
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null
}
