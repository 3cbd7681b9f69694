// Addresses that a node without known peers asks first (protocol section 4.4): servers of the network, or those of the
// settings. It is no failure when none can be reached: peers that find us become known all the same. Names are looked
// up when they are needed.

import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { NameResolver } from '../../../ports/name-resolver.ts'
import { parseIp } from '../../../wire/net/compact-address.ts'

/** Servers are asked at most once in this time and overlay (section 12). */
const BOOTSTRAP_EVERY_MS = 30_000
/** Addresses to ask first, from settings. */
const MAX_BOOTSTRAP_ADDRESSES = 64
/** Names among them are looked up again after this. */
const NAMES_LOOKED_UP_MS = 600_000

/** A place to ask at: name or literal IPv4 address. */
export interface BootstrapAddress {
  readonly host: string
  readonly port: number
}

function server(host: string, ...ports: readonly number[]): BootstrapAddress[] {
  return ports.map(port => ({ host, port }))
}

/** The servers of the network. */
export const networkServers: readonly BootstrapAddress[] = [
  ...server('130.161.119.206', 6421, 6422),
  ...server('131.180.27.155', 6423),
  ...server('131.180.27.156', 6424),
  ...server('131.180.27.161', 6427, 6521, 6522),
  ...server('131.180.27.162', 6523, 6524),
  ...server('130.161.119.215', 6525, 6526),
  ...server('130.161.119.201', 6527, 6528),
  ...server('dispersy1.tribler.org', 6421),
  ...server('dispersy2.tribler.org', 6422),
  ...server('dispersy3.tribler.org', 6423),
  ...server('dispersy4.tribler.org', 6424),
  ...server('dispersy1.st.tudelft.nl', 6421),
  ...server('dispersy2.st.tudelft.nl', 6422),
  ...server('dispersy3.st.tudelft.nl', 6423),
]

/** What it needs. */
export interface BootstrapDeps {
  readonly clock: Clock
  readonly resolver: NameResolver
}

/** The addresses, shared by all overlays. */
export class Bootstrap {
  readonly #deps: BootstrapDeps
  readonly #places: readonly BootstrapAddress[]
  /** True: these are servers, which are never peers. Addresses of the settings may be nodes like us. */
  readonly #servers: boolean
  readonly #literal: readonly PeerAddress[]
  #named: readonly PeerAddress[] = []
  #keys = new Set<string>()
  #lookedUpMs: number | null = null
  #stopped = false
  readonly #askedMs = new Map<string, number>()

  /** `places`: null = the servers of the network. */
  constructor(places: readonly BootstrapAddress[] | null, deps: BootstrapDeps) {
    this.#deps = deps
    this.#servers = places === null
    this.#places = (places ?? networkServers).slice(0, MAX_BOOTSTRAP_ADDRESSES)
    this.#literal = this.#places.filter(isLiteral).map(({ host, port }) => ({ ip: host, port }))
    this.#note()
  }

  /** True for addresses that are never peers. */
  isServer(address: PeerAddress): boolean {
    return this.#servers && this.#keys.has(addressKey(address))
  }

  /** The addresses that are known by now. */
  addresses(): readonly PeerAddress[] {
    return [...this.#literal, ...this.#named]
  }

  /** Calls `ask` for each address, now and when names are found, unless that overlay did within half a minute. */
  ask(overlay: string, ask: (address: PeerAddress) => void): void {
    const nowMs = this.#deps.clock.now()
    const beforeMs = this.#askedMs.get(overlay)
    if (this.#stopped || (beforeMs !== undefined && nowMs - beforeMs < BOOTSTRAP_EVERY_MS)) return
    this.#askedMs.set(overlay, nowMs)
    for (const address of this.addresses()) ask(address)
    void this.#lookUp().then(found => {
      for (const address of found) if (!this.#stopped) ask(address)
    })
  }

  /** An overlay has ended. */
  forget(overlay: string): void {
    this.#askedMs.delete(overlay)
  }

  /** Sends no more questions. */
  stop(): void {
    this.#stopped = true
  }

  /** Addresses of names that were not known before; looked up again after a while. */
  async #lookUp(): Promise<readonly PeerAddress[]> {
    const nowMs = this.#deps.clock.now()
    if (this.#lookedUpMs !== null && nowMs - this.#lookedUpMs < NAMES_LOOKED_UP_MS) return []
    this.#lookedUpMs = nowMs
    const names = this.#places.filter(place => !isLiteral(place))
    const found = (await Promise.all(names.map(place => this.#resolve(place)))).flat()
    const fresh = found.filter(address => !this.#keys.has(addressKey(address)))
    if (found.length > 0) this.#named = found
    this.#note()
    return fresh
  }

  async #resolve({ host, port }: BootstrapAddress): Promise<PeerAddress[]> {
    const found = await this.#deps.resolver.resolve(host).catch(() => [])
    const first = found.find(address => address.family === 4 && address.class !== 'refused')
    return first === undefined ? [] : [{ ip: first.ip, port }]
  }

  #note(): void {
    this.#keys = new Set(this.addresses().map(addressKey))
  }
}

function isLiteral({ host }: BootstrapAddress): boolean {
  return parseIp(host)?.length === 4
}
