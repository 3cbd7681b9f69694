// WebTorrent in a process of its own: commands as JSON lines on standard input, one JSON answer a line, in order.
// Arguments: its entry file, its options as JSON. It cannot be bound: it sends from the namespace's first address.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

/** What this file uses of WebTorrent, which comes without types. */
interface Wire {
  readonly type: string
  readonly remoteAddress?: string
  readonly remotePort?: number
  readonly hasFast: boolean
  /** 1 = plaintext, 2 = RC4, null = no encrypted handshake. */
  readonly _encryptionMethod: number | null
  readonly peerExtendedMapping: Readonly<Record<string, number>>
  readonly peerPieces: { get(index: number): boolean }
  readonly lt_donthave: { donthave(index: number): void }
}

interface Torrent {
  readonly infoHash: string
  readonly ready: boolean
  readonly done: boolean
  readonly progress: number
  readonly downloaded: number
  readonly uploaded: number
  readonly metadata: unknown
  readonly wires: readonly Wire[]
  readonly bitfield: { set(index: number, value: boolean): void } | null
  readonly files: readonly { readonly path: string; readonly progress: number }[]
  addPeer(address: string): boolean
  on(event: 'error', listener: (error: Error) => void): void
  once(event: 'infoHash', listener: () => void): void
}

interface Dht {
  addNode(node: { host: string; port: number }): void
  put(item: object, done: (error: Error | null, key?: Uint8Array) => void): void
  get(
    key: Uint8Array,
    done: (error: Error | null, item?: { v: Uint8Array; k?: Uint8Array; seq?: number }) => void,
  ): void
  toJSON(): { nodes: unknown[] }
}

interface Client {
  readonly torrentPort: number
  readonly dhtPort: number
  readonly dht: Dht | false
  readonly torrents: readonly Torrent[]
  add(what: string | Buffer, options: object): Torrent
  on(event: 'error', listener: (error: Error) => void): void
  once(event: 'listening', listener: () => void): void
}

type Command = { readonly op: string } & Record<string, unknown>

const [entry = '', options = '{}'] = process.argv.slice(2)
const { default: WebTorrent } = (await import(pathToFileURL(entry).href)) as {
  default: new (options: object) => Client
}
const client = new WebTorrent(JSON.parse(options) as object)
let failure = ''
const failed = (error: Error) => {
  failure = error.message
}
client.on('error', failed)
await new Promise<void>(resolve => client.once('listening', resolve))

function last(): Torrent {
  const torrent = client.torrents.at(-1)
  if (!torrent) throw new Error('no torrent')
  return torrent
}

function theDht(): Dht {
  if (client.dht === false) throw new Error('no DHT')
  return client.dht
}

function wireRow(wire: Wire): object {
  return {
    type: wire.type,
    ip: wire.remoteAddress ?? '',
    port: wire.remotePort ?? 0,
    fast: wire.hasFast,
    encryption: wire._encryptionMethod ?? 0,
    extensions: Object.keys(wire.peerExtendedMapping),
  }
}

const operations: Record<string, (command: Command) => unknown> = {
  ports: () => ({ port: client.torrentPort, dhtPort: client.dhtPort }),
  add({ torrent, magnet, dir, peers }) {
    const what = typeof magnet === 'string' ? magnet : readFileSync(String(torrent))
    const added = client.add(what, { path: dir })
    added.on('error', failed)
    added.once('infoHash', () => {
      for (const [ip, port] of (peers ?? []) as [string, number][]) added.addPeer(`${ip}:${port}`)
    })
  },
  connect({ ip, port }) {
    last().addPeer(`${String(ip)}:${String(port)}`)
  },
  status() {
    const { infoHash, ready, done, progress, downloaded, uploaded, wires, files, metadata } = last()
    const rows = files.map(file => ({ path: file.path, progress: file.progress }))
    return {
      infoHash,
      ready,
      done,
      progress,
      downloaded,
      uploaded,
      files: rows,
      metadata: Boolean(metadata),
      wires: wires.map(wireRow),
    }
  },
  /** Forgets a piece that it has, and tells every peer. */
  donthave({ piece }) {
    const torrent = last()
    torrent.bitfield?.set(Number(piece), false)
    for (const wire of torrent.wires) wire.lt_donthave.donthave(Number(piece))
  },
  /** Whether some peer is known to have a piece. */
  peerHas: ({ piece }) => ({ has: last().wires.some(wire => wire.peerPieces.get(Number(piece))) }),
  dhtNode({ ip, port }) {
    theDht().addNode({ host: String(ip), port: Number(port) })
  },
  dhtNodes: () => ({ count: theDht().toJSON().nodes.length }),
  dhtPut: ({ value }) =>
    new Promise((resolve, reject) =>
      theDht().put({ v: Buffer.from(String(value)) }, (error, key) =>
        error ? reject(error) : resolve({ key: Buffer.from(key ?? []).toString('hex') }),
      ),
    ),
  dhtGet: ({ key }) =>
    new Promise((resolve, reject) =>
      theDht().get(Buffer.from(String(key), 'hex'), (error, item) =>
        error
          ? reject(error)
          : resolve({ value: item ? Buffer.from(item.v).toString() : null, seq: item?.seq ?? null }),
      ),
    ),
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command
  let answer: unknown
  try {
    const operation = operations[command.op]
    if (!operation) throw new Error(`unknown op ${command.op}`)
    answer = (await operation(command)) ?? {}
    if (failure !== '') answer = { error: failure }
  } catch (error) {
    answer = { error: String(error) }
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
process.exit(0)
