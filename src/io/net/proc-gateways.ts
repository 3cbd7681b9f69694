// Gateways from the routing tables of Linux and the addresses of this machine's devices. Elsewhere there are no such
// files, and so no gateways: nothing is mapped then.

import { readFile } from 'node:fs/promises'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { GatewayRoute, Gateways } from '../../ports/gateway.ts'
import { canonicalIp, parseIp } from '../../wire/net/compact-address.ts'
import { sameNetwork } from '../../wire/net/ip-network.ts'
import { type DefaultRoute, readRoutes4, readRoutes6 } from './route-tables.ts'

/** Most routers that are used. */
const MAX_ROUTES = 4

/** What tests put in the place of the machine's. */
export interface ProcGatewaysSources {
  readonly routes4: string
  readonly routes6: string
  readonly addresses: () => NodeJS.Dict<NetworkInterfaceInfo[]>
}

const MACHINE: ProcGatewaysSources = {
  routes4: '/proc/net/route',
  routes6: '/proc/net/ipv6_route',
  addresses: networkInterfaces,
}

/** Gateways of a Linux machine. */
export class ProcGateways implements Gateways {
  readonly #mayUse: (ip: string) => boolean
  readonly #sources: ProcGatewaysSources

  /** `mayUse`: whether this node may leave from an address of the machine; only routes from such ones are reported. */
  constructor(mayUse: (ip: string) => boolean = () => true, sources: ProcGatewaysSources = MACHINE) {
    this.#mayUse = mayUse
    this.#sources = sources
  }

  async routes(): Promise<readonly GatewayRoute[]> {
    const [text4, text6] = await Promise.all([textOf(this.#sources.routes4), textOf(this.#sources.routes6)])
    const addresses = this.#sources.addresses()
    const found: GatewayRoute[] = []
    for (const route of [...readRoutes4(text4), ...readRoutes6(text6)]) {
      const here = localAddress(route, addresses[route.device] ?? [], this.#mayUse)
      if (here === null || found.length >= MAX_ROUTES) continue
      const ip = route.family === 6 && isLinkLocal6(route.ip) ? `${route.ip}%${route.device}` : route.ip
      if (found.some(known => known.ip === ip && known.localIp === here.address)) continue
      found.push({ family: route.family, ip, localIp: here.address, prefixBits: prefixOf(here) })
    }
    return found
  }
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}

/** The address of the device that packets to the router should come from; null when it has none that fits. */
function localAddress(
  route: DefaultRoute,
  addresses: readonly NetworkInterfaceInfo[],
  mayUse: (ip: string) => boolean,
): NetworkInterfaceInfo | null {
  const usable = addresses.filter(
    ({ family, address }) =>
      family === `IPv${route.family}` &&
      mayUse(canonicalIp(address) ?? address) &&
      // A mapping of IPv6 is for an address that is reached from everywhere: 2000::/3 (RFC 4291).
      (route.family === 4 || ((parseIp(address)?.[0] ?? 0) & 0xe0) === 0x20),
  )
  return usable.find(here => sameNetwork(route.ip, here.address, prefixOf(here))) ?? usable[0] ?? null
}

function prefixOf(address: NetworkInterfaceInfo): number {
  return Number(address.cidr?.split('/')[1] ?? 0)
}

function isLinkLocal6(ip: string): boolean {
  const bytes = parseIp(ip)
  return bytes?.[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80
}
