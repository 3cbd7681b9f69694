// Maps the port of this node, TCP and UDP, through every gateway there is, and follows when gateways come and go. One
// gateway is route-mapper.ts. The two protocols share the port, as peers expect.

import { errorText } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { GatewayHttp } from '../ports/gateway-http.ts'
import type { GatewayRoute, Gateways } from '../ports/gateway.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { UdpNetwork } from '../ports/udp.ts'
import type { MappingClient } from './mapping-client.ts'
import { NatPmpClient } from './nat-pmp-client.ts'
import { PcpClient } from './pcp-client.ts'
import { type MappingRow, RouteMapper } from './route-mapper.ts'
import { UpnpClient } from './upnp-client.ts'

/** Wanted life of a mapping, s (libtorrent: an hour; RFC 6886 recommends two). */
const LIFETIME_SEC = 3600
/** How often the gateways are looked for. */
const LOOK_MS = 60_000

/** What is mapped and how. */
export interface PortMapperOptions {
  /** Where this node listens at an address of the machine, TCP and UDP. */
  portAt(localIp: string): number
  /** What gateways list the mapping as. */
  readonly description: string
  readonly lifetimeSec?: number
  /** Which protocols are spoken; absent = yes. */
  readonly upnp?: boolean
  /** NAT-PMP and its successor PCP. */
  readonly natpmp?: boolean
}

/** What a mapper works with. */
export interface PortMapperDeps {
  readonly gateways: Gateways
  readonly udp: UdpNetwork
  readonly http: GatewayHttp
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Called with all mappings whenever one comes, goes or changes; must not throw. */
  changed(rows: readonly MappingRow[]): void
  /** Protocols for a gateway, in the order they are tried; default: those the family has. */
  readonly clientsFor?: (route: GatewayRoute) => readonly MappingClient[]
}

/** Port mapping of one node. */
export class PortMapper {
  readonly #options: PortMapperOptions
  readonly #deps: PortMapperDeps
  readonly #mappers = new Map<string, RouteMapper>()
  /** Those of gateways that are gone, until their clients are closed. */
  readonly #leaving = new Set<Promise<void>>()
  #timer: Timer | null = null
  #looking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: PortMapperOptions, deps: PortMapperDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Begins; results come through `changed`. */
  start(): void {
    if (this.#timer !== null || this.#stopped) return
    this.#timer = this.#deps.clock.every(LOOK_MS, () => this.#look())
    this.#look()
  }

  /** Addresses of this machine have changed: looks at once. */
  lookAgain(): void {
    if (this.#timer !== null) this.#look()
  }

  /** All mappings that are in force. */
  rows(): MappingRow[] {
    return [...this.#mappers.values()].flatMap(mapper => mapper.rows())
  }

  /** Why gateways map nothing, by gateway. */
  problems(): { readonly gateway: string; readonly problem: string }[] {
    return [...this.#mappers.values()]
      .map(({ route, problem }) => ({ gateway: route.ip, problem }))
      .filter(({ problem }) => problem !== '')
  }

  /** Takes all mappings away; gives up what takes longer than `deadlineMs`. Idempotent. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#timer = null
    await this.#looking
    const mappers = [...this.#mappers.values()]
    this.#mappers.clear()
    await Promise.all([...mappers.map(mapper => mapper.stop(deadlineMs)), ...this.#leaving])
  }

  #look(): void {
    this.#looking = this.#looking.then(() => this.#follow()).catch((error: unknown) => this.#defect(error))
  }

  /** Begins with gateways that are new, leaves those that are gone. */
  async #follow(): Promise<void> {
    if (this.#stopped) return
    const routes = new Map((await this.#deps.gateways.routes()).map(route => [keyOf(route), route]))
    if (this.#stopped) return
    for (const [key, mapper] of this.#mappers) if (!routes.has(key)) this.#leave(key, mapper)
    for (const [key, route] of routes) if (!this.#mappers.has(key)) this.#begin(key, route)
  }

  #begin(key: string, route: GatewayRoute): void {
    const { clock, log } = this.#deps
    const { lifetimeSec = LIFETIME_SEC } = this.#options
    const port = this.#options.portAt(route.localIp)
    const clients = this.#deps.clientsFor?.(route) ?? this.#clientsFor(route)
    const changed = (): void => this.#deps.changed(this.rows())
    const defect = (error: unknown): void => this.#defect(error)
    const mapper = new RouteMapper(route, clients, { port, lifetimeSec }, { clock, log, changed, defect })
    this.#mappers.set(key, mapper)
    mapper.start()
  }

  #leave(key: string, mapper: RouteMapper): void {
    this.#mappers.delete(key)
    // The gateway has gone: no unmapping can reach it.
    const gone: Promise<void> = mapper
      .stop(0)
      .catch((error: unknown) => this.#defect(error))
      .finally(() => this.#leaving.delete(gone))
    this.#leaving.add(gone)
    this.#deps.changed(this.rows())
  }

  #clientsFor(route: GatewayRoute): readonly MappingClient[] {
    const { udp, http, clock, random } = this.#deps
    const { description, upnp = true, natpmp = true } = this.#options
    const clients: MappingClient[] = []
    if (natpmp) clients.push(new PcpClient(route, { udp, clock, random }))
    if (route.family === 6) return clients
    if (natpmp) clients.push(new NatPmpClient(route, { udp, clock }))
    if (upnp) clients.push(new UpnpClient(route, { udp, http, clock, random }, { description }))
    return clients
  }

  #defect(error: unknown): void {
    this.#deps.log.error('internal error in port mapping', { error: errorText(error) })
  }
}

function keyOf(route: GatewayRoute): string {
  return `${route.ip} ${route.localIp}`
}
