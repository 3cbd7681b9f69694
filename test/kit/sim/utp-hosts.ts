// Two hosts, near and far, in network namespaces of their own, each joined to the namespace of the test by a wire of
// 1500 bytes. The test's namespace forwards packets between them, and has the relay that loses some (utp-line.ts).
// libtorrent binds to the device of its address, so both are found at the address of their wire. Needs the namespace
// that test/kit/netns makes, iproute2 and nsenter.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { waitFor } from '../wait-for.ts'

/** One of the two. */
export interface UtpHost {
  readonly ip: string
  /** The address of the test's namespace on this host's wire. */
  readonly gatewayIp: string
  /** What runs a command in the host: `[...prefix, command, ...arguments]`. */
  readonly prefix: readonly string[]
  /** Bytes that crossed its wire, in and out. */
  wireBytes(): number
}

/** Both. */
export interface UtpHosts {
  readonly near: UtpHost
  readonly far: UtpHost
  stop(): Promise<void>
}

/** Hosts made by this process. */
let made = 0

/** Makes both hosts with their wires. */
export async function makeUtpHosts(): Promise<UtpHosts> {
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
  const holders = [await holdNamespace(), await holdNamespace()] as const
  return {
    near: makeHost(holders[0]),
    far: makeHost(holders[1]),
    stop: async () => {
      // A wire goes with either of its ends, a namespace with its last process.
      for (const holder of holders) {
        const ended = once(holder, 'exit')
        holder.kill('SIGKILL')
        await ended
      }
    },
  }
}

/** A process that holds a new namespace. */
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

function makeHost(holder: ChildProcess): UtpHost {
  const pid = holder.pid ?? 0
  const prefix = ['nsenter', '-t', `${pid}`, '-n']
  const ip = (text: string): void => void execFileSync('ip', text.split(' '))
  const inside = (text: string): void => void execFileSync('nsenter', [...prefix.slice(1), 'ip', ...text.split(' ')])
  // Test files that run side by side share the namespace of the test: names and addresses by process.
  made += 1
  const [outer, net] = [`u${process.pid}x${made}`, (process.pid * 7 + made) % 250]
  const [own, gatewayIp] = [`10.76.${net}.2`, `10.76.${net}.1`]
  ip(`link add ${outer} type veth peer name wire0 netns ${pid}`)
  ip(`addr add ${gatewayIp}/24 dev ${outer}`)
  ip(`link set ${outer} up`)
  inside('link set lo up')
  inside(`addr add ${own}/24 dev wire0`)
  inside('link set wire0 up')
  inside(`route add default via ${gatewayIp}`)
  return { ip: own, gatewayIp, prefix, wireBytes: () => wireBytes(pid) }
}

function wireBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/net/dev`, 'utf8')
  const fields = /^\s*wire0:\s*(.*)$/m.exec(text)?.[1]?.trim().split(/\s+/) ?? []
  return Number(fields[0] ?? 0) + Number(fields[8] ?? 0)
}
