// Debian's rtorrent as a peer of a test, driven by XML-RPC over a local socket in its home. Found by trackers and told
// addresses only, until options say otherwise.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaemonProcess, startDaemon } from '../nodes/daemon-process.ts'
import { scgiCall, type XmlRpcValue } from './scgi-client.ts'
import { waitFor } from '../wait-for.ts'

const RTORRENT_PEER_PORT = 26881

export interface RtorrentOptions {
  /** As rtorrent names them: `none`, or such as `allow_incoming,try_outgoing,require,require_RC4`. */
  readonly encryption?: string
  readonly pex?: boolean
  /** UDP port of its DHT; without one it has none. */
  readonly dhtPort?: number
  /** Further lines of its configuration. */
  readonly more?: readonly string[]
}

/** A connected peer, as rtorrent sees it. */
export interface RtorrentConnection {
  readonly ip: string
  readonly port: number
  readonly encrypted: boolean
  readonly obfuscated: boolean
  readonly incoming: boolean
}

function configuration(ip: string, home: string, options: RtorrentOptions): string {
  return [
    `network.scgi.open_local = ${join(home, 'rpc')}`,
    `session.path.set = ${join(home, 'session')}`,
    `directory.default.set = ${home}`,
    `network.bind_address.set = ${ip}`,
    `network.local_address.set = ${ip}`,
    `network.port_range.set = ${RTORRENT_PEER_PORT}-${RTORRENT_PEER_PORT}`,
    'network.port_random.set = no',
    'network.xmlrpc.size_limit.set = 16M',
    'network.http.dns_cache_timeout.set = 0',
    'system.daemon.set = true',
    'throttle.max_uploads.set = 50',
    `protocol.encryption.set = ${options.encryption ?? 'none'}`,
    `protocol.pex.set = ${options.pex ? 'yes' : 'no'}`,
    'trackers.use_udp.set = yes',
    ...(options.dhtPort === undefined
      ? ['dht.mode.set = disable']
      : [`dht.port.set = ${options.dhtPort}`, 'dht.mode.set = on']),
    ...(options.more ?? []),
    '',
  ].join('\n')
}

/** One rtorrent; its newest torrent is the one that is asked about. */
export class RtorrentPeer {
  readonly name = 'rtorrent'
  readonly ip: string
  readonly port = RTORRENT_PEER_PORT
  readonly #daemon: DaemonProcess
  readonly #socket: string
  #infoHash = ''

  private constructor(ip: string, home: string) {
    this.ip = ip
    this.#socket = join(home, 'rpc')
    const args = ['-n', '-o', `import=${join(home, 'rtorrent.rc')}`]
    this.#daemon = startDaemon('rtorrent', args, { HOME: home, TERM: 'dumb' })
  }

  static async start(ip: string, home: string, options: RtorrentOptions = {}): Promise<RtorrentPeer> {
    await mkdir(join(home, 'session'), { recursive: true })
    await writeFile(join(home, 'rtorrent.rc'), configuration(ip, home, options))
    const peer = new RtorrentPeer(ip, home)
    await waitFor(
      'rtorrent answers',
      () => peer.#answers(),
      30_000,
      () => peer.#daemon.output(),
    )
    return peer
  }

  async #answers(): Promise<boolean> {
    this.#daemon.assertRunning()
    return this.call('system.pid').then(
      () => true,
      () => false,
    )
  }

  /** One call of its XML-RPC; rejects with the fault. */
  call(method: string, ...params: XmlRpcValue[]): Promise<XmlRpcValue> {
    return scgiCall(this.#socket, method, params)
  }

  async #hashes(): Promise<string[]> {
    return (await this.call('download_list', '')) as string[]
  }

  /** Loads and starts it; resolves when it is listed. Data that lies in `dir` is checked. */
  async #load(method: string, what: string | Buffer, dir: string): Promise<void> {
    const before = new Set(await this.#hashes())
    await this.call(method, '', what, `d.directory.set=${dir}`)
    const added = async () => (await this.#hashes()).find(hash => !before.has(hash))
    this.#infoHash = await waitFor('rtorrent lists the torrent', added)
  }

  async add(torrentPath: string, dir: string): Promise<void> {
    await this.#load('load.raw_start', await readFile(torrentPath), dir)
  }

  /** A magnet; its peers come from its trackers, the DHT or `connect`. */
  async addMagnet(magnet: string, dir: string): Promise<void> {
    await this.#load('load.start', magnet, dir)
  }

  /** Tells it of a peer. */
  async connect(ip: string, port: number): Promise<void> {
    await this.call('add_peer', this.#infoHash, `${ip}:${port}`)
  }

  /** Who is connected to it now. */
  async connections(): Promise<RtorrentConnection[]> {
    const asked = ['p.address=', 'p.port=', 'p.is_encrypted=', 'p.is_obfuscated=', 'p.is_incoming=']
    const rows = (await this.call('p.multicall', this.#infoHash, '', ...asked)) as XmlRpcValue[][]
    return rows.map(([ip, port, encrypted, obfuscated, incoming]) => ({
      ip: String(ip),
      port: Number(port),
      encrypted: encrypted === 1,
      obfuscated: obfuscated === 1,
      incoming: incoming === 1,
    }))
  }

  /** Waits until every byte is here and checked. A magnet's own entry (of the metadata) does not count. */
  async complete(limitMs = 120_000): Promise<void> {
    let last: XmlRpcValue[] = []
    const read = (name: string) => this.call(name, this.#infoHash).catch(() => 0)
    const look = async () => {
      last = await Promise.all(['d.complete', 'd.is_meta', 'd.left_bytes', 'd.message'].map(read))
      return last[0] === 1 && last[1] === 0
    }
    await waitFor('rtorrent complete', look, limitMs, () => last)
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}
