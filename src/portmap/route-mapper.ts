// The mappings of one port through one gateway: tries PCP, NAT-PMP and UPnP in this order until one maps, renews
// mappings, starts over when renewing fails, removes all at the end. Many gateways: mapper.ts. Invariant: a mapping in
// force is in #mappings with the client that made it; after stop() none is left that could be removed.

import { errorText } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import type { Log } from '../ports/log.ts'
import type { PortMapping } from '../ports/network-facts.ts'
import type { MapProtocol } from '../wire/net/nat-pmp.ts'
import { MapError, type Mapped, type MapOrder, type MappingClient } from './mapping-client.ts'

const PROTOCOLS: readonly MapProtocol[] = ['tcp', 'udp']
/** First wait after no protocol mapped, doubled each time, and the longest: networks change. */
const RETRY_MS = 60_000
const MAX_RETRY_MS = 60 * 60 * 1000
/** Mappings are renewed at half their life, or sooner: so a restart of a gateway is noticed in this time. */
const MAX_RENEW_MS = 15 * 60 * 1000
/** A gateway that gives shorter lives is not asked all the time. */
const MIN_RENEW_MS = 30_000
/** Renewals that may fail one after the other, and the time between them. */
const MAX_FAILURES = 3
const FAILURE_MS = 20_000

/** A mapping as it is shown. */
export type MappingRow = PortMapping

/** What to map. */
export interface RouteMapperOptions {
  readonly port: number
  readonly lifetimeSec: number
}

/** What it works with. */
export interface RouteMapperDeps {
  readonly clock: Clock
  readonly log: Log
  /** Rows have changed. */
  changed(): void
  /** A defect of ours. */
  defect(error: unknown): void
}

interface Standing extends Mapped {
  readonly client: MappingClient
  /** It is gone then unless it is renewed. */
  readonly untilMs: number
}

/** Port mapping through one gateway. */
export class RouteMapper {
  readonly route: GatewayRoute
  readonly #clients: readonly MappingClient[]
  readonly #options: RouteMapperOptions
  readonly #deps: RouteMapperDeps
  readonly #abort = new AbortController()
  readonly #mappings = new Map<MapProtocol, Standing>()
  #working: Promise<void> = Promise.resolve()
  #problem = ''
  /** What a client was asked for when it was given up: the gateway may have mapped it. */
  #givenUp: { readonly protocol: MapProtocol; readonly standing: Standing } | null = null

  /** `clients`: protocols in the order they are tried. */
  constructor(
    route: GatewayRoute,
    clients: readonly MappingClient[],
    options: RouteMapperOptions,
    deps: RouteMapperDeps,
  ) {
    this.route = route
    this.#clients = clients
    this.#options = options
    this.#deps = deps
  }

  start(): void {
    this.#working = this.#work().catch((error: unknown) => this.#deps.defect(error))
  }

