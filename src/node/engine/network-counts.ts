// The counters of a running engine (ports/network-counts.ts), read from its parts at a request.

import { networkInterfaces } from 'node:os'
import type { PeerAddress } from '../../base/ids.ts'
import type { DhtNode } from '../../dht/node.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatagramCounts, NetworkCounts, OverlayCounts } from '../../ports/network-counts.ts'
import type { NetworkFacts } from '../../ports/network-facts.ts'

/** Where the figures come from. */
export interface EngineCountsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly facts: NetworkFacts
  readonly dht: Pick<DhtNode, 'stats'> | null
  datagrams(): DatagramCounts
  /** When the UDP port was bound, by the clock; null = there is none. */
  boundAtMs(): number | null
  /** The port for peers; the same number for TCP and UDP. */
  listenPort(): number
  /** Addresses of the machine; tests replace them. */
  readonly ownAddresses?: () => readonly string[]
}

/** See NetworkCounts. */
export class EngineCounts implements NetworkCounts {
  readonly #deps: EngineCountsDeps

  constructor(deps: EngineCountsDeps) {
    this.#deps = deps
  }

  datagrams(): DatagramCounts {
    return this.#deps.datagrams()
  }

  runtimeSec(): number {
    const bound = this.#deps.boundAtMs()
    return bound === null ? 0 : Math.round(this.#deps.clock.now() - bound) / 1000
  }

  overlays(): OverlayCounts[] {
    const stats = this.#deps.dht?.stats()
    return ([4, 6] as const).flatMap(family => {
      const one = stats?.[family] ?? null
      if (one === null) return []
      return {
        name: `mainline_dht${family}`,
        member: one.id,
        candidates: one.nodes,
        packetsSent: one.sent.datagrams,
        packetsReceived: one.received.datagrams,
      }
    })
  }

  lanAddress(): PeerAddress | null {
    const ip = first(this.#deps.facts.boundTo() ?? this.#own())
    return ip === null ? null : { ip, port: this.#deps.listenPort() }
  }

  wanAddress(): PeerAddress | null {
    const { facts, listenPort } = this.#deps
    const mapped = facts.mappings().find(({ internalPort }) => internalPort === listenPort())
    const port = mapped?.externalPort ?? listenPort()
    const ip = facts.externalIp(4) ?? facts.externalIp(6)
    return ip === null ? null : { ip, port }
  }

  isPublic(): boolean {
    const ip = this.wanAddress()?.ip
    return ip !== undefined && this.#own().includes(ip)
  }

  #own(): readonly string[] {
    return (this.#deps.ownAddresses ?? machineAddresses)()
  }
}

/** The first IPv4 address, else the first one. */
function first(addresses: readonly string[]): string | null {
  return addresses.find(ip => !ip.includes(':')) ?? addresses[0] ?? null
}

function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return all.filter(({ internal }) => !internal).map(({ address }) => address)
}
