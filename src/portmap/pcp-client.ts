// Port mapping by PCP (RFC 6887): IPv4 through a NAT, IPv6 through a firewall. One gateway; what to map and when is
// route-mapper.ts. Invariant: an answer counts only with the nonce of its mapping.

import type { Clock } from '../ports/clock.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import type { Random } from '../ports/random.ts'
import type { MapProtocol } from '../wire/net/nat-pmp.ts'
import { decodePcpAnswer, encodePcpMapRequest, PCP_NONCE_BYTES, type PcpAnswer } from '../wire/net/pcp.ts'
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

const UNSUPPORTED_VERSION = 1

/** Meaning of each result (RFC 6887 section 7.4). */
const RESULTS: MapResults = {
  1: ['unsupported', 'the gateway does not know this version of PCP'],
  2: ['refused', 'the gateway does not allow mappings'],
  3: ['unsupported', 'the gateway cannot read the request'],
  4: ['unsupported', 'the gateway cannot map ports'],
  5: ['unsupported', 'the gateway does not know an option'],
  6: ['unsupported', 'the gateway cannot read an option'],
  7: ['temporary', 'the gateway has no connection'],
  8: ['temporary', 'the gateway has no room for another mapping'],
  9: ['unsupported', 'the gateway does not map this protocol'],
  10: ['temporary', 'the gateway has mapped enough for us'],
  11: ['temporary', 'the gateway cannot give this port'],
  12: ['refused', 'the gateway sees us under another address'],
  13: ['temporary', 'the gateway counts too many remote peers'],
}

type PcpMapping = Extract<PcpAnswer, { readonly op: 'map' }>

/** What a client works with. */
export interface PcpClientDeps extends GatewaySocketDeps {
  readonly random: Random
}

/** MappingClient over PCP. */
export class PcpClient implements MappingClient {
  readonly name = 'PCP'
  readonly #socket: GatewaySocket
  readonly #localIp: string
  readonly #clock: Clock
  readonly #nonces: Readonly<Record<MapProtocol, Uint8Array>>
  readonly #epoch = new GatewayEpoch(16)

  /** `port`: where the gateway listens; default 5351. */
  constructor(route: GatewayRoute, deps: PcpClientDeps, port?: number) {
    this.#socket = new GatewaySocket(route, deps, port)
    this.#localIp = route.localIp
    this.#clock = deps.clock
    this.#nonces = { tcp: deps.random.bytes(PCP_NONCE_BYTES), udp: deps.random.bytes(PCP_NONCE_BYTES) }
  }

  async map(order: MapOrder, signal: AbortSignal): Promise<Mapped> {
    const answer = await this.#map(order, signal)
    const { externalPort, lifetimeSec } = answer
    if (lifetimeSec === 0 || externalPort === 0) throw new MapError('refused', 'the gateway maps nothing')
    const restarted = this.#epoch.lost(this.#clock.now(), answer.epochSec)
    return { externalPort, externalIp: toldIp(answer.externalIp), lifetimeSec, restarted }
  }

  async unmap(order: MapOrder, signal: AbortSignal): Promise<void> {
    await this.#map({ ...order, externalPort: 0, lifetimeSec: 0 }, signal)
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  #map(order: MapOrder, signal: AbortSignal): Promise<PcpMapping> {
    const nonce = this.#nonces[order.protocol]
    const request = encodePcpMapRequest({ ...order, nonce, clientIp: this.#localIp, externalIp: null })
    return this.#socket.ask(request, bytes => mappingIn(bytes, order, nonce), signal)
  }
}

function mappingIn(bytes: Uint8Array, order: MapOrder, nonce: Uint8Array): PcpMapping | null {
  const answer = decodePcpAnswer(bytes)
  // Only the server's own words that it does not know our version come without a nonce.
  if (answer.op === 'version') throw mapErrorOf(UNSUPPORTED_VERSION, RESULTS)
  const ours = answer.protocol === order.protocol && answer.internalPort === order.internalPort
  if (!ours || Buffer.compare(answer.nonce, nonce) !== 0) return null
  if (answer.result !== 0) throw mapErrorOf(answer.result, RESULTS)
  return answer
}
