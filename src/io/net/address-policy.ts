// Which addresses this node may be sent to by strangers: the tables of special addresses and the owner's exceptions.
// Judges addresses only, never names. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is private at best, so that no
// spelling of a private address passes as a public one.

import { AppError } from '../../base/errors.ts'
import type { AddressClass } from '../../ports/name-resolver.ts'
import { parseIp } from '../../wire/net/compact-address.ts'

interface Network {
  readonly bytes: Uint8Array
  readonly bits: number
}

/** Most entries of network.allow_private. */
const MAX_ALLOWED = 256

/** Reads `address/bits` or a lone address. Throws AppError InvalidSetting. */
function parseNetwork(text: string): Network {
  const [address = '', suffix, ...rest] = text.trim().split('/')
  const bytes = parseIp(address)
  const bits = suffix === undefined ? (bytes?.length ?? 0) * 8 : /^\d{1,3}$/.test(suffix) ? Number(suffix) : -1
  if (bytes === null || rest.length > 0 || bits < 0 || bits > bytes.length * 8) {
    throw new AppError('InvalidSetting', `'${text.slice(0, 60)}' is not a network such as 192.168.0.0/16.`)
  }
  return { bytes, bits }
}

function contains(network: Network, bytes: Uint8Array): boolean {
  if (network.bytes.length !== bytes.length) return false
  const whole = network.bits >> 3
  for (let i = 0; i < whole; i++) if (network.bytes[i] !== bytes[i]) return false
  const rest = network.bits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return ((network.bytes[whole] ?? 0) & mask) === ((bytes[whole] ?? 0) & mask)
}

const table = (...texts: string[]): Network[] => texts.map(parseNetwork)

/** Loopback and local networks (IANA special-purpose registries; RFC 1918, 3927, 4193, 4291, 6598). */
const PRIVATE = table(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Not in the registries: the channel between an Azure machine and its host.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
)

/** No node should connect there: unspecified, protocol assignments, documentation, benchmarks, multicast, reserved. */
const REFUSED = table(
  '0.0.0.0/8',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  '5f00::/16',
  'ff00::/8',
)

/** IPv6 networks that carry an IPv4 address, and where in the 16 bytes it lies. */
const EMBEDDING: readonly { network: Network; at: number; inverted: boolean }[] = [
  { network: parseNetwork('::ffff:0:0/96'), at: 12, inverted: false },
  { network: parseNetwork('::ffff:0:0:0/96'), at: 12, inverted: false },
  { network: parseNetwork('::/96'), at: 12, inverted: false },
  { network: parseNetwork('64:ff9b::/96'), at: 12, inverted: false },
  { network: parseNetwork('2002::/16'), at: 2, inverted: false },
  { network: parseNetwork('2001::/32'), at: 12, inverted: true },
]

function embedded(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length !== 16) return null
  const found = EMBEDDING.find(entry => contains(entry.network, bytes))
  if (found === undefined) return null
  return bytes.slice(found.at, found.at + 4).map(byte => (found.inverted ? byte ^ 0xff : byte))
}

/** The class of the address itself, whatever it carries inside. */
function judge(bytes: Uint8Array): AddressClass {
  if (REFUSED.some(network => contains(network, bytes))) return 'refused'
  return PRIVATE.some(network => contains(network, bytes)) ? 'private' : 'public'
}

/** The tables plus `network.allow_private`. */
export class AddressPolicy {
  #allowed: readonly Network[] = []

  /** `allowPrivate`: networks in CIDR notation. Throws AppError InvalidSetting. */
  constructor(allowPrivate: readonly string[] = []) {
    this.setAllowed(allowPrivate)
  }

  /** Replaces the owner's exceptions; on an error the old ones stay. Throws AppError InvalidSetting. */
  setAllowed(allowPrivate: readonly string[]): void {
    if (allowPrivate.length > MAX_ALLOWED) throw new AppError('InvalidSetting', 'Too many networks are allowed.')
    this.#allowed = allowPrivate.map(parseNetwork)
  }

  /** The class of a literal address; what is no literal address is refused. Allowed private addresses are public. */
  classify(ip: string): AddressClass {
    const zone = ip.indexOf('%')
    const bytes = parseIp(zone < 0 ? ip : ip.slice(0, zone))
    return bytes === null ? 'refused' : this.#classify(bytes)
  }

  #classify(bytes: Uint8Array): AddressClass {
    const own = judge(bytes)
    if (own === 'refused') return 'refused'
    const inside = own === 'public' ? embedded(bytes) : null
    if (inside === null) return own === 'private' && this.#allows(bytes) ? 'public' : own
    // IPv4 spelt in IPv6 is how one gets past a check: private, unless the owner allows this spelling (a NAT64 network
    // does) or the address inside, and never better than the address inside.
    const insideClass = this.#classify(inside)
    if (insideClass !== 'public') return insideClass
    return this.#allows(bytes) || this.#allows(inside) ? 'public' : 'private'
  }

  #allows(bytes: Uint8Array): boolean {
    return this.#allowed.some(network => contains(network, bytes))
  }
}
