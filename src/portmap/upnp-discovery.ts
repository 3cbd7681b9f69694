// Finds UPnP gateways in the local network: searches, believes only devices of the network that speak for themselves,
// and reads their descriptions. Whether they map anything is for upnp-client.ts. Invariant: what a device says leads
// only to the device itself.

import { DecodeError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { GatewayHttp } from '../ports/gateway-http.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import type { UdpNetwork, UdpSocket } from '../ports/udp.ts'
import { canonicalIp } from '../wire/net/compact-address.ts'
import { sameNetwork } from '../wire/net/ip-network.ts'
import {
  decodeDeviceDescription,
  decodeSsdpAnswer,
  encodeSsdpSearch,
  SEARCH_TARGETS,
  SSDP_ADDRESS,
  type WanConnection,
} from '../wire/net/upnp.ts'
import { MapError } from './mapping-client.ts'

/** Devices that are asked for their description. */
const MAX_DEVICES = 4
/** How long devices may take to answer a search, which the search says, and how often they are asked. */
const MAX_WAIT_SEC = 2
const SEARCHES = 2
const SEARCH_EVERY_MS = 1500
const DESCRIPTION_BYTES = 256 * 1024
const DESCRIPTION_MS = 5000

/** What discovery works with. */
export interface DiscoveryDeps {
  readonly udp: UdpNetwork
  readonly clock: Clock
  readonly http: GatewayHttp
}

/** A connection of a gateway at `ip`. */
export interface FoundConnection extends WanConnection {
  readonly ip: string
}

interface Device {
  readonly ip: string
  readonly location: string
}

/**
 * The connections of all gateways that answer, those of the default gateway first. `searchAt`: where searches are sent,
 * default multicast and the gateway itself. Rejects with MapError: `unsupported` when there is none.
 */
export async function findConnections(
  route: GatewayRoute,
  deps: DiscoveryDeps,
  signal: AbortSignal,
  searchAt: readonly PeerAddress[] = [SSDP_ADDRESS, { ip: route.ip, port: SSDP_ADDRESS.port }],
): Promise<FoundConnection[]> {
  const devices = await search(route, deps, signal, searchAt)
  const found: FoundConnection[] = []
  let reason = 'no UPnP gateway answers'
  for (const device of devices) {
    try {
      found.push(...(await describe(route, device, deps, signal)))
    } catch (error) {
      // One broken device must not hide the others.
      reason = errorText(error)
    }
  }
  if (found.length === 0) throw new MapError(signal.aborted ? 'temporary' : 'unsupported', reason)
  return found
}

async function search(
  route: GatewayRoute,
  deps: DiscoveryDeps,
  signal: AbortSignal,
  searchAt: readonly PeerAddress[],
): Promise<Device[]> {
  const devices = new Map<string, Device>()
  let seenGateway: () => void = () => undefined
  const receive = (bytes: Uint8Array, from: PeerAddress): void => {
    const device = deviceOf(bytes, from, route)
    if (device === null) return
    // Others cannot keep the gateway out.
    const isGateway = device.ip === route.ip
    if (!devices.has(device.ip) && (isGateway || devices.size < MAX_DEVICES)) devices.set(device.ip, device)
    if (isGateway) seenGateway()
  }
  const socket = await bound(route, deps, receive)
  const giveUp = (): void => seenGateway()
  try {
    const done = new Promise<void>(resolve => {
      seenGateway = resolve
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) resolve()
    })
    for (let round = 0; round < SEARCHES && !signal.aborted && !devices.has(route.ip); round += 1) {
      for (const to of searchAt) {
        for (const target of SEARCH_TARGETS) socket.send(encodeSsdpSearch(target, MAX_WAIT_SEC), to)
      }
      await within(deps.clock, round === SEARCHES - 1 ? (MAX_WAIT_SEC + 1) * 1000 : SEARCH_EVERY_MS, done)
    }
  } finally {
    signal.removeEventListener('abort', giveUp)
    await socket.close()
  }
  return [...devices.values()].sort((a, b) => Number(b.ip === route.ip) - Number(a.ip === route.ip))
}

async function bound(
  route: GatewayRoute,
  { udp }: DiscoveryDeps,
  receive: (bytes: Uint8Array, from: PeerAddress) => void,
): Promise<UdpSocket> {
  try {
    return await udp.bind({ family: route.family, ip: route.localIp, port: 0 }, receive)
  } catch (error) {
    throw new MapError('temporary', `no UDP socket: ${errorText(error)}`, { cause: error })
  }
}

/** Settles with `done`, after `ms` at the latest. */
async function within(clock: Clock, ms: number, done: Promise<void>): Promise<void> {
  let over: () => void = () => undefined
  const timer = clock.after(ms, () => over())
  await Promise.race([
    done,
    new Promise<void>(resolve => {
      over = resolve
    }),
  ])
  timer.cancel()
}

/** Null unless it is a device of this network that names a description of its own. */
function deviceOf(bytes: Uint8Array, from: PeerAddress, route: GatewayRoute): Device | null {
  const near = route.prefixBits > 0 && sameNetwork(from.ip, route.localIp, route.prefixBits)
  if (from.ip !== route.ip && !near) return null
  try {
    const { location } = decodeSsdpAnswer(bytes)
    return hostOf(location) === from.ip ? { ip: from.ip, location } : null
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** The literal address that a url names; null when it names none. */
function hostOf(url: string): string | null {
  return canonicalIp(URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '')
}

async function describe(
  route: GatewayRoute,
  { ip, location }: Device,
  { http }: DiscoveryDeps,
  signal: AbortSignal,
): Promise<FoundConnection[]> {
  const order = { method: 'GET', url: location, ip, localIp: route.localIp, signal } as const
  const answer = await http.send({ ...order, maxBytes: DESCRIPTION_BYTES, timeoutMs: DESCRIPTION_MS })
  if (answer.status !== 200) throw new MapError('unsupported', `the gateway answers with HTTP status ${answer.status}`)
  return decodeDeviceDescription(answer.body, location)
    .filter(connection => hostOf(connection.controlUrl) === ip)
    .map(connection => ({ ...connection, ip }))
}
