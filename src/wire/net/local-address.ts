// Which addresses and names belong to a local network or to this machine: no host outside can reach them, and none
// should be able to send us to them. Judges the address only; what the owner allows besides is the address policy's
// business.

import { isMappedIpv4, parseIp } from './compact-address.ts'

/** 10/8, 100.64/10, 127/8, 169.254/16, 172.16/12, 192.168/16 (RFC 1918, 3927, 6598). */
function isLocalIpv4(first: number, second: number): boolean {
  if (first === 10 || first === 127) return true
  if (first === 100) return (second & 0xc0) === 64
  if (first === 169) return second === 254
  if (first === 172) return (second & 0xf0) === 16
  return first === 192 && second === 168
}

/** ::1, fc00::/7, fe80::/10 and the old fec0::/10 (RFC 4193, 4291). */
function isLocalIpv6(bytes: Uint8Array): boolean {
  const first = bytes[0] ?? 0
  if ((first & 0xfe) === 0xfc) return true
  if (first === 0xfe) return ((bytes[1] ?? 0) & 0x80) !== 0
  return bytes[15] === 1 && bytes.subarray(0, 15).every(byte => byte === 0)
}

/** True for an address of a local network or of this machine; `ip` is a literal, anything else is not local. */
export function isLocalIp(ip: string): boolean {
  const parsed = parseIp(ip)
  if (parsed === null) return false
  const bytes = isMappedIpv4(parsed) ? parsed.subarray(12) : parsed
  return bytes.length === 4 ? isLocalIpv4(bytes[0] ?? 0, bytes[1] ?? 0) : isLocalIpv6(bytes)
}

/**
 * Names that never mean a host elsewhere (RFC 6761, 6762, 8375, 9476 and those without a dot): not for a proxy to
 * resolve.
 */
export function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa|lan)$/.test(name)
}
