// Hosts in network namespaces of their own, all on one bridge, for tests of the overlay that count packets. Their
// addresses look public (5.60.0.0/24, 2a01:60::/64), so address policies treat them as everybody else's. Each is joined
// to the test by a second wire for the node's HTTP interface, and counts what leaves it: the overlay's datagrams to
// overlay nodes, and everything else, of any protocol and to groups too, with where it went. Needs the namespace that
// test/kit/netns makes, iproute2, nft and nsenter.

import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { holdNamespace } from './two-hosts.ts'

/** The port of the overlay at every host: settings `ipv8.port` of the nodes. */
export const OVERLAY_PORT = 7759

/** What has left a host since the beginning, in packets. */
export interface CountedPackets {
  /** From the overlay's port to the overlay's port of another host of these. */
  readonly overlay: number
  /**
   * Any other packet, to groups of neighbours too; not counted are loopback, the wire to the test, and neighbour
   * discovery.
   */
  readonly other: number
}

/** One host. */
export interface OverlayHost {
  readonly ip: string
  readonly ip6: string
  /** Its address for the test itself. */
  readonly controlIp: string
  /** What runs a command there: `[...prefix, command, ...arguments]`. */
  readonly prefix: readonly string[]
  /** Runs a command there to its end; answers its standard output. */
  run(...command: string[]): string
  packets(): CountedPackets
  /** Where `other` packets went: `address protocol port`, at most 1,000. */
  leaks(): string[]
  /** Takes the host off the bridge: nothing reaches it, nothing it sends arrives. */
  unplug(): void
  plug(): void
}

/** All of them. */
export interface OverlayHosts {
  readonly hosts: readonly OverlayHost[]
  stop(): Promise<void>
}

/**
 * `members`: addresses at which overlay nodes are. The kernel's own neighbour discovery and group reports are no leak,
 * nor what it answers to members while no node is there.
 */
function countersFor(members: readonly string[]): string {
  return `
table inet watch {
  set members { type ipv4_addr; elements = { ${members.join(', ')} } }
  set leaks4 { type ipv4_addr . inet_proto . inet_service; size 1000; flags dynamic; }
  set leaks6 { type ipv6_addr . inet_proto . inet_service; size 1000; flags dynamic; }
  counter overlay { }
  counter other { }
  chain out {
    type filter hook output priority 0; policy accept;
    oifname { "lo", "ctl1" } accept
    ip protocol igmp accept
    ip daddr @members icmp type destination-unreachable accept
    icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld2-listener-report } accept
    udp sport ${OVERLAY_PORT} udp dport ${OVERLAY_PORT} ip daddr @members counter name overlay accept
    counter name other
    meta nfproto ipv4 add @leaks4 { ip daddr . meta l4proto . @th,16,16 }
    meta nfproto ipv6 add @leaks6 { ip6 daddr . meta l4proto . @th,16,16 }
  }
}
`
}

const here = (command: string, ...rest: string[]): string => execFileSync(command, rest, { encoding: 'utf8' })

/** Makes `count` hosts, at most 100; on the first `members` of them overlay nodes are (default: on all). */
export async function makeOverlayHosts(count: number, members = count): Promise<OverlayHosts> {
  const held: ChildProcess[] = []
  const bridge = `ov${process.pid}`
  const stop = async (): Promise<void> => {
    for (const holder of held) {
      const ended = once(holder, 'exit')
      holder.kill('SIGKILL')
      await ended
    }
    here('ip', 'link', 'del', bridge)
  }
  here('ip', 'link', 'add', bridge, 'type', 'bridge')
  try {
    here('ip', 'addr', 'add', '5.60.0.1/24', 'dev', bridge)
    here('ip', 'addr', 'add', '2a01:60::1/64', 'dev', bridge, 'nodad')
    here('ip', 'link', 'set', bridge, 'up')
    for (let n = 0; n < count; n += 1) held.push(await holdNamespace())
    const rules = countersFor(Array.from({ length: members }, (_, n) => ipOf(n)))
    return { hosts: held.map((holder, n) => joinHost(holder, n, bridge, rules)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const ipOf = (n: number): string => `5.60.0.${10 + n}`

function joinHost(holder: ChildProcess, n: number, bridge: string, rules: string): OverlayHost {
  const prefix = ['nsenter', '-t', `${holder.pid ?? 0}`, '-n']
  const run = (...command: string[]): string => here('nsenter', ...prefix.slice(1), ...command)
  const ip = (text: string): string => run('ip', ...text.split(' '))
  const [ip4, ip6] = [ipOf(n), `2a01:60::${10 + n}`]
  const wire = (inside: string, outside: string): void => {
    here('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', `${outside}i`)
    here('ip', 'link', 'set', `${outside}i`, 'netns', `${holder.pid ?? 0}`)
    ip(`link set ${outside}i name ${inside}`)
    ip(`link set ${inside} up`)
    here('ip', 'link', 'set', outside, 'up')
  }
  const [plugName, controlName] = [`${bridge}p${n}`, `${bridge}c${n}`]
  ip('link set lo up')
  execFileSync('nsenter', [...prefix.slice(1), 'nft', '-f', '-'], { input: rules })
  wire('eth0', plugName)
  here('ip', 'link', 'set', plugName, 'master', bridge)
  ip(`addr add ${ip4}/24 dev eth0`)
  ip(`addr add ${ip6}/64 dev eth0 nodad`)
  // Whatever would go out into the world is sent, and counted.
  ip('route add default via 5.60.0.1')
  ip('-6 route add default via 2a01:60::1')
  const controlNet = `10.80.${n}`
  wire('ctl1', controlName)
  ip(`addr add ${controlNet}.2/24 dev ctl1`)
  here('ip', 'addr', 'add', `${controlNet}.1/24`, 'dev', controlName)
  const counter = (name: keyof CountedPackets): number =>
    Number(/packets (\d+)/.exec(run('nft', 'list', 'counter', 'inet', 'watch', name))?.[1] ?? Number.NaN)
  const leaked = (set: string): string[] => {
    const elements = /elements = \{([^}]*)\}/.exec(run('nft', 'list', 'set', 'inet', 'watch', set))?.[1] ?? ''
    return elements.split(',').flatMap(text => (text.trim() === '' ? [] : [text.trim().replaceAll(' . ', ' ')]))
  }
  return {
    ip: ip4,
    ip6,
    controlIp: `${controlNet}.2`,
    prefix,
    run,
    packets: () => ({ overlay: counter('overlay'), other: counter('other') }),
    leaks: () => [...leaked('leaks4'), ...leaked('leaks6')],
    unplug: () => here('ip', 'link', 'set', plugName, 'down'),
    plug: () => here('ip', 'link', 'set', plugName, 'up'),
  }
}
