// Port mapping by UPnP (WANIPConnection, WANPPPConnection), IPv4 only. Gateways are found by upnp-discovery.ts; what to
// map and when is route-mapper.ts. Knows the habits of gateways: no leases, other ports only, taken ports.

import { DecodeError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import type { Random } from '../ports/random.ts'
import { canonicalIp } from '../wire/net/compact-address.ts'
import { decodeSoapAnswer, encodeSoapAction, type SoapAnswer, soapHeaders } from '../wire/net/upnp.ts'
import { MapError, type Mapped, type MapOrder, type MappingClient, toldIp } from './mapping-client.ts'
import { type DiscoveryDeps, findConnections, type FoundConnection } from './upnp-discovery.ts'

/** Errors of WANIPConnection that another try can cure. */
const INVALID_ARGS = 402
const ACTION_FAILED = 501
const CONFLICT = 718
const SAME_PORT_ONLY = 724
const PERMANENT_ONLY = 725
/** Errors that say no for good. */
const NOT_AUTHORIZED = 606
/** Answers to one order at most. */
const MAX_TRIES = 6
/** A mapping without a lease is looked after as often as one of this length. */
const PERMANENT_SEC = 3600
const ANSWER_BYTES = 64 * 1024
const ANSWER_MS = 5000
/** Ports that are tried when the wanted one is taken. */
const FIRST_PORT = 1024

/** What a client works with. */
export interface UpnpClientDeps extends DiscoveryDeps {
  readonly random: Random
}

/** Names and places. */
export interface UpnpClientOptions {
  /** What gateways list the mapping as. */
  readonly description: string
  /** Where searches are sent; default multicast and the gateway. */
  readonly searchAt?: readonly PeerAddress[]
}

/** MappingClient over UPnP. */
export class UpnpClient implements MappingClient {
  readonly name = 'UPnP'
  readonly #route: GatewayRoute
  readonly #deps: UpnpClientDeps
  readonly #options: UpnpClientOptions
  /** The one that has mapped before. */
  #kept: FoundConnection | null = null

  constructor(route: GatewayRoute, deps: UpnpClientDeps, options: UpnpClientOptions) {
    this.#route = route
    this.#deps = deps
    this.#options = options
  }

  async map(order: MapOrder, signal: AbortSignal): Promise<Mapped> {
    const { searchAt } = this.#options
    const kept = this.#kept
    const found = kept === null ? await findConnections(this.#route, this.#deps, signal, searchAt) : [kept]
    let last = new MapError('unsupported', 'no UPnP gateway answers')
    for (const connection of found) {
      try {
        const mapped = await this.#mapAt(connection, order, signal)
        this.#kept = connection
        return mapped
      } catch (error) {
        if (!(error instanceof MapError)) throw error
        last = error
      }
    }
    // Searched for again the next time; one that was given up must still get its unmapping.
    if (!signal.aborted) this.#kept = null
    else this.#kept ??= found[0] ?? null
    throw last
  }

  async unmap(order: MapOrder, signal: AbortSignal): Promise<void> {
    if (this.#kept === null) return
    const parameters = [
      ['NewRemoteHost', ''],
      ['NewExternalPort', String(order.externalPort)],
      ['NewProtocol', order.protocol.toUpperCase()],
    ] as const
    const answer = await this.#act(this.#kept, 'DeletePortMapping', parameters, signal)
    if (answer.kind === 'fault') throw faultError(answer)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #mapAt(connection: FoundConnection, order: MapOrder, signal: AbortSignal): Promise<Mapped> {
    let { externalPort, lifetimeSec } = order
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const parameters = this.#parameters({ ...order, externalPort, lifetimeSec })
      const answer = await this.#act(connection, 'AddPortMapping', parameters, signal)
      if (answer.kind === 'done') {
        const externalIp = await this.#address(connection, signal)
        return { externalPort, externalIp, lifetimeSec: lifetimeSec || PERMANENT_SEC, restarted: false }
      }
      if (answer.code === CONFLICT) externalPort = this.#otherPort()
      else if (answer.code === SAME_PORT_ONLY && externalPort !== order.internalPort) externalPort = order.internalPort
      else if (mayWantNoLease(answer.code) && lifetimeSec !== 0) lifetimeSec = 0
      else throw faultError(answer)
    }
    throw new MapError('temporary', 'the gateway has none of the ports that were tried')
  }

  #parameters(order: MapOrder): readonly (readonly [string, string])[] {
    return [
      ['NewRemoteHost', ''],
      ['NewExternalPort', String(order.externalPort)],
      ['NewProtocol', order.protocol.toUpperCase()],
      ['NewInternalPort', String(order.internalPort)],
      ['NewInternalClient', this.#route.localIp],
      ['NewEnabled', '1'],
      ['NewPortMappingDescription', this.#options.description],
      ['NewLeaseDuration', String(order.lifetimeSec)],
    ]
  }

  #otherPort(): number {
    return FIRST_PORT + this.#deps.random.below(65_536 - FIRST_PORT)
  }

  /** The mapping works without it. */
  async #address(connection: FoundConnection, signal: AbortSignal): Promise<string | null> {
    try {
      const answer = await this.#act(connection, 'GetExternalIPAddress', [], signal)
      return answer.kind === 'done' ? toldIp(canonicalIp(answer.results.get('NewExternalIPAddress') ?? '')) : null
    } catch (error) {
      if (error instanceof MapError) return null
      throw error
    }
  }

  /** Sends one action. Rejects with MapError. */
  async #act(
    { serviceType, controlUrl, ip }: FoundConnection,
    action: string,
    parameters: readonly (readonly [string, string])[],
    signal: AbortSignal,
  ): Promise<SoapAnswer> {
    try {
      const answer = await this.#deps.http.send({
        method: 'POST',
        url: controlUrl,
        ip,
        localIp: this.#route.localIp,
        headers: soapHeaders(serviceType, action),
        body: encodeSoapAction(serviceType, action, parameters),
        maxBytes: ANSWER_BYTES,
        timeoutMs: ANSWER_MS,
        signal,
      })
      // A fault comes with status 500.
      if (answer.status === 200 || answer.status === 500) return decodeSoapAnswer(answer.body, action)
      throw new MapError('temporary', `the gateway answers with HTTP status ${answer.status}`)
    } catch (error) {
      if (error instanceof MapError) throw error
      const failure = error instanceof DecodeError ? 'unsupported' : 'temporary'
      throw new MapError(failure, errorText(error), { cause: error })
    }
  }
}

/** Gateways without leases answer with one of these. */
function mayWantNoLease(code: number): boolean {
  return code === PERMANENT_ONLY || code === INVALID_ARGS || code === ACTION_FAILED
}

function faultError({ code, text }: Extract<SoapAnswer, { readonly kind: 'fault' }>): MapError {
  const failure = code === NOT_AUTHORIZED ? 'refused' : 'temporary'
  return new MapError(failure, `the gateway refuses: ${text || 'error'} (${code})`)
}
