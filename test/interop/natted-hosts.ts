// Hosts behind routers of their own in network namespaces, and a public network between the routers, which is the
// namespace of the test itself: no host outside reaches one before it has sent something there. Needs the namespace
// that test/kit/netns makes, iproute2, nft and nsenter.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { waitFor } from '../kit/wait-for.ts'

/** A host behind its router. */
export interface NattedHost {
  /** Where others see it. */
  readonly outsideIp: string
  /** Its own address. */
  readonly ip: string
  /** Its address for the test itself. */
  readonly controlIp: string
  /** What runs a command there: `[...prefix, command, ...arguments]`. */
  readonly prefix: readonly string[]
}

export interface NattedHosts {
  /** Where the test's own namespace is reached. */
  readonly publicIp: string
  readonly hosts: readonly [NattedHost, NattedHost]
  stop(): Promise<void>
}

/**
 * Addresses are translated as home routers do: the port is kept, and what nobody asked for is dropped without a word.
 */
const ROUTER = `
table ip home {
  chain out {
    type nat hook postrouting priority 100;
    oifname "wan" masquerade
  }
  chain in {
    type filter hook input priority 0;
    iifname "wan" ct state established,related accept
    iifname "wan" drop
  }
  chain through {
    type filter hook forward priority 0;
    iifname "wan" ct state established,related accept
    iifname "wan" drop
  }
}
`

async function holdNamespace(): Promise<ChildProcess> {
  const own = readlinkSync('/proc/self/ns/net')
  const child = spawn('unshare', ['-n', 'sleep', 'infinity'], { stdio: 'ignore' })
  const inside = (): boolean => {
    try {
      return readlinkSync(`/proc/${child.pid ?? 0}/ns/net`) !== own
    } catch {
      return false
    }
  }
  await waitFor('a namespace', inside, 5_000)
  return child
}

function run(holder: ChildProcess | null, text: string, input = ''): void {
  const inNs = holder === null ? [] : ['nsenter', '-t', `${holder.pid ?? 0}`, '-n']
  const [program = '', ...rest] = [...inNs, ...text.split(' ')]
  execFileSync(program, rest, { input, encoding: 'utf8' })
}

/** Joins `left` and `right` (null: this namespace) by a wire with these names and addresses. */
function wire(left: readonly [ChildProcess | null, string, string], right: typeof left): void {
  run(null, 'ip link add wleft type veth peer name wright')
  for (const [[holder, name, address], temporary] of [
    [left, 'wleft'],
    [right, 'wright'],
  ] as const) {
    if (holder !== null) run(null, `ip link set ${temporary} netns ${holder.pid ?? 0}`)
    run(holder, `ip link set ${temporary} name ${name}`)
    if (address !== '') run(holder, `ip addr add ${address} dev ${name}`)
    run(holder, `ip link set ${name} up`)
  }
}

/** Makes two such hosts. One pair a namespace at a time. */
export async function makeNattedHosts(): Promise<NattedHosts> {
  const holders: ChildProcess[] = []
  const publicIp = '5.45.0.1'
  run(null, 'ip link add public type bridge')
  run(null, `ip addr add ${publicIp}/24 dev public`)
  run(null, 'ip link set public up')
  const make = async (n: number): Promise<NattedHost> => {
    const [router, host] = [await holdNamespace(), await holdNamespace()]
    holders.push(router, host)
    const outsideIp = `5.45.0.${10 + n}`
    wire([router, 'wan', `${outsideIp}/24`], [null, `pub${n}`, ''])
    run(null, `ip link set pub${n} master public`)
    wire([router, 'lan', `192.168.${n}.1/24`], [host, 'eth0', `192.168.${n}.2/24`])
    wire([host, 'ctl', `10.79.${n}.2/24`], [null, `ctl${n}`, `10.79.${n}.1/24`])
    run(host, 'ip link set lo up')
    run(host, `ip route add default via 192.168.${n}.1`)
    run(router, 'sysctl -qw net.ipv4.ip_forward=1')
    run(router, 'nft -f -', ROUTER)
    const prefix = ['nsenter', '-t', `${host.pid ?? 0}`, '-n']
    return { outsideIp, ip: `192.168.${n}.2`, controlIp: `10.79.${n}.2`, prefix }
  }
  const hosts = [await make(1), await make(2)] as const
  return {
    publicIp,
    hosts,
    stop: async () => {
      for (const holder of holders) {
        const ended = once(holder, 'exit')
        holder.kill('SIGKILL')
        await ended
      }
      run(null, 'ip link del public')
    },
  }
}
