// From where a client comes, as far as one user has all of it: an IPv4 address, or the network of 64 bits that an IPv6
// address is in.

const IPV4_BYTES = 4
const IPV6_BYTES = 16
const NETWORK_BYTES = 8

/** The address as the native server gives it, 4 or 16 bytes, as text; '' for a client that is gone. */
export function clientNetwork(address: Uint8Array): string {
  if (address.length === IPV4_BYTES) return address.join('.')
  if (address.length !== IPV6_BYTES) return ''
  const isMapped = address[10] === 0xff && address[11] === 0xff && address.subarray(0, 10).every(byte => byte === 0)
  if (isMapped) return address.subarray(IPV6_BYTES - IPV4_BYTES).join('.')
  const words: string[] = []
  for (let at = 0; at < NETWORK_BYTES; at += 2)
    words.push((((address[at] ?? 0) << 8) | (address[at + 1] ?? 0)).toString(16))
  return `${words.join(':')}::/64`
}
