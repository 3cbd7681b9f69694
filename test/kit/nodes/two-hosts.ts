// Two hosts in network namespaces of their own, for tests that count packets: `near`, where the node runs, and `far`,
// where everybody else is. They are joined by two wires: tun9 (10.78.1.0/24, fd78:1::/64; what the node is bound to,
// with the better default route) and other0 (10.78.2.0/24, fd78:2::/64; where packets would leak to). A third one,
// ctl1, leads from the test to the node's HTTP interface. 10.78.3.1 and fd78:3::1 are addresses of far's loopback
// device, 10.78.4.1 and fd78:4::1 of its end of tun9: near reaches both by either wire, but libtorrent binds itself to
// the device of its address. Needs the namespace that test/kit/netns makes, iproute2, nft and nsenter.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { waitFor } from '../wait-for.ts'

/**
 * Names of the counters in near, each over TCP and UDP that leaves: by tun9, by any other device but lo and ctl1, and
 * by those the kernel's own answers to segments for which there is no socket (RFC 9293, 3.5.2: a reset without ACK, or
 * with the number 0 when the segment had none; a socket's own reset has both).
 */
export type CounterName = 'inside' | 'outside' | 'strays'

export interface TwoHosts {
  /** Where far's own programs reach each other: for peers behind a proxy in far. */
  readonly farIp: string
  /** Where peers of near listen that it reaches itself. */
  readonly tunnelIps: { readonly 4: string; readonly 6: string }
  /** Near's address on tun9. */
  readonly boundIp: string
  /** Far's address on tun9: for proxies. */
  readonly gatewayIp: string
  /** The address of near for the test itself. */
  readonly controlIp: string
  /** What runs a command in a host: `[...prefix, command, ...arguments]`. */
  prefix(host: 'near' | 'far'): readonly string[]
  /** Runs a command in a host to its end; answers its standard output. */
  run(host: 'near' | 'far', ...command: string[]): string
  /** Takes all addresses of tun9 away from near, and its default routes with them: the other wire has some. */
  loseAddresses(): void
  /**
   * Gives them back without the default routes: what is not near goes by the other wire then, for who does not keep to
   * tun9.
   */
  returnAddresses(): void
  /** Gives the default routes back. */
  returnRoutes(): void
  /** Takes the default routes of tun9 away; its addresses stay. */
  loseRoutes(): void
  /** Packets counted since the beginning. */
  packets(name: CounterName): number
  stop(): Promise<void>
}

const COUNTERS = `
table inet watch {
  counter inside { }
  counter outside { }
  counter strays { }
  chain out {
    type filter hook output priority 0; policy accept;
    oifname { "lo", "ctl1" } accept
    meta l4proto { tcp, udp } oifname "tun9" counter name inside accept
    tcp flags & (rst | ack) == rst counter name strays accept
    tcp flags & (rst | ack) == (rst | ack) tcp sequence 0 counter name strays accept
    meta l4proto { tcp, udp } counter name outside
  }
}
`

/** Pairs of hosts made by this process: wires of an old one may take a while to vanish. */
let made = 0

