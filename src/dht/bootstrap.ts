// The first contacts of one family: names and addresses of the settings become addresses, each is asked for nodes near
// us, and what they name is handed on. Tries again with growing pauses while the table is nearly empty. Nodes given by
// name are public routers: they are asked, but take no place in the routing table (BEP 5).

import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import { canonicalIp } from '../wire/net/compact-address.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import type { Rpc } from './rpc.ts'
import type { BootstrapEntry, Family } from './types.ts'

/** Most entries of the settings that are used, and most addresses of one name. */
const MAX_ENTRIES = 32
const MAX_ADDRESSES = 4
/** Pause after the first try; doubles up to the longest. */
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 10 * 60_000
/** While the table is well filled it is looked at this often. */
const WATCH_MS = 30_000

/** What bootstrapping works with. */
export interface BootstrapDeps {
  readonly family: Family
  readonly entries: readonly BootstrapEntry[]
  readonly clock: Clock
  readonly resolver: NameResolver
  readonly rpc: Rpc
  ownId(): Uint8Array
  /** True while more nodes are needed. */
  needed(): boolean
  /** Nodes that were named, of both families. */
  onNodes(nodes: readonly NodeContact[]): void
}

/** Asks the first contacts. */
export class Bootstrap {
  readonly #deps: BootstrapDeps
  readonly #routers = new Set<string>()
  #timer: Timer | null = null
  #pauseMs = FIRST_PAUSE_MS
  #stopped = false

  constructor(deps: BootstrapDeps) {
    this.#deps = deps
  }

  /** True for the address of a router. */
  isRouter(address: PeerAddress): boolean {
    return this.#routers.size > 0 && this.#routers.has(addressKey(address))
  }

  /** Tries after `delayMs` when nodes are needed then, and goes on watching. */
  start(delayMs: number): void {
    this.#timer = this.#deps.clock.after(delayMs, () => {
      const needed = this.#deps.needed()
      if (needed) this.#try()
      const pauseMs = needed ? this.#pauseMs : WATCH_MS
      this.#pauseMs = needed ? Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2) : FIRST_PAUSE_MS
      this.start(pauseMs)
    })
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #try(): void {
    for (const entry of this.#deps.entries.slice(0, MAX_ENTRIES)) {
      const ip = canonicalIp(entry.host)
      if (ip !== null) this.#ask({ ip, port: entry.port })
      else void this.#resolve(entry)
    }
  }

  async #resolve(entry: BootstrapEntry): Promise<void> {
    const found = await this.#deps.resolver.resolve(entry.host).catch(() => [])
    if (this.#stopped) return
    const usable = found.filter(address => address.family === this.#deps.family && address.class !== 'refused')
    for (const { ip } of usable.slice(0, MAX_ADDRESSES)) {
      const address = { ip, port: entry.port }
      if (this.#routers.size < MAX_ENTRIES * MAX_ADDRESSES) this.#routers.add(addressKey(address))
      this.#ask(address)
    }
  }

  #ask(to: PeerAddress): void {
    if (to.ip.includes(':') !== (this.#deps.family === 6)) return
    const query = { method: 'find_node', target: this.#deps.ownId(), want: { n4: true, n6: true } } as const
    this.#deps.rpc.ask(to, query, {
      reply: reply => this.#deps.onNodes([...(reply.nodes ?? []), ...(reply.nodes6 ?? [])]),
      failed: () => undefined,
    })
  }
}
