// Whether an address is of this machine or of a network that is not the internet: loopback, private (RFC 1918),
// link-local (RFC 3927, RFC 4291), shared (RFC 6598: carriers, and overlay networks of households) and unique local
// (RFC 4193). Pure.

const IPV4_BYTES = 4
const IPV6_BYTES = 16

/** First bytes of networks, as bits. */
const NEAR_IPV4: readonly (readonly [network: number, bits: number])[] = [
  [0x7f00_0000, 8],
  [0x0a00_0000, 8],
  [0xac10_0000, 12],
  [0xc0a8_0000, 16],
  [0xa9fe_0000, 16],
  [0x6440_0000, 10],
]

/** `address`: 4 or 16 bytes, as the native server gives it. False for a client that is gone. */
export function isNear(address: Uint8Array): boolean {
  if (address.length === IPV4_BYTES) return isNearIpv4(address)
  if (address.length !== IPV6_BYTES) return false
  const isV4 = address[10] === 0xff && address[11] === 0xff && address.subarray(0, 10).every(byte => byte === 0)
  if (isV4) return isNearIpv4(address.subarray(IPV6_BYTES - IPV4_BYTES))
  const [first = 0, second = 0] = address
  if ((first & 0xfe) === 0xfc || (first === 0xfe && (second & 0xc0) === 0x80)) return true
  return address[IPV6_BYTES - 1] === 1 && address.subarray(0, IPV6_BYTES - 1).every(byte => byte === 0)
}

function isNearIpv4([a = 0, b = 0, c = 0, d = 0]: Uint8Array): boolean {
  const value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  return NEAR_IPV4.some(([network, bits]) => value >>> (32 - bits) === network >>> (32 - bits))
}
