// WebTorrent from npm as a peer of a test: a session in a process of its own (webtorrent-session.ts), installed by
// `make bench-rivals` from its lock file. It cannot be bound to an address; its port is its own.

import { fileURLToPath } from 'node:url'
import { JsonLinesChild } from '../nodes/json-lines-child.ts'
import { WEBTORRENT_ENTRY } from '../requirements.ts'
import { waitFor } from '../wait-for.ts'

/** All off unless said. */
export interface WebTorrentOptions {
  readonly pex?: boolean
  readonly lsd?: boolean
  readonly utp?: boolean
  /** Tries encrypted connections first, and takes plain ones. */
  readonly encryption?: boolean
  /** Addresses (`ip:port`) of nodes its DHT begins with; [] = none; without the list it has no DHT. */
  readonly dht?: readonly string[]
  readonly webSeeds?: boolean
}

/** One connection as WebTorrent sees it. */
export interface WebTorrentWire {
  readonly type: 'tcpIncoming' | 'tcpOutgoing' | 'utpIncoming' | 'utpOutgoing' | 'webSeed'
  readonly ip: string
  readonly port: number
  readonly fast: boolean
  /** 0 = none, 1 = plaintext, 2 = RC4. */
  readonly encryption: number
  readonly extensions: readonly string[]
}

export interface WebTorrentStatus {
  readonly infoHash: string
  readonly ready: boolean
  readonly done: boolean
  readonly progress: number
  readonly downloaded: number
  readonly uploaded: number
  readonly metadata: boolean
  readonly wires: readonly WebTorrentWire[]
  readonly files: readonly { readonly path: string; readonly progress: number }[]
}

/** What to add: one of torrent (a path) and magnet. Data that lies in `dir` is checked. */
export interface WebTorrentAdd {
  readonly torrent?: string
  readonly magnet?: string
  readonly dir: string
  readonly peers?: readonly (readonly [string, number])[]
}

function optionsOf(options: WebTorrentOptions): object {
  return {
    dht: options.dht === undefined ? false : { bootstrap: options.dht.length > 0 ? options.dht : false },
    lsd: options.lsd ?? false,
    utPex: options.pex ?? false,
    utp: options.utp ?? false,
    secure: options.encryption ?? false,
    webSeeds: options.webSeeds ?? false,
    natUpnp: false,
    natPmp: false,
  }
}

/** One WebTorrent client; its newest torrent is the one that is asked about. */
export class WebTorrentPeer {
  readonly name = 'webtorrent'
  /** What it sends from: the first address of the namespace. */
  readonly ip = '10.77.0.1'
  port = 0
  dhtPort = 0
  readonly #child: JsonLinesChild

  private constructor(options: WebTorrentOptions) {
    const session = fileURLToPath(new URL('./webtorrent-session.js', import.meta.url))
    const args = [session, WEBTORRENT_ENTRY, JSON.stringify(optionsOf(options))]
    this.#child = new JsonLinesChild('webtorrent', process.execPath, args)
  }

  static async start(options: WebTorrentOptions = {}): Promise<WebTorrentPeer> {
    const peer = new WebTorrentPeer(options)
    const ports = await peer.call('ports')
    peer.port = Number(ports['port'])
    peer.dhtPort = Number(ports['dhtPort'])
    return peer
  }

  /** One command of its session; rejects with its error. */
  call(op: string, fields: object = {}): Promise<Record<string, unknown>> {
    return this.#child.call(op, fields)
  }

  async add(what: WebTorrentAdd): Promise<void> {
    await this.call('add', what)
  }

  async status(): Promise<WebTorrentStatus> {
    return (await this.call('status')) as unknown as WebTorrentStatus
  }

  /** Waits until every byte is here and checked. */
  async complete(limitMs = 120_000): Promise<void> {
    let last: WebTorrentStatus | undefined
    const look = async () => (last = await this.status()).done
    await waitFor('webtorrent complete', look, limitMs, () => last)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}
