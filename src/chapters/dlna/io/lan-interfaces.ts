// The interfaces of this machine to private IPv4 networks (RFC 1918, and RFC 3927's for networks without a server).

import { existsSync } from 'node:fs'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { sameNetwork } from '../../../wire/net/ip-network.ts'
import type { LanInterface } from '../ports/lan-interfaces.ts'

/** Interfaces that are served; machines with hundreds have them for containers. */
const MAX_INTERFACES = 8
/** Below this a network has no place for anybody else. */
const MAX_BITS = 30
const PRIVATE: readonly (readonly [string, number])[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
]
/** Tunnels (VPN) have none, but for those that carry Ethernet: who is behind them is nobody of this house. */
const NO_HARDWARE = '00:00:00:00:00:00'
/** Networks of containers and virtual machines inside this machine, as the programs that make them name them. */
const INSIDE = /^(?:docker\d|br-[0-9a-f]{12}$|virbr\d|lxcbr\d|lxdbr\d|podman\d|cni|veth[0-9a-f]{7}|vnet\d)/

/**
 * Those to be served, one address each: the chosen ones, by name or address, as far as they are private; of none chosen
 * all that have a hardware address and are no tunnel and no network inside this machine.
 */
export function lanInterfaces(
  chosen: readonly string[],
  read: () => NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces,
  isTunnel: (name: string) => boolean = isMadeByProgram,
): LanInterface[] {
  const found: LanInterface[] = []
  for (const [name, addresses] of Object.entries(read())) {
    const at = addresses?.find(one => isServed(name, one, chosen))
    if (at === undefined || found.length >= MAX_INTERFACES) continue
    if (chosen.length === 0 && (INSIDE.test(name) || isTunnel(name))) continue
    found.push({ name, ip: at.address, bits: Number(at.cidr?.split('/')[1] ?? 32) })
  }
  return found
}

/** Linux says of an interface that a program carries its packets (tun, tap). */
function isMadeByProgram(name: string): boolean {
  return existsSync(`/sys/class/net/${name}/tun_flags`)
}

function isServed(
  name: string,
  { address, family, internal, cidr, mac }: NetworkInterfaceInfo,
  chosen: readonly string[],
): boolean {
  const bits = Number(cidr?.split('/')[1] ?? 32)
  if (family !== 'IPv4' || internal || bits > MAX_BITS) return false
  // A network that is partly public would let strangers in.
  if (!PRIVATE.some(([ip, own]) => bits >= own && sameNetwork(address, ip, own))) return false
  return chosen.length === 0 ? mac !== NO_HARDWARE : chosen.includes(name) || chosen.includes(address)
}
