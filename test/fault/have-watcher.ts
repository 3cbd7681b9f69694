// A peer that has nothing and asks for nothing: it connects to a node and notes which pieces the node says it has.

import { connect, type Socket } from 'node:net'
import { framed, validHandshake } from '../kit/peers/raw-peer.ts'

/** Bytes of a handshake (BEP 3). */
const HANDSHAKE_BYTES = 68
const HAVE = 4

/** What one connection was told. */
export class HaveWatcher {
  /** By `have`, in their order. */
  readonly told: number[] = []
  /** Called at every `have`, before anything else is done. */
  onHave: () => void = () => undefined
  readonly #socket: Socket
  #rest = Buffer.alloc(0)
  #greeted = false

  constructor(ip: string, port: number, infoHash: string) {
    this.#socket = connect({ host: ip, port })
    this.#socket.on('error', () => undefined)
    this.#socket.on('data', chunk => this.#take(chunk))
    this.#socket.write(validHandshake(infoHash, 'watcher'))
    // Not interested, which keeps the connection from looking dead.
    this.#socket.write(framed(3, Buffer.alloc(0)))
  }

  get gone(): boolean {
    return this.#socket.destroyed
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    if (!this.#greeted && this.#rest.length < HANDSHAKE_BYTES) return
    if (!this.#greeted) this.#rest = this.#rest.subarray(HANDSHAKE_BYTES)
    this.#greeted = true
    while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUInt32BE(0)) {
      const message = this.#rest.subarray(4, 4 + this.#rest.readUInt32BE(0))
      this.#rest = this.#rest.subarray(4 + message.length)
      if (message[0] !== HAVE) continue
      this.told.push(message.readUInt32BE(1))
      this.onHave()
    }
  }
}
