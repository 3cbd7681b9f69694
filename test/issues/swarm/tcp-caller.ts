// A peer over real TCP that calls a node from an address of its own: it wants everything, has nothing, and asks for a
// block when a test says so, or for one after another. Addresses must be local where it runs (test/kit/netns).

import { connect, type Socket } from 'node:net'
import type { InfoHash } from '../../../src/base/ids.ts'
import { BLOCK_BYTES } from '../../../src/base/lengths.ts'
import { PeerDecoder } from '../../../src/wire/peer/decoder.ts'
import { encodeHandshake, HANDSHAKE_BYTES } from '../../../src/wire/peer/handshake.ts'
import { encodePlain, encodeRequest, type PeerMessage } from '../../../src/wire/peer/messages.ts'

/** Who was dropped calls again after this long, ms: pacing, nothing waits for it. */
const AGAIN_MS = 200

/** Whom it calls, from where, and what it does by itself. */
export interface TcpCallerOptions {
  readonly from: string
  readonly to: { readonly ip: string; readonly port: number }
  readonly infoHash: InfoHash
  readonly name: string
  /** Says that it is interested as soon as it has shaken hands. */
  readonly interested?: boolean
  /**
   * Asks for so many blocks, one after another while it is unchoked, and calls again when it is dropped before the
   * first came.
   */
  readonly wants?: number
}

/** One peer with at most one connection. */
export class TcpCaller {
  readonly #options: TcpCallerOptions
  #socket: Socket | null = null
  #head = Buffer.alloc(0)
  #decoder: PeerDecoder | null = null
  #allowed = 0
  #unchoked = false
  #over = false
  /** The node has answered its handshake, and the connection is there. */
  connected = false
  /** Blocks that came. */
  blocks = 0
  /** How often a connection ended after a block had come. */
  losses = 0

  constructor(options: TcpCallerOptions) {
    this.#options = options
    this.#call()
  }

  /** A connection is there or being made. */
  get calls(): boolean {
    return this.#socket !== null
  }

  /** Calls again when it was dropped. */
  again(): void {
    if (!this.#over && this.#socket === null) this.#call()
  }

  /** Asks for a block that it may have. */
  ask(): void {
    if (this.connected) this.#socket?.write(encodeRequest(this.#allowed, 0, BLOCK_BYTES))
  }

  close(): void {
    this.#over = true
    this.#socket?.destroy()
  }

  get #wants(): boolean {
    return this.blocks < (this.#options.wants ?? 0)
  }

  #call(): void {
    const { from, to, infoHash, name } = this.#options
    const socket = connect({ host: to.ip, port: to.port, localAddress: from, noDelay: true })
    this.#socket = socket
    this.#head = Buffer.alloc(0)
    this.#decoder = null
    this.#unchoked = false
    const extensions = { fast: true, extended: false, dht: false }
    const peerId = Buffer.from(`-TC0001-${name.padStart(12, '0')}`, 'latin1')
    socket.once('connect', () => socket.write(encodeHandshake({ infoHash, peerId, extensions })))
    socket.on('data', chunk => this.#take(chunk))
    socket.on('error', () => undefined)
    socket.once('close', () => this.#dropped())
  }

  #dropped(): void {
    this.#socket = null
    this.connected = false
    if (this.#over) return
    if (this.blocks > 0) this.losses += 1
    else if (this.#wants) setTimeout(() => this.again(), AGAIN_MS)
  }

  #take(chunk: Buffer): void {
    if (this.#decoder !== null) return this.#decoder.push(chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    if (this.#head.length < HANDSHAKE_BYTES) return
    this.connected = true
    this.#decoder = new PeerDecoder(
      { message: message => this.#message(message) },
      { blockStart: () => null, blockEnd: () => this.#blockCame() },
      { maxMessageBytes: 65_536 },
    )
    if (this.#options.interested === true) this.#socket?.write(encodePlain('interested'))
    this.#decoder.push(this.#head.subarray(HANDSHAKE_BYTES))
  }

  #message(message: PeerMessage): void {
    if (message.type === 'allowed-fast') this.#allowed = message.piece
    if (message.type === 'choke') this.#unchoked = false
    if (message.type !== 'unchoke') return
    this.#unchoked = true
    if (this.#wants) this.ask()
  }

  #blockCame(): void {
    this.blocks += 1
    if (this.#unchoked && this.#wants) this.ask()
  }
}
