// The five clients of other projects behind one interface, for tests that do the same with each. All are closed to
// everything but TCP and the trackers of their torrents, until options say otherwise.

import { Aria2Peer } from './aria2-peer.ts'
import type { Peer } from '../runners/interop-features.ts'
import { LibtorrentPeer } from './libtorrent-peer.ts'
import { RtorrentPeer } from './rtorrent-peer.ts'
import { TransmissionPeer } from './transmission-peer.ts'
import { WebTorrentPeer } from './webtorrent-peer.ts'

export type ClientName = Exclude<Peer, 'other'>

export const CLIENT_NAMES = ['libtorrent', 'Transmission', 'aria2', 'rtorrent', 'webtorrent'] as const

/** What `needs` calls them. */
export const CLIENT_NEEDS = ['libtorrent', 'transmission-daemon', 'aria2c', 'rtorrent', 'webtorrent'] as const

export interface ClientOptions {
  /** Only encrypted connections, with RC4; WebTorrent tries them first and has no more than that. */
  readonly rc4?: boolean
}

/** A client with one torrent. */
export interface OtherClient {
  readonly ip: string
  readonly port: number
  /** Data that lies in `dir` is checked. */
  add(torrentPath: string, dir: string): Promise<void>
  addMagnet(magnet: string, dir: string): Promise<void>
  /** Waits until every byte is here and checked. */
  complete(limitMs?: number): Promise<void>
  stop(): Promise<void>
}

async function startLibtorrent(ip: string, options: ClientOptions): Promise<OtherClient> {
  const peer = await LibtorrentPeer.start(ip)
  if (options.rc4)
    await peer.call('settings', { settings: { in_enc_policy: 0, out_enc_policy: 0, allowed_enc_level: 2 } })
  let id = -1
  return {
    ip,
    port: peer.port,
    add: async (torrent, dir) => void (id = await peer.add({ torrent, dir })),
    addMagnet: async (magnet, dir) => void (id = await peer.add({ magnet, dir })),
    complete: limitMs => peer.complete(id, limitMs),
    stop: () => peer.stop(),
  }
}

async function startWebTorrent(options: ClientOptions): Promise<OtherClient> {
  const peer = await WebTorrentPeer.start({ encryption: options.rc4 ?? false })
  return {
    ip: peer.ip,
    port: peer.port,
    add: (torrent, dir) => peer.add({ torrent, dir }),
    addMagnet: (magnet, dir) => peer.add({ magnet, dir }),
    complete: limitMs => peer.complete(limitMs),
    stop: () => peer.stop(),
  }
}

/** Starts a client at `ip` with its own files in `home`. WebTorrent chooses its address itself. */
export async function startClient(
  name: ClientName,
  ip: string,
  home: string,
  options: ClientOptions = {},
): Promise<OtherClient> {
  const { rc4 = false } = options
  switch (name) {
    case 'libtorrent':
      return startLibtorrent(ip, options)
    case 'Transmission':
      return TransmissionPeer.start(ip, home, rc4 ? { encryption: 2 } : {})
    case 'aria2':
      return Aria2Peer.start(ip, home, rc4 ? ['--bt-require-crypto=true', '--bt-min-crypto-level=arc4'] : [])
    case 'rtorrent':
      return RtorrentPeer.start(ip, home, rc4 ? { encryption: 'allow_incoming,try_outgoing,require,require_RC4' } : {})
    case 'webtorrent':
      return startWebTorrent(options)
  }
}