/** A process that holds a new namespace. */
export async function holdNamespace(): Promise<ChildProcess> {
  const own = readlinkSync('/proc/self/ns/net')
  // It ends with its input, and so with this process, however that ends.
  const child = spawn('unshare', ['-n', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const inside = (): boolean => {
    try {
      return readlinkSync(`/proc/${child.pid ?? 0}/ns/net`) !== own
    } catch {
      return false
    }
  }
  await waitFor('a namespace', inside, 20_000)
  return child
}

/** Makes both hosts with their wires; leaves nothing when that fails. */
export async function makeTwoHosts(): Promise<TwoHosts> {
  const held: ChildProcess[] = []
  try {
    for (let count = 0; count < 2; count += 1) held.push(await holdNamespace())
    return joinHosts(held as [ChildProcess, ChildProcess])
  } catch (error) {
    for (const holder of held) holder.kill('SIGKILL')
    throw error
  }
}

function joinHosts([near, far]: readonly [ChildProcess, ChildProcess]): TwoHosts {
  const holders = { near, far }
  const prefix = (host: 'near' | 'far'): readonly string[] => ['nsenter', '-t', `${holders[host].pid ?? 0}`, '-n']
  const here = (command: string, ...rest: string[]): string => execFileSync(command, rest, { encoding: 'utf8' })
  const run = (host: 'near' | 'far', ...command: string[]): string => {
    const [program = '', ...rest] = [...prefix(host), ...command]
    return here(program, ...rest)
  }
  const ip = (host: 'near' | 'far', text: string): string => run(host, 'ip', ...text.split(' '))
  // Test files that run side by side share the namespace of the test: names and addresses by process.
  made += 1
  const net = (process.pid * 7 + made) % 250
  const names = { near: `n${process.pid}x${made}`, far: `f${process.pid}x${made}` }
  const wire = (near: string, far: string): void => {
    here('ip', 'link', 'add', names.near, 'type', 'veth', 'peer', 'name', names.far)
    here('ip', 'link', 'set', names.near, 'netns', `${holders.near.pid ?? 0}`)
    here('ip', 'link', 'set', names.far, 'netns', `${holders.far.pid ?? 0}`)
    ip('near', `link set ${names.near} name ${near}`)
    ip('far', `link set ${names.far} name ${far}`)
    ip('near', `link set ${near} up`)
    ip('far', `link set ${far} up`)
  }
  const returnAddresses = (): void => {
    ip('near', 'addr add 10.78.1.1/24 dev tun9')
    ip('near', 'addr add fd78:1::1/64 dev tun9 nodad')
  }
  const returnRoutes = (): void => {
    ip('near', 'route replace default via 10.78.1.2 dev tun9 metric 10')
    ip('near', '-6 route replace default via fd78:1::2 dev tun9 metric 10')
  }
  for (const host of ['near', 'far'] as const) ip(host, 'link set lo up')
  wire('tun9', 'tun9f')
  wire('other0', 'other0f')
  ip('far', 'addr add 10.78.1.2/24 dev tun9f')
  ip('far', 'addr add fd78:1::2/64 dev tun9f nodad')
  ip('far', 'addr add 10.78.2.2/24 dev other0f')
  ip('far', 'addr add fd78:2::2/64 dev other0f nodad')
  ip('far', 'addr add 10.78.3.1/32 dev lo')
  ip('far', 'addr add fd78:3::1/128 dev lo nodad')
  ip('far', 'addr add 10.78.4.1/32 dev tun9f')
  ip('far', 'addr add fd78:4::1/128 dev tun9f nodad')
  ip('near', 'addr add 10.78.2.1/24 dev other0')
  ip('near', 'addr add fd78:2::1/64 dev other0 nodad')
  ip('near', 'route add default via 10.78.2.2 dev other0 metric 100')
  ip('near', '-6 route add default via fd78:2::2 dev other0 metric 100')
  returnAddresses()
  returnRoutes()
  here('ip', 'link', 'add', names.near, 'type', 'veth', 'peer', 'name', names.far)
  here('ip', 'link', 'set', names.far, 'netns', `${holders.near.pid ?? 0}`)
  ip('near', `link set ${names.far} name ctl1`)
  ip('near', 'link set ctl1 up')
  ip('near', `addr add 10.79.${net}.2/24 dev ctl1`)
  here('ip', 'link', 'set', names.near, 'up')
  here('ip', 'addr', 'add', `10.79.${net}.1/24`, 'dev', names.near)
  const [nsenter = '', ...inNear] = prefix('near')
  execFileSync(nsenter, [...inNear, 'nft', '-f', '-'], { input: COUNTERS })
  return {
    farIp: '10.78.3.1',
    tunnelIps: { 4: '10.78.4.1', 6: 'fd78:4::1' },
    boundIp: '10.78.1.1',
    gatewayIp: '10.78.1.2',
    controlIp: `10.79.${net}.2`,
    prefix,
    run,
    loseAddresses: () => {
      ip('near', 'addr flush dev tun9')
      ip('near', '-6 route flush default dev tun9')
    },
    returnAddresses,
    returnRoutes,
    loseRoutes: () => {
      ip('near', 'route del default dev tun9')
      ip('near', '-6 route del default dev tun9')
    },
    packets: name => {
      const listed = run('near', 'nft', 'list', 'counter', 'inet', 'watch', name)
      return Number(/packets (\d+)/.exec(listed)?.[1] ?? Number.NaN)
    },
    stop: async () => {
      // A wire goes with either of its ends, a namespace with its last process.
      for (const holder of Object.values(holders)) {
        const ended = once(holder, 'exit')
        holder.kill('SIGKILL')
        await ended
      }
    },
  }
}
