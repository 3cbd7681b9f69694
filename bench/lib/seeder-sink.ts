// A leech that does nothing with what it gets: it asks one seeder for every block and passes the payloads over. What
// comes out is the most that seeder can give on this machine, and what giving costs it.

import net from 'node:net'
import { infoHashFromBytes } from '../../src/base/ids.ts'
import { BLOCK_BYTES } from '../../src/base/lengths.ts'
import { type BlockSink, messageLimit, type MessageSink, PeerDecoder } from '../../src/wire/peer/decoder.ts'
import { encodeHandshake, HANDSHAKE_BYTES } from '../../src/wire/peer/handshake.ts'
import { encodePlain, encodeRequest, type PeerMessage } from '../../src/wire/peer/messages.ts'
import type { BenchTorrent } from './bench-torrent.ts'
import type { PeerAddress } from './rivals/client.ts'

/** Requests under way: libtorrent's own leech has 500. */
const DEPTH = 500
/** Asked for again when so many are answered. */
const REFILL = 64
const READ_BYTES = 256 * 1024
const LIMIT_MS = 60_000

const EXTENSIONS = { fast: false, extended: false, dht: false }

class Sink implements MessageSink, BlockSink {
  readonly #torrent: BenchTorrent
  readonly #socket: net.Socket
  readonly #decoder: PeerDecoder
  readonly #done: () => void
  #shakeLeft = HANDSHAKE_BYTES
  #asked = 0
  #free = 0
  #left: number

  constructor(torrent: BenchTorrent, socket: net.Socket, done: () => void) {
    this.#torrent = torrent
    this.#socket = socket
    this.#done = done
    this.#left = torrent.length
    const maxMessageBytes = messageLimit(Math.ceil(torrent.length / torrent.pieceLength))
    this.#decoder = new PeerDecoder(this, this, { maxMessageBytes })
  }

  take(chunk: Uint8Array): void {
    const shaken = Math.min(this.#shakeLeft, chunk.length)
    this.#shakeLeft -= shaken
    this.#decoder.push(chunk.subarray(shaken))
    if (this.#free >= REFILL) this.#ask()
    if (this.#left <= 0) this.#done()
  }

  message({ type }: PeerMessage): void {
    if (type !== 'unchoke' || this.#asked > 0) return
    this.#free = DEPTH
    this.#ask()
  }

  blockStart(): null {
    return null
  }

  blockEnd(_piece: number, _begin: number, length: number): void {
    this.#left -= length
    this.#free += 1
  }

  #ask(): void {
    const { length, pieceLength } = this.#torrent
    const requests: Uint8Array[] = []
    for (; this.#free > 0 && this.#asked < length; this.#free -= 1) {
      const begin = this.#asked % pieceLength
      const block = Math.min(BLOCK_BYTES, pieceLength - begin, length - this.#asked)
      requests.push(encodeRequest(Math.floor(this.#asked / pieceLength), begin, block))
      this.#asked += block
    }
    if (requests.length > 0) this.#socket.write(Buffer.concat(requests))
  }
}

/** Fetches all of `torrent` from the seeder at `address` and keeps nothing. Rejects when it ends early. */
export function sinkAll(torrent: BenchTorrent, address: PeerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const buffer = new Uint8Array(READ_BYTES)
    const onread = {
      buffer,
      callback: (count: number): boolean => {
        sink.take(buffer.subarray(0, count))
        return true
      },
    }
    const socket = net.connect({ host: address.ip, port: address.port, onread, timeout: LIMIT_MS })
    const end = (settle: () => void): void => {
      socket.destroy()
      settle()
    }
    const sink = new Sink(torrent, socket, () => end(resolve))
    const infoHash = infoHashFromBytes(Buffer.from(torrent.infoHash, 'hex'))
    const peerId = Buffer.from('-XX0001-abcdefghijkl')
    socket.write(encodeHandshake({ infoHash, peerId, extensions: EXTENSIONS }))
    socket.write(encodePlain('interested'))
    socket.on('timeout', () => end(() => reject(new Error('the seeder gave nothing for a minute'))))
    socket.on('error', error => end(() => reject(error)))
    socket.on('close', () => reject(new Error('the seeder ended the connection')))
  })
}
