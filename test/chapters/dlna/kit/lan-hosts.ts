// Three hosts in network namespaces of their own, as in a house: `node`, where the node runs; `sofa`, in its network
// (10.9.0.0/24, the node's lan0), where players are; and `guest`, in another network of the same node (10.9.1.0/24, its
// lan1), which reaches the node's address in the first one too. A wire of its own leads from the test to the node's
// interface. No IPv6: players take whichever address they find first. Needs the namespace that test/kit/netns makes.

import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { holdNamespace } from '../../../kit/nodes/two-hosts.ts'

/** One of them. */
export type LanHost = 'node' | 'sofa' | 'guest'

/** The house. */
export interface LanHosts {
  /** Addresses of the node in both networks, and of the others. */
  readonly nodeIp: string
  readonly sofaIp: string
  readonly guestIp: string
  /** Address of the node for the test itself. */
  readonly controlIp: string
  /** What runs a command in a host. */
  prefix(host: LanHost): readonly string[]
  /** Runs a command in a host to its end; its standard output, whatever its exit status. */
  run(host: LanHost, ...command: readonly string[]): string
  stop(): Promise<void>
}

let made = 0

/** Makes them. */
export async function makeLanHosts(): Promise<LanHosts> {
  const holders = { node: await holdNamespace(), sofa: await holdNamespace(), guest: await holdNamespace() }
  const prefix = (host: LanHost): readonly string[] => ['nsenter', '-t', `${holders[host].pid ?? 0}`, '-n']
  const here = (...[program = '', ...rest]: readonly string[]): string =>
    execFileSync(program, rest, { encoding: 'utf8' })
  const ip = (host: LanHost, text: string): string => here(...prefix(host), 'ip', ...text.split(' '))
  made += 1
  const net = (process.pid * 11 + made) % 250
  const names = { near: `w${process.pid}x${made}`, far: `v${process.pid}x${made}` }
  const wire = (from: LanHost, nameFrom: string, to: LanHost, nameTo: string): void => {
    here('ip', 'link', 'add', names.near, 'type', 'veth', 'peer', 'name', names.far)
    for (const [host, name, inside] of [
      [from, names.near, nameFrom],
      [to, names.far, nameTo],
    ] as const) {
      here('ip', 'link', 'set', name, 'netns', `${holders[host].pid ?? 0}`)
      ip(host, `link set ${name} name ${inside}`)
      here(...prefix(host), 'sh', '-c', `echo 1 > /proc/sys/net/ipv6/conf/${inside}/disable_ipv6`)
      ip(host, `link set ${inside} up`)
    }
  }
  for (const host of ['node', 'sofa', 'guest'] as const) ip(host, 'link set lo up')
  wire('node', 'lan0', 'sofa', 'eth0')
  wire('node', 'lan1', 'guest', 'eth0')
  ip('node', 'addr add 10.9.0.1/24 dev lan0')
  ip('node', 'addr add 10.9.1.1/24 dev lan1')
  ip('sofa', 'addr add 10.9.0.2/24 dev eth0')
  ip('guest', 'addr add 10.9.1.2/24 dev eth0')
  ip('sofa', 'route add default via 10.9.0.1')
  ip('guest', 'route add default via 10.9.1.1')
  here('ip', 'link', 'add', names.near, 'type', 'veth', 'peer', 'name', names.far)
  here('ip', 'link', 'set', names.far, 'netns', `${holders.node.pid ?? 0}`)
  ip('node', `link set ${names.far} name ctl1`)
  ip('node', 'link set ctl1 up')
  ip('node', `addr add 10.79.${net}.2/24 dev ctl1`)
  here('ip', 'link', 'set', names.near, 'up')
  here('ip', 'addr', 'add', `10.79.${net}.1/24`, 'dev', names.near)
  return {
    nodeIp: '10.9.0.1',
    sofaIp: '10.9.0.2',
    guestIp: '10.9.1.2',
    controlIp: `10.79.${net}.2`,
    prefix,
    run: (host, ...command) => outputOf([...prefix(host), ...command]),
    stop: () => stopAll(Object.values(holders)),
  }
}

function outputOf([program = '', ...rest]: readonly string[]): string {
  try {
    return execFileSync(program, rest, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? ''
  }
}

async function stopAll(holders: readonly ChildProcess[]): Promise<void> {
  for (const holder of holders) {
    const ended = once(holder, 'exit')
    holder.kill('SIGKILL')
    await ended
  }
}
