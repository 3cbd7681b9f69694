// The routing tables of Linux as /proc shows them: which default routes they name. Text only, nothing is opened here.

import { formatIp } from '../../wire/net/compact-address.ts'

/** A default route through a router. */
export interface DefaultRoute {
  readonly device: string
  readonly family: 4 | 6
  /** Literal address of the router, without a zone. */
  readonly ip: string
  readonly metric: number
}

/** Lines looked at of one table: a router of the internet has more, a machine behind one has not. */
const MAX_LINES = 10_000
/** Flags of a route (linux/route.h). */
const UP_AND_GATEWAY = 0x3

/** The default routes of /proc/net/route, best first. Lines that cannot be read are passed over. */
export function readRoutes4(text: string): DefaultRoute[] {
  const routes: DefaultRoute[] = []
  for (const line of text.split('\n', MAX_LINES)) {
    const [device = '', to = '', through = '', flags = '', , , metric = '', mask = ''] = line.trim().split(/\s+/)
    if (to !== '00000000' || mask !== '00000000' || !isGateway(flags)) continue
    // Numbers of four bytes as this machine has them; all that Linux runs this on are little-endian.
    const ip = hexBytes(through, 4)?.reverse()
    if (ip !== undefined) routes.push({ device, family: 4, ip: formatIp(ip), metric: Number(metric) || 0 })
  }
  return best(routes)
}

/** The default routes of /proc/net/ipv6_route, best first. Lines that cannot be read are passed over. */
export function readRoutes6(text: string): DefaultRoute[] {
  const routes: DefaultRoute[] = []
  for (const line of text.split('\n', MAX_LINES)) {
    const [to = '', bits = '', , , through = '', metric = '', , , flags = '', device = ''] = line.trim().split(/\s+/)
    if (!/^0{32}$/.test(to) || bits !== '00' || !isGateway(flags)) continue
    const ip = hexBytes(through, 16)
    if (ip !== null) routes.push({ device, family: 6, ip: formatIp(ip), metric: Number.parseInt(metric, 16) || 0 })
  }
  return best(routes)
}

function best(routes: DefaultRoute[]): DefaultRoute[] {
  return routes.sort((a, b) => a.metric - b.metric)
}

function isGateway(flags: string): boolean {
  return (Number.parseInt(flags, 16) & UP_AND_GATEWAY) === UP_AND_GATEWAY
}

/** Null unless `text` is exactly `count` bytes in hexadecimal, not all zero. */
function hexBytes(text: string, count: number): Uint8Array | null {
  if (text.length !== count * 2 || !/^[0-9a-fA-F]+$/.test(text) || /^0+$/.test(text)) return null
  return Uint8Array.from(Buffer.from(text, 'hex'))
}
