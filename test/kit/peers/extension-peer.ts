// A scripted peer for the extension protocol (BEP 10): says which extensions it has, keeps what comes under its ids,
// sends what a test tells it to. It serves and asks for nothing by itself; for blocks there is fake-peer.ts.

import type { PeerAddress } from '../../../src/base/ids.ts'
import type { TcpListener, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { PeerDecoder } from '../../../src/wire/peer/decoder.ts'
import {
  decodeExtendedHandshake,
  encodeExtendedHandshake,
  type ExtendedHandshake,
} from '../../../src/wire/peer/extension.ts'
import { decodeHandshake, encodeHandshake, HANDSHAKE_BYTES } from '../../../src/wire/peer/handshake.ts'
import { encodeExtended, encodePlain, type PeerMessage } from '../../../src/wire/peer/messages.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import type { MemoryHost } from '../sim/memory-network.ts'
import type { SimNode, SimSwarm } from '../sim/sim-swarm.ts'

/** What the peer says of itself. */
export interface ExtensionPeerOptions {
  /** Its extensions and the ids it wants their messages under. */
  readonly ids?: Readonly<Record<string, number>>
  /** The port it tells. */
  readonly listenPort?: number
  /** It has everything, or nothing. */
  readonly seed?: boolean
  readonly dht?: boolean
  readonly uploadOnly?: boolean
  readonly yourIp?: Uint8Array
  /** Part of its peer id; default: its address, so that there is one a host. */
  readonly name?: string
  /** Bytes of metadata that it says it has. */
  readonly metadataSize?: number
}

/** A message that came under one of its ids. */
export interface ReceivedExtension {
  readonly name: string
  readonly payload: Uint8Array
  readonly atMs: number
}

/** A scripted peer on a memory host. */
export class ExtensionPeer {
  readonly host: MemoryHost
  readonly received: ReceivedExtension[] = []
  /** Extended handshakes of the node, oldest first. */
  readonly shakes: ExtendedHandshake[] = []
  /** Messages but extended ones, as they came; bitfields without their bits. */
  readonly messages: PeerMessage[] = []
  connected = false
  closed = false
  /** Connections it had so far. */
  connections = 0
  /** The node has the DHT bit set. */
  nodeDht = false
  readonly #torrent: MadeTorrent
  readonly #options: ExtensionPeerOptions
  readonly #now: () => number
  #stream: TcpStream | null = null
  #listener: TcpListener | null = null
  #decoder: PeerDecoder | null = null
  #shake = Buffer.alloc(0)

  constructor(host: MemoryHost, torrent: MadeTorrent, now: () => number, options: ExtensionPeerOptions = {}) {
    this.host = host
    this.#torrent = torrent
    this.#now = now
    this.#options = options
  }

  /** Ids the node wants messages under, by extension; 0 = none. */
  nodeId(name: string): number {
    return this.shakes.reduce((id, shake) => shake.m.get(name) ?? id, 0)
  }

  /** Payloads that came under the id of `name`. */
  of(name: string): Uint8Array[] {
    return this.received.filter(message => message.name === name).map(message => message.payload)
  }

  /** Pieces the node has told of one by one. */
  get haves(): number[] {
    return this.messages.flatMap(message => (message.type === 'have' ? [message.piece] : []))
  }

  /** Waits for the node; answers where. */
  async listen(port = 6881): Promise<PeerAddress> {
    this.#listener = await this.host.listen({ ip: this.host.ip, port }, stream => {
      this.#begin(stream)
      return this.#handlers()
    })
    return this.#listener.address
  }

  connect(node: PeerAddress): void {
    this.#begin(this.host.connect(node, { localIp: null, timeoutMs: 10_000 }, this.#handlers()))
  }

  /** Sends an extension message under the id the node chose. */
  tell(name: string, payload: Uint8Array): void {
    this.send(encodeExtended(this.nodeId(name), payload))
  }

  send(bytes: Uint8Array): void {
    this.#stream?.write(bytes)
  }

  hangUp(): void {
    this.#stream?.destroy()
  }

  async close(): Promise<void> {
    this.hangUp()
    await this.#listener?.close()
  }

  #handlers(): TcpStreamHandlers {
    return {
      open: () => this.#sayHello(),
      data: chunk => this.#data(chunk),
      drain: () => {},
      close: () => {
        this.connected = false
        this.closed = true
        this.#stream = null
      },
    }
  }

  #begin(stream: TcpStream): void {
    this.#stream = stream
    this.#decoder = null
    this.#shake = Buffer.alloc(0)
    this.closed = false
  }

  #data(chunk: Uint8Array): void {
    if (this.#decoder !== null) return this.#decoder.push(chunk)
    this.#shake = Buffer.concat([this.#shake, chunk])
    if (this.#shake.length < HANDSHAKE_BYTES) return
    this.nodeDht = decodeHandshake(this.#shake.subarray(0, HANDSHAKE_BYTES)).extensions.dht
    this.connected = true
    this.connections += 1
    if (this.#stream?.incoming === true) this.#sayHello()
    this.#introduce()
    this.#decoder = new PeerDecoder(
      { message: message => this.#message(message) },
      { blockStart: () => null, blockEnd: () => {} },
      { maxMessageBytes: 1024 * 1024 },
    )
    const rest = this.#shake.subarray(HANDSHAKE_BYTES)
    if (rest.length > 0) this.#decoder.push(Uint8Array.from(rest))
  }

  #sayHello(): void {
    const { name = this.host.ip } = this.#options
    const peerId = Buffer.from(`-XT0001-${name.padEnd(12, 'x').slice(0, 12)}`, 'latin1')
    const extensions = { fast: true, extended: true, dht: this.#options.dht === true }
    this.send(encodeHandshake({ infoHash: this.#torrent.infoHash, peerId, extensions }))
  }

  #introduce(): void {
    const { ids = {}, listenPort, seed, uploadOnly, yourIp, metadataSize = null } = this.#options
    const shake = { m: new Map(Object.entries(ids)), listenPort: listenPort ?? null, yourIp: yourIp ?? null }
    this.send(encodeExtended(0, encodeExtendedHandshake({ ...shake, metadataSize, uploadOnly: uploadOnly === true })))
    this.send(encodePlain(seed === true ? 'have-all' : 'have-none'))
  }

  #message(message: PeerMessage): void {
    if (message.type !== 'extended') {
      this.messages.push(message.type === 'bitfield' ? { ...message, bits: new Uint8Array(0) } : message)
      return
    }
    if (message.id === 0) {
      this.shakes.push(decodeExtendedHandshake(message.payload))
      return
    }
    const name = Object.entries(this.#options.ids ?? {}).find(([, id]) => id === message.id)?.[0] ?? ''
    this.received.push({ name, payload: Uint8Array.from(message.payload), atMs: this.#now() })
  }
}

/** A scripted peer at `ip` that is connected to `node`, after the extended handshakes of both. */
export async function joinExtensionPeer(
  swarm: SimSwarm,
  node: SimNode,
  torrent: MadeTorrent,
  ip: string,
  options: ExtensionPeerOptions = {},
): Promise<ExtensionPeer> {
  const peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now(), options)
  peer.connect(node.address)
  await swarm.clock.until('shaken hands', () => peer.shakes.length > 0, 10_000)
  // Its own handshake is on its way.
  await swarm.clock.advance(100)
  return peer
}
