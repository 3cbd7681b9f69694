// A peer over real TCP that wants everything and has nothing: asks a node for blocks one at a time and tells what came.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { HANDSHAKE_BYTES } from '../../../src/wire/peer/handshake.ts'
import { encodePlain, encodeRequest, PIECE_ID } from '../../../src/wire/peer/messages.ts'
import { validHandshake } from './raw-peer.ts'
import { waitFor } from '../wait-for.ts'

const UNCHOKE_ID = 1

/** One connection to a node. */
export class BlockLeech {
  readonly #socket: Socket
  readonly #blocks = new Map<string, Buffer>()
  #unread: Buffer = Buffer.alloc(0)
  #greeted = false
  #unchoked = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', chunk => this.#take(chunk))
    socket.on('error', () => undefined)
  }

  /** Connects and waits until it may ask. */
  static async join(port: number, infoHash: string, name = '-LE0001-'): Promise<BlockLeech> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const leech = new BlockLeech(socket)
    socket.write(validHandshake(infoHash, name))
    socket.write(encodePlain('interested'))
    await waitFor('the node unchokes the leech', () => leech.#unchoked)
    return leech
  }

  /** Asks for a block; null when it is not there within `limitMs`, or the connection ends. */
  async ask(piece: number, begin: number, length: number, limitMs = 5000): Promise<Buffer | null> {
    const key = `${piece}/${begin}`
    this.#blocks.delete(key)
    if (this.#socket.destroyed) return null
    this.#socket.write(encodeRequest(piece, begin, length))
    return waitFor('a block', () => this.#blocks.get(key), limitMs).catch(() => null)
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk])
    if (!this.#greeted && this.#unread.length >= HANDSHAKE_BYTES) {
      this.#greeted = true
      this.#unread = this.#unread.subarray(HANDSHAKE_BYTES)
    }
    while (this.#greeted && this.#unread.length >= 4) {
      const length = this.#unread.readUInt32BE(0)
      if (this.#unread.length < 4 + length) return
      this.#message(this.#unread.subarray(4, 4 + length))
      this.#unread = this.#unread.subarray(4 + length)
    }
  }

  #message(body: Buffer): void {
    if (body[0] === UNCHOKE_ID) this.#unchoked = true
    if (body[0] !== PIECE_ID) return
    this.#blocks.set(`${body.readUInt32BE(1)}/${body.readUInt32BE(5)}`, Buffer.from(body.subarray(9)))
  }
}
