// Port mapping by NAT-PMP (RFC 6886), IPv4 only. One gateway; what to map and when is route-mapper.ts.

import type { Clock } from '../ports/clock.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import {
  decodeNatPmpAnswer,
  encodeNatPmpAddressRequest,
  encodeNatPmpMapRequest,
  type NatPmpAnswer,
} from '../wire/net/nat-pmp.ts'
import { GatewayEpoch } from './epoch.ts'
import { GatewaySocket, type GatewaySocketDeps } from './gateway-socket.ts'
import {
  MapError,
  mapErrorOf,
  type Mapped,
  type MapOrder,
  type MappingClient,
  type MapResults,
  toldIp,
} from './mapping-client.ts'

/** Meaning of each result (RFC 6886 section 3.5). */
const RESULTS: MapResults = {
  1: ['unsupported', 'the gateway does not know NAT-PMP'],
  2: ['refused', 'the gateway does not allow mappings'],
  3: ['temporary', 'the gateway has no connection'],
  4: ['temporary', 'the gateway has no room for another mapping'],
  5: ['unsupported', 'the gateway cannot map ports'],
}

type Answer<Op extends NatPmpAnswer['op']> = Extract<NatPmpAnswer, { readonly op: Op }>

/** MappingClient over NAT-PMP. */
export class NatPmpClient implements MappingClient {
  readonly name = 'NAT-PMP'
  readonly #socket: GatewaySocket
  readonly #clock: Clock
  readonly #epoch = new GatewayEpoch(8)

  /** `port`: where the gateway listens; default 5351. */
  constructor(route: GatewayRoute, deps: GatewaySocketDeps, port?: number) {
    this.#socket = new GatewaySocket(route, deps, port)
    this.#clock = deps.clock
  }

  async map(order: MapOrder, signal: AbortSignal): Promise<Mapped> {
    const answer = await this.#map(order, signal)
    if (answer.lifetimeSec === 0 || answer.externalPort === 0) throw new MapError('refused', 'the gateway maps nothing')
    const restarted = this.#epoch.lost(this.#clock.now(), answer.epochSec)
    const externalIp = await this.#address(signal)
    return { externalPort: answer.externalPort, externalIp, lifetimeSec: answer.lifetimeSec, restarted }
  }

  async unmap(order: MapOrder, signal: AbortSignal): Promise<void> {
    // Both zero: take it away (RFC 6886 section 3.4).
    await this.#map({ ...order, externalPort: 0, lifetimeSec: 0 }, signal)
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  #map(order: MapOrder, signal: AbortSignal): Promise<Answer<'map'>> {
    return this.#socket.ask(encodeNatPmpMapRequest(order), bytes => mappingIn(bytes, order), signal)
  }

  /** The mapping works without it. */
  async #address(signal: AbortSignal): Promise<string | null> {
    try {
      const answer = await this.#socket.ask(encodeNatPmpAddressRequest(), addressIn, signal)
      return toldIp(answer.ip)
    } catch (error) {
      if (error instanceof MapError) return null
      throw error
    }
  }
}

function mappingIn(bytes: Uint8Array, order: MapOrder): Answer<'map'> | null {
  const answer = decodeNatPmpAnswer(bytes)
  if (answer.op !== 'map' || answer.protocol !== order.protocol) return null
  // What tells of a failure may come without the ports.
  if (answer.result !== 0) throw mapErrorOf(answer.result, RESULTS)
  return answer.internalPort === order.internalPort ? answer : null
}

function addressIn(bytes: Uint8Array): Answer<'address'> | null {
  const answer = decodeNatPmpAnswer(bytes)
  if (answer.op !== 'address') return null
  if (answer.result !== 0) throw mapErrorOf(answer.result, RESULTS)
  return answer
}