  /** The mappings in force now. */
  rows(): MappingRow[] {
    return [...this.#mappings].map(([protocol, { client, externalPort, externalIp }]) => ({
      gateway: this.route.ip,
      via: client.name,
      protocol,
      internalPort: this.#options.port,
      externalPort,
      externalIp,
    }))
  }

  /** Why nothing is mapped; '' while something is, or nothing was tried. */
  get problem(): string {
    return this.#mappings.size > 0 ? '' : this.#problem
  }

  /** Takes the mappings away, or gives up after `deadlineMs`. Idempotent. */
  async stop(deadlineMs: number): Promise<void> {
    this.#abort.abort()
    await this.#working
    const late = new AbortController()
    const timer = this.#deps.clock.after(deadlineMs, () => late.abort())
    const standing = [...this.#mappings]
    const asked = this.#givenUp
    if (asked !== null && !this.#mappings.has(asked.protocol)) standing.push([asked.protocol, asked.standing])
    this.#mappings.clear()
    this.#givenUp = null
    await Promise.all(standing.map(([protocol, mapped]) => this.#remove(protocol, mapped, late.signal)))
    timer.cancel()
    await Promise.all(this.#clients.map(client => client.close()))
  }

  async #work(): Promise<void> {
    const { signal } = this.#abort
    let waitMs = RETRY_MS
    while (!signal.aborted) {
      const client = await this.#firstThatMaps()
      if (client === null) {
        await this.#sleep(waitMs)
        waitMs = Math.min(MAX_RETRY_MS, waitMs * 2)
      } else {
        waitMs = RETRY_MS
        await this.#keep(client)
      }
    }
  }

  async #firstThatMaps(): Promise<MappingClient | null> {
    for (const client of this.#clients) {
      if (this.#abort.signal.aborted) return null
      if (await this.#mapBoth(client)) return client
    }
    this.#deps.log.debug('no port mapping', { gateway: this.route.ip, reason: this.#problem })
    return null
  }

  /** Renews until that fails too often; then no mapping is left. */
  async #keep(client: MappingClient): Promise<void> {
    let failures = 0
    while (failures < MAX_FAILURES) {
      await this.#sleep(failures > 0 ? FAILURE_MS : this.#renewMs())
      if (this.#abort.signal.aborted) return
      failures = (await this.#mapBoth(client)) ? 0 : failures + 1
    }
    this.#mappings.clear()
    this.#deps.changed()
  }

  #renewMs(): number {
    const lives = [...this.#mappings.values()].map(({ lifetimeSec }) => lifetimeSec * 500)
    return Math.max(MIN_RENEW_MS, Math.min(MAX_RENEW_MS, ...lives))
  }

  /** Makes or renews both mappings; true when it made at least one of them. */
  async #mapBoth(client: MappingClient, again = true): Promise<boolean> {
    let mapped = 0
    for (const [index, protocol] of PROTOCOLS.entries()) {
      if (this.#abort.signal.aborted) break
      const standing = await this.#mapOne(client, protocol)
      if (standing !== null) mapped += 1
      // The gateway forgot what was mapped before this: once more, and not for ever if its clock is mad.
      if (standing?.restarted === true && index > 0 && again) return this.#mapBoth(client, false)
    }
    return mapped > 0
  }

  async #mapOne(client: MappingClient, protocol: MapProtocol): Promise<Mapped | null> {
    const before = this.#mappings.get(protocol)
    const order = this.#order(protocol, before)
    try {
      const mapped = await client.map(order, this.#abort.signal)
      const untilMs = this.#deps.clock.now() + mapped.lifetimeSec * 1000
      this.#mappings.set(protocol, { ...mapped, client, untilMs })
      this.#tell(protocol, client, mapped, before)
      return mapped
    } catch (error) {
      if (!(error instanceof MapError)) throw error
      if (this.#abort.signal.aborted) this.#givenUp = { protocol, standing: asStanding(order, client) }
      this.#problem = `${client.name}: ${error.message}`
      if (before !== undefined && this.#deps.clock.now() >= before.untilMs) {
        this.#mappings.delete(protocol)
        this.#deps.changed()
      }
      return null
    }
  }

  /** The port that was given before is asked for again. */
  #order(protocol: MapProtocol, before: Standing | undefined): MapOrder {
    const { port, lifetimeSec } = this.#options
    return { protocol, internalPort: port, externalPort: before?.externalPort ?? port, lifetimeSec }
  }

  #tell(protocol: MapProtocol, client: MappingClient, mapped: Mapped, before: Standing | undefined): void {
    const gateway = this.route.ip
    const { externalPort, externalIp } = mapped
    if (mapped.restarted) this.#deps.log.info('the gateway has lost its mappings', { gateway })
    if (before?.externalPort === externalPort && before.externalIp === externalIp) return
    this.#deps.log.info('port mapped', { gateway, via: client.name, protocol, externalPort, externalIp })
    this.#deps.changed()
  }

  async #remove(protocol: MapProtocol, { client, externalPort }: Standing, signal: AbortSignal): Promise<void> {
    try {
      await client.unmap({ ...this.#order(protocol, undefined), externalPort }, signal)
    } catch (error) {
      this.#deps.log.debug('a port mapping was left', { gateway: this.route.ip, protocol, reason: errorText(error) })
    }
  }

  /** Ends early when it is stopped. */
  #sleep(ms: number): Promise<void> {
    const { signal } = this.#abort
    if (signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      let timer: Timer | null = null
      const wake = (): void => {
        timer?.cancel()
        signal.removeEventListener('abort', wake)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
      timer = this.#deps.clock.after(ms, wake)
    })
  }
}

function asStanding({ externalPort, lifetimeSec }: MapOrder, client: MappingClient): Standing {
  return { client, externalPort, externalIp: null, lifetimeSec, restarted: false, untilMs: Number.POSITIVE_INFINITY }
}
