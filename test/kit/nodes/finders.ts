// Clients of other projects with sources of peers other than trackers: DHT, peer exchange, local discovery. One torrent
// each.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { encodeCompactPeer } from '../../../src/wire/net/compact-address.ts'
import { Aria2Peer } from '../peers/aria2-peer.ts'
import { LibtorrentPeer } from '../peers/libtorrent-peer.ts'
import { RtorrentPeer } from '../peers/rtorrent-peer.ts'
import { TransmissionPeer } from '../peers/transmission-peer.ts'
import { WebTorrentPeer } from '../peers/webtorrent-peer.ts'

/** What is on; everything else is off. */
export interface FinderSources {
  /** Nodes its DHT begins with; without the list it has no DHT. */
  readonly dht?: readonly PeerAddress[]
  readonly pex?: boolean
  readonly lsd?: boolean
  /** Stands at this IPv6 address, for peers and trackers; its DHT is the IPv6 one alone. */
  readonly ip6?: string
}

/** A running client. */
export interface Finder {
  readonly ip: string
  readonly port: number
  /** Adds a torrent whose data lies, or will lie, in `dir`. */
  add(torrentPath: string, dir: string): Promise<void>
  complete(limitMs?: number): Promise<void>
  stop(): Promise<void>
}

/** What starts one: at `ip` (WebTorrent stands at its own), with a folder of its own. */
export type StartFinder = (ip: string, home: string, sources: FinderSources) => Promise<Finder>

const ARIA2_DHT_PORT = 16_882
const RTORRENT_DHT_PORT = 26_882
const ASK_AGAIN_MS = 3000

async function startLibtorrent(ip: string, _home: string, sources: FinderSources): Promise<Finder> {
  const peer = await LibtorrentPeer.start(ip)
  const nodes = (sources.dht ?? []).map(node => `${node.ip}:${node.port}`).join(',')
  const dht = {
    enable_dht: true,
    dht_bootstrap_nodes: nodes,
    // All addresses are of one network here.
    dht_restrict_search_ips: false,
    dht_restrict_routing_ips: false,
    dht_ignore_dark_internet: false,
  }
  const settings = { ...(sources.dht === undefined ? {} : dht), enable_lsd: sources.lsd ?? false }
  await peer.call('settings', { settings })
  let id = -1
  return {
    ip: peer.ip,
    port: peer.port,
    add: async (torrent, dir) => {
      id = await peer.add({ torrent, dir, no_pex: sources.pex !== true })
    },
    complete: limitMs => peer.complete(id, limitMs),
    stop: () => peer.stop(),
  }
}

/**
 * IPv4 nodes it takes one each 15 s or so; those of IPv6 it finds where it keeps what it knows, and takes eight at
 * once.
 */
async function writeTransmissionNodes(home: string, nodes: readonly PeerAddress[]): Promise<void> {
  const four = nodes.filter(node => node.ip.includes('.')).map(node => `${node.ip} ${node.port}\n`)
  await writeFile(join(home, 'dht.bootstrap'), four.join(''))
  const six = Buffer.concat(nodes.filter(node => node.ip.includes(':')).map(encodeCompactPeer))
  if (six.length === 0) return
  const saved = [Buffer.from(`d6:nodes6${six.length}:`), six, Buffer.from('e')]
  await writeFile(join(home, 'dht.dat'), Buffer.concat(saved))
}

async function startTransmission(ip: string, home: string, sources: FinderSources): Promise<Finder> {
  await mkdir(home, { recursive: true })
  if (sources.dht !== undefined) await writeTransmissionNodes(home, sources.dht)
  return TransmissionPeer.start(ip, home, {
    'dht-enabled': sources.dht !== undefined,
    'pex-enabled': sources.pex ?? false,
    'lpd-enabled': sources.lsd ?? false,
    // Bound to an IPv4 address it announces to trackers from there alone.
    ...(sources.dht === undefined && sources.ip6 !== undefined ? { 'bind-address-ipv4': '0.0.0.0' } : {}),
    ...(sources.ip6 === undefined ? {} : { 'bind-address-ipv6': sources.ip6 }),
  })
}

/** Arguments for the DHT of one family: the IPv6 one where it stands at `ip6`. */
function aria2Dht(home: string, { dht, ip6 }: FinderSources): string[] {
  if (dht === undefined) return []
  const [node] = dht
  const six = ip6 === undefined ? '' : '6'
  const host = ip6 === undefined ? node?.ip : `[${node?.ip}]`
  return [
    `--enable-dht${six}=true`,
    `--dht-listen-port=${ARIA2_DHT_PORT}`,
    `--dht-file-path${six}=${join(home, 'dht.dat')}`,
    ...(ip6 === undefined ? [] : [`--dht-listen-addr6=${ip6}`]),
    ...(node === undefined ? [] : [`--dht-entry-point${six}=${host}:${node.port}`]),
  ]
}

function startAria2(ip: string, home: string, sources: FinderSources): Promise<Finder> {
  // Its control is where its peers are.
  return Aria2Peer.start(sources.ip6 === undefined ? ip : `[${sources.ip6}]`, home, [
    ...aria2Dht(home, sources),
    ...(sources.pex === true ? ['--enable-peer-exchange=true'] : []),
    ...(sources.ip6 === undefined ? [] : ['--disable-ipv6=false', `--interface=${sources.ip6}`]),
    ...(sources.lsd === true ? ['--bt-enable-lpd=true', `--bt-lpd-interface=${ip}`] : []),
  ])
}

async function startRtorrent(ip: string, home: string, sources: FinderSources): Promise<Finder> {
  const dht = sources.dht === undefined ? {} : { dhtPort: RTORRENT_DHT_PORT }
  const peer = await RtorrentPeer.start(ip, home, { pex: sources.pex ?? false, ...dht })
  // Its DHT takes nodes once it runs.
  for (const node of sources.dht ?? []) await peer.call('dht.add_node', '', `${node.ip}:${node.port}`)
  if (sources.dht === undefined) return peer
  const askAgain = async (): Promise<void> => {
    for (const hash of (await peer.call('download_list', '')) as string[]) await peer.call('d.tracker_announce', hash)
  }
  return {
    ip: peer.ip,
    port: peer.port,
    add: (torrent, dir) => peer.add(torrent, dir),
    complete: async limitMs => {
      // It looks in the DHT once, which may be before that has nodes, and then not for many minutes.
      const again = setInterval(() => void askAgain().catch(() => undefined), ASK_AGAIN_MS)
      await peer.complete(limitMs).finally(() => clearInterval(again))
    },
    stop: () => peer.stop(),
  }
}

async function startWebTorrent(_ip: string, _home: string, sources: FinderSources): Promise<Finder> {
  const peer = await WebTorrentPeer.start({
    pex: sources.pex ?? false,
    lsd: sources.lsd ?? false,
    ...(sources.dht === undefined ? {} : { dht: sources.dht.map(node => `${node.ip}:${node.port}`) }),
  })
  return {
    ip: peer.ip,
    port: peer.port,
    add: (torrent, dir) => peer.add({ torrent, dir }),
    complete: limitMs => peer.complete(limitMs),
    stop: () => peer.stop(),
  }
}

/** By their names in the matrix. */
export const FINDERS = {
  libtorrent: startLibtorrent,
  Transmission: startTransmission,
  aria2: startAria2,
  rtorrent: startRtorrent,
  webtorrent: startWebTorrent,
} as const satisfies Record<string, StartFinder>
