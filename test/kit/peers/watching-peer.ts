// A peer on a real port that has nothing but the metadata: it keeps what a node says of the DHT and of other peers, and
// itself names another peer (BEP 11) and a DHT node (BEP 5), whether the node has asked for it or not.

import type { Socket } from 'node:net'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { PeerDecoder } from '../../../src/wire/peer/decoder.ts'
import { decodeExtendedHandshake, encodeExtendedHandshake } from '../../../src/wire/peer/extension.ts'
import { decodeHandshake, encodeHandshake, HANDSHAKE_BYTES } from '../../../src/wire/peer/handshake.ts'
import { encodeExtended, encodePlain, encodePort, type PeerMessage } from '../../../src/wire/peer/messages.ts'
import { decodeMetadataMessage, encodeMetadataData, UT_METADATA } from '../../../src/wire/peer/ut-metadata.ts'
import { encodePex, UT_PEX } from '../../../src/wire/peer/ut-pex.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import { type RawPeer, startRawPeer } from './raw-peer.ts'

/** The ids it wants messages under. */
const IDS = { [UT_PEX]: 11, [UT_METADATA]: 12 } as const

/** What a peer says without being asked. */
export interface WatchingPeerOptions {
  readonly torrent: MadeTorrent
  /** Told by peer exchange, under the node's id for it or `pexId`. */
  readonly names: PeerAddress
  /** The id under which a node of ours takes peer exchange. */
  readonly pexId: number
  readonly dhtPort: number
}

/**
 * A peer on a real port that has nothing but the metadata: it keeps what a node says of the DHT and of other peers, and
 * itself names another peer (BEP 11) and a DHT node (BEP 5), whether the node has asked for it or not.
 */
export class WatchingPeer {
  /** Signs of the DHT and of peer exchange, as they came: `dht bit`, `port`, `ut_pex`, `pex`. */
  readonly signs: string[] = []
  /** Metadata is given from now on; what was asked before waits. */
  gives = true
  raw!: RawPeer
  readonly #options: WatchingPeerOptions
  readonly #asked: (() => void)[] = []

  private constructor(options: WatchingPeerOptions) {
    this.#options = options
  }

  /** Listens at loopback. */
  static async start(options: WatchingPeerOptions, gives = true): Promise<WatchingPeer> {
    const peer = new WatchingPeer(options)
    peer.gives = gives
    peer.raw = await startRawPeer('127.0.0.1', socket => peer.#meet(socket))
    return peer
  }

  /** Gives the metadata to whoever has asked, and will. */
  give(): void {
    this.gives = true
    for (const answer of this.#asked.splice(0)) answer()
  }

  #meet(socket: Socket): void {
    let head = Buffer.alloc(0)
    let decoder: PeerDecoder | null = null
    const ids = new Map<string, number>()
    socket.on('data', (bytes: Buffer) => {
      if (decoder !== null) return decoder.push(Uint8Array.from(bytes))
      head = Buffer.concat([head, bytes])
      if (head.length < HANDSHAKE_BYTES) return
      if (decodeHandshake(head.subarray(0, HANDSHAKE_BYTES)).extensions.dht) this.signs.push('dht bit')
      this.#greet(socket)
      decoder = new PeerDecoder(
        { message: message => this.#message(socket, ids, message) },
        { blockStart: () => null, blockEnd: () => {} },
        { maxMessageBytes: 1024 * 1024 },
      )
      if (head.length > HANDSHAKE_BYTES) decoder.push(Uint8Array.from(head.subarray(HANDSHAKE_BYTES)))
    })
  }

  #greet(socket: Socket): void {
    const { torrent, dhtPort } = this.#options
    const peerId = Buffer.from(`-XW0001-${String(this.raw.port).padEnd(12, 'x')}`, 'latin1')
    const extensions = { fast: true, extended: true, dht: true }
    socket.write(encodeHandshake({ infoHash: torrent.infoHash, peerId, extensions }))
    const shake = { m: new Map(Object.entries(IDS)), metadataSize: torrent.info.length, listenPort: this.raw.port }
    socket.write(encodeExtended(0, encodeExtendedHandshake(shake)))
    socket.write(encodePlain('have-none'))
    socket.write(encodePort(dhtPort))
  }

  #message(socket: Socket, ids: Map<string, number>, message: PeerMessage): void {
    if (message.type === 'port') this.signs.push('port')
    if (message.type !== 'extended') return
    if (message.id === 0) {
      const { m } = decodeExtendedHandshake(message.payload)
      for (const [name, id] of m) ids.set(name, id)
      if ((m.get(UT_PEX) ?? 0) > 0) this.signs.push(UT_PEX)
      const { names: address, pexId } = this.#options
      const flags = { encryption: false, seed: false, utp: false, holepunch: false, reachable: true }
      const named = encodePex({ added: [{ address, flags }], dropped: [] })
      socket.write(encodeExtended(ids.get(UT_PEX) || pexId, named))
    }
    if (message.id === IDS[UT_PEX]) this.signs.push('pex')
    if (message.id !== IDS[UT_METADATA]) return
    const asked = decodeMetadataMessage(message.payload)
    if (asked.type !== 'request') return
    const { info } = this.#options.torrent
    const data = encodeMetadataData(asked.piece, info.length, info)
    const answer = (): void => void socket.write(encodeExtended(ids.get(UT_METADATA) ?? 0, data))
    if (this.gives) answer()
    else this.#asked.push(answer)
  }
}
