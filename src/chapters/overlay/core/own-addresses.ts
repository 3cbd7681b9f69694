// Our own addresses as far as we can guess them: the one in the local network, which the machine knows, and the one
// others see, which most of those who answered us agree on. On loopback both are loopback, since no other address is
// seen there.

import type { PeerAddress } from '../../../base/ids.ts'
import { isLoopbackIp } from '../../../wire/net/compact-address.ts'
import { isLocalIp } from '../../../wire/net/local-address.ts'
import { NO_ADDRESS, type OverlayAddress } from '../wire/address.ts'

/** Newest answers that our own address is guessed from. */
const MAX_ADDRESS_VOTES = 15

const LOOPBACK = '127.0.0.1'

/** Where the guesses come from. */
export interface OwnAddressesDeps {
  /** Where the port is bound; null: it is not. */
  bound(): PeerAddress | null
  /** Literal IPv4 addresses of this machine's devices, those of the local network; loopback is not among them. */
  localIps(): readonly string[]
}

/** The guesses of one port. */
export class OwnAddresses {
  readonly #deps: OwnAddressesDeps
  /** The address each of the newest peers that answered saw us at, by peer. */
  readonly #votes = new Map<string, string>()
  #wan: PeerAddress | null = null

  constructor(deps: OwnAddressesDeps) {
    this.#deps = deps
  }

  /** Our address as seen from outside; null: not known yet. */
  get wan(): PeerAddress | null {
    return this.#wan
  }

  /** The local address to claim towards `to`; NO_ADDRESS when there is none. */
  lanFor(to: PeerAddress): OverlayAddress {
    const bound = this.#deps.bound()
    if (bound === null) return NO_ADDRESS
    if (isLoopbackIp(to.ip)) return { ip: isLoopbackIp(bound.ip) ? bound.ip : LOOPBACK, port: bound.port }
    if (bound.ip !== NO_ADDRESS.ip) return bound
    const ip = this.#deps.localIps()[0]
    return ip === undefined ? NO_ADDRESS : { ip, port: bound.port }
  }

  /** The address from outside to claim towards `to`; NO_ADDRESS when it is not known. */
  wanFor(to: PeerAddress): OverlayAddress {
    return isLoopbackIp(to.ip) ? this.lanFor(to) : (this.#wan ?? NO_ADDRESS)
  }

  /** True for an address of this machine. */
  isOurs(ip: string): boolean {
    return isLoopbackIp(ip) || ip === this.#deps.bound()?.ip || this.#deps.localIps().includes(ip)
  }

  /** True when a packet to this address would come back to us. */
  isOurPort(address: PeerAddress): boolean {
    const bound = this.#deps.bound()
    if (bound !== null && address.port === bound.port && this.isOurs(address.ip)) return true
    return this.#wan !== null && address.port === this.#wan.port && address.ip === this.#wan.ip
  }

  /** `from` sent to us as `destination`. Addresses of local networks tell nothing (section 4.2). */
  vote(from: PeerAddress, destination: OverlayAddress): void {
    if (destination.port === 0 || destination.ip.includes(':') || isLocalIp(destination.ip)) return
    this.#votes.delete(from.ip)
    this.#votes.set(from.ip, `${destination.ip}:${destination.port}`)
    for (const oldest of this.#votes.keys()) {
      if (this.#votes.size <= MAX_ADDRESS_VOTES) break
      this.#votes.delete(oldest)
    }
    this.#count()
  }

  /** The address with most votes; of equals the newest one. */
  #count(): void {
    const counts = new Map<string, number>()
    for (const text of this.#votes.values()) {
      const count = (counts.get(text) ?? 0) + 1
      counts.delete(text)
      counts.set(text, count)
    }
    let best: string | null = null
    for (const [text, count] of counts) if (best === null || count >= (counts.get(best) ?? 0)) best = text
    const [ip = '', port] = best?.split(':') ?? []
    if (best !== null && `${this.#wan?.ip}:${this.#wan?.port}` !== best) this.#wan = { ip, port: Number(port) }
  }
}
