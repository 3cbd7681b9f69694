// Which addresses this node reaches for strangers, as an exit: public ones, but neither its own, behind which services
// listen that a firewall hides from everybody else, nor those where clouds give machines their secrets.

import { networkInterfaces } from 'node:os'
import { AddressPolicy } from '../../../io/net/address-policy.ts'
import { parseIp } from '../../../wire/net/compact-address.ts'

/**
 * Metadata and host channels of clouds: link-local (AWS, Google, Azure and others), Azure's host, Alibaba, AWS by IPv6.
 */
const METADATA = new Set(
  ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'].map(canonical),
)
/** How long addresses of interfaces are taken as they were. */
const LOOK_AGAIN_MS = 5_000

/** Every spelling of an address as one text; the text itself where it is none. */
function canonical(ip: string): string {
  const zone = ip.indexOf('%')
  const bytes = parseIp(zone < 0 ? ip : ip.slice(0, zone))
  return bytes === null ? ip : Buffer.from(bytes).toString('hex')
}

/** What it needs to know. */
export interface ExitAddressesDeps {
  /** tunnel_community.exit_allow_private: private and loopback addresses too, own ones among them. */
  readonly allowPrivate: boolean
  nowMs(): number
  /** Under which addresses others see this node. */
  seenAs(): readonly string[]
  /** Addresses of the machine's interfaces. */
  interfaces?(): readonly string[]
}

/**
 * Judges literal addresses only; the owner's exceptions for downloads of this node (network.allow_private) are not for
 * strangers.
 */
export class ExitAddresses {
  readonly #deps: ExitAddressesDeps
  readonly #policy = new AddressPolicy()
  #own = new Set<string>()
  #lookedMs = -Infinity

  constructor(deps: ExitAddressesDeps) {
    this.#deps = deps
  }

  /** Whether strangers may have this node reach `ip`. */
  mayReach(ip: string): boolean {
    const text = canonical(ip)
    if (METADATA.has(text)) return false
    const kind = this.#policy.classify(ip)
    if (this.#deps.allowPrivate && kind === 'private') return true
    return kind === 'public' && !this.#ownAddresses().has(text)
  }

  #ownAddresses(): ReadonlySet<string> {
    const { nowMs, seenAs, interfaces = machineAddresses } = this.#deps
    const now = nowMs()
    if (now - this.#lookedMs >= LOOK_AGAIN_MS) {
      this.#lookedMs = now
      this.#own = new Set([...seenAs(), ...interfaces()].map(canonical))
    }
    return this.#own
  }
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
}
