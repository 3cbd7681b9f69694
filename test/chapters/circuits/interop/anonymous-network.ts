// A network of overlay nodes in namespaces of their own (overlay-hosts.ts), for tests of anonymous downloads: a host to
// download at, relays, exits, and one host that is the internet behind them: a libtorrent seeder, a tracker and a web
// server. Names are known to exits only. The downloading node is the test's to start and to stop.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LibtorrentPeer } from '../../../kit/peers/libtorrent-peer.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import {
  makeOverlayHosts,
  OVERLAY_PORT,
  type OverlayHost,
  type OverlayHosts,
} from '../../../kit/nodes/overlay-hosts.ts'

/** How many overlay nodes there are beside the downloading one. */
export interface NetworkSize {
  readonly relays: number
  readonly exits: number
}

/** One request that the server outside saw. */
export interface SeenRequest {
  readonly ip: string
  readonly host: string
  readonly path: string
}

/** The internet: what exits reach. */
export interface Outside {
  readonly ip: string
  readonly seeder: LibtorrentPeer
  /** Folder the web server gives files of. */
  readonly folder: string
  /** `http://files.example.org`: a name that exits alone know. */
  readonly url: string
  readonly requests: SeenRequest[]
}

/**
 * A network of overlay nodes in namespaces of their own (overlay-hosts.ts), for tests of anonymous downloads: a host to
 * download at, relays, exits, and one host that is the internet behind them: a libtorrent seeder, a tracker and a web
 * server.
 */
export interface AnonymousNetwork {
  readonly host: OverlayHost
  readonly relays: readonly OverlayHost[]
  readonly exits: readonly OverlayHost[]
  readonly outside: Outside
  /** Starts the downloading node; with a folder of an earlier one it goes on there. */
  start(stateDir: string, settings?: Readonly<Record<string, string | number | boolean>>): Promise<NodeProcess>
  /** Packets that have left the downloading host and are none of the overlay's, and where they went. */
  leaked(): { readonly packets: number; readonly where: readonly string[] }
  stop(): Promise<void>
}

const COMMUNITY = '7472696275746172792d6578616d706c652d6e65'
const WEB_PORT = 80

/** Makes the network; files and names lie in `folder`. */
export async function makeAnonymousNetwork(size: NetworkSize, folder: string): Promise<AnonymousNetwork> {
  const members = 1 + size.relays + size.exits
  const network = await makeOverlayHosts(members + 1, members)
  const started: { stop(): Promise<unknown> }[] = [network]
  const stop = async (): Promise<void> => {
    for (const part of started.splice(0).reverse()) await part.stop()
  }
  try {
    const [host, ...others] = network.hosts as [OverlayHost, ...OverlayHost[]]
    const relays = others.slice(0, size.relays)
    const exits = others.slice(size.relays, size.relays + size.exits)
    const outside = await startOutside(others.at(-1) as OverlayHost, folder, started)
    const names = await placeOf(folder, 'hosts', `${outside.ip} files.example.org tracker.example.org\n`)
    const nowhere = await placeOf(folder, 'resolv.conf', 'nameserver 192.0.2.53\n')
    const settings = overlaySettings(network)
    const others_ = [...relays.map(one => [one, false] as const), ...exits.map(one => [one, true] as const)]
    const nodes = await Promise.all(
      others_.map(([one, exit]) =>
        startNode({
          settings: {
            ...settings(one),
            'ipv8.start': 'always',
            'tunnel_community.exitnode_enabled': exit,
            // Bound to an address, names would be looked up by name servers alone, not in the file below.
            'libtorrent.interface': '',
          },
          prefix: [...one.prefix, ...withFile(names, '/etc/hosts')],
        }),
      ),
    )
    started.push(...nodes)
    return {
      host,
      relays,
      exits,
      outside,
      stop,
      start: (stateDir, more = {}) =>
        startNode({
          stateDir,
          settings: { ...settings(host), ...EVERYTHING_HERE, ...more },
          prefix: [...host.prefix, ...withFile(nowhere, '/etc/resolv.conf')],
        }),
      leaked: () => ({ packets: host.packets().other, where: host.leaks() }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What could send something plainly for a download, and does nothing by itself. */
const EVERYTHING_HERE = {
  'libtorrent.interface': '',
  'libtorrent.utp': true,
  'libtorrent.pex': true,
  'libtorrent.lsd': true,
  'libtorrent.dht_bootstrap': '192.0.2.9:6881,router.example.org:6881',
} as const

function overlaySettings(network: OverlayHosts): (host: OverlayHost) => Record<string, string | number | boolean> {
  const members = network.hosts.slice(0, -1)
  return host => ({
    'api.http_host': host.controlIp,
    'ipv8.port': OVERLAY_PORT,
    'ipv8.bootstrap_override': members
      .filter(one => one !== host)
      .map(one => `${one.ip}:${OVERLAY_PORT}`)
      .join(','),
    'tunnel_community.community_id': COMMUNITY,
    'tunnel_community.random_slots': 100,
  })
}

async function placeOf(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

/** Runs a command that sees `file` in the place of `path`. */
function withFile(file: string, path: string): string[] {
  return ['unshare', '-m', 'sh', '-c', `mount --bind "$0" ${path} && exec "$@"`, file]
}

async function startOutside(
  host: OverlayHost,
  folder: string,
  started: { stop(): Promise<unknown> }[],
): Promise<Outside> {
  const seeder = await LibtorrentPeer.start(host.ip, host.prefix)
  started.push(seeder)
  await seeder.call('settings', { settings: { enable_incoming_utp: true } })
  const requests: SeenRequest[] = []
  const script = fileURLToPath(new URL('./outside-server.js', import.meta.url))
  const peer = `${host.ip}:${seeder.port}`
  const [program, ...rest] = ['env', ...host.prefix, process.execPath, script, host.ip, `${WEB_PORT}`, folder, peer]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push({ stop: () => ended(child) })
  const lines = createInterface({ input: child.stdout })
  const ready = once(lines, 'line')
  lines.on('line', line => {
    if (line.startsWith('{')) requests.push(JSON.parse(line) as SeenRequest)
  })
  await ready
  return { ip: host.ip, seeder, folder, url: 'http://files.example.org', requests }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
