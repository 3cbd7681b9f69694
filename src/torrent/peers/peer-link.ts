// One connection below the level of a torrent: the handshake, then the cutting into messages; outgoing small messages
// are gathered and written once a turn. Knows nothing of pieces or choking. Whatever goes wrong in reading ends the
// link.

import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { type BlockSink, type MessageSink, PeerDecoder } from '../../wire/peer/decoder.ts'
import { decodeHandshake, HANDSHAKE_BYTES, type Handshake, startsLikeHandshake } from '../../wire/peer/handshake.ts'
import type { TurnEnd, TurnJob } from '../../base/turn-end.ts'

/** Who gets the messages of a link once the handshake is done. */
export interface LinkReceiver extends MessageSink {
  readonly maxMessageBytes: number
  /** Where blocks go. */
  readonly blocks: BlockSink
  /** All messages of this chunk were delivered. */
  chunkEnd(): void
  /** The send buffer is empty again. */
  drained(): void
  /** The link has ended; `offence` when the peer broke the protocol. */
  closed(reason: string, offence: boolean): void
}

/** Who takes over a link after its handshake, null = nobody; a promise where that takes a moment. */
export type Takeover = LinkReceiver | null | Promise<LinkReceiver | null>

/** Who owns a link until the handshake is done. */
export interface LinkOwner {
  /** The stream is connected (outgoing only). */
  opened(link: PeerLink): void
  /** The other side's handshake; answers who takes over, or null to close. */
  handshake(link: PeerLink, handshake: Handshake): Takeover
  /** The link ended before it was taken over. */
  failed(link: PeerLink, reason: string): void
}

/** What a link needs of its session. */
export interface LinkDeps {
  readonly turnEnd: TurnEnd
  now(): number
  /** A defect of ours, seen while reading. */
  defect(error: unknown): void
}

/** One connection. */
export class PeerLink implements TcpStreamHandlers, TurnJob {
  queued = false
  /** Clock milliseconds of the last bytes in and out. */
  lastInMs: number
  lastOutMs: number
  readonly startedMs: number
  readonly #deps: LinkDeps
  readonly #owner: LinkOwner
  #stream: TcpStream | null = null
  #remote: PeerAddress = { ip: '', port: 0 }
  #incoming = false
  #receiver: LinkReceiver | null = null
  #decoder: PeerDecoder | null = null
  #shake: Buffer | null = null
  #shaken = 0
  /** Our handshake was written. */
  #shook = false
  #out: Uint8Array[] = []
  #outBytes = 0
  #reason: string | null = null
  #offence = false
  #ended = false

  constructor(owner: LinkOwner, deps: LinkDeps) {
    this.#owner = owner
    this.#deps = deps
    this.startedMs = deps.now()
    this.lastInMs = this.startedMs
    this.lastOutMs = this.startedMs
  }

  /** Gives the link its stream; at once after connect() or inside accept. */
  attach(stream: TcpStream): this {
    this.#stream = stream
    this.#remote = stream.remote
    this.#incoming = stream.incoming
    return this
  }

  /** The other side; stays known when the stream is gone. */
  get remote(): PeerAddress {
    return this.#remote
  }

  get incoming(): boolean {
    return this.#incoming
  }

  /** What carries it, as long as it lives. */
  get utp(): boolean {
    return this.#stream?.utp === true
  }

  /** How it is encrypted, known when its handshake has come; null: not at all. */
  get encryption(): 'rc4' | 'plaintext' | null {
    return this.#stream?.encryption ?? null
  }

  /** The torrent that its encrypted handshake named; null: none (yet). */
  get named(): InfoHash | null {
    return this.#stream?.infoHash ?? null
  }

  /** True until end() was called or the stream ended. */
  get alive(): boolean {
    return this.#reason === null && !this.#ended
  }

  /** Bytes the other side has not taken yet. */
  get bufferedBytes(): number {
    return this.#outBytes + (this.#stream?.bufferedBytes ?? 0)
  }

  /** The block whose payload is coming in now. */
  get decoder(): PeerDecoder | null {
    return this.#decoder
  }

  /** Queues a small message; it is written with the others at the end of the turn. */
  send(bytes: Uint8Array): void {
    if (!this.alive) return
    this.#out.push(bytes)
    this.#outBytes += bytes.length
    this.#deps.turnEnd.later(this)
  }

  /** Writes a block at once, after everything queued. `sent` runs when `payload` may be written to again. */
  sendBlock(head: Uint8Array, payload: Uint8Array, sent: (() => void) | undefined): boolean {
    const stream = this.#stream
    if (stream === null) {
      sent?.()
      return true
    }
    this.#out.push(head)
    this.run()
    return stream.write(payload, sent)
  }

  /**
   * Writes whole messages at once, after everything queued. True when the kernel took everything; otherwise `sent` runs
   * later, and only then may `bytes` be written to again.
   */
  sendNow(bytes: Uint8Array, sent: () => void): boolean {
    const stream = this.#stream
    if (stream === null) return true
    this.run()
    this.lastOutMs = this.#deps.now()
    let taken = false
    stream.write(bytes, () => {
      if (!taken) sent()
    })
    taken = stream.bufferedBytes === 0
    return taken
  }

  cork(): void {
    this.#stream?.cork()
  }

  uncork(): void {
    this.#stream?.uncork()
  }

  /** Writes the queued messages (end of the turn). */
  run(): void {
    const out = this.#out
    if (out.length === 0) return
    this.#out = []
    this.#outBytes = 0
    this.lastOutMs = this.#deps.now()
    // By uTP the handshake is a write of its own, and so a packet (decision 0280).
    const alone = this.#shook || !this.utp ? undefined : out.shift()
    this.#shook = true
    if (alone !== undefined) this.#stream?.write(alone)
    if (out.length > 0) this.#stream?.write(out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out))
  }

  /** Ends the link. The receiver hears `closed` later, never inside this call. */
  end(reason: string, offence = false): void {
    if (!this.alive) return
    this.#letGo(reason, offence)
    this.#stream?.destroy()
  }

  /** As end(), and nothing that is on its way is sent any more. */
  cut(reason: string): void {
    if (!this.alive) return
    const stream = this.#stream
    this.#letGo(reason, false)
    if (stream?.reset === undefined) stream?.destroy()
    else stream.reset()
  }

  #letGo(reason: string, offence: boolean): void {
    this.#reason = reason
    this.#offence = offence
    this.#decoder?.stop()
    this.#out = []
    this.#outBytes = 0
  }

  // --- TcpStreamHandlers

  open(): void {
    this.lastInMs = this.#deps.now()
    this.#owner.opened(this)
  }

  data(chunk: Uint8Array): void {
    if (!this.alive) return
    this.lastInMs = this.#deps.now()
    try {
      if (this.#decoder !== null) this.#decoder.push(chunk)
      else this.#takeHandshake(chunk)
      this.#receiver?.chunkEnd()
    } catch (error) {
      this.#unreadable(error)
    }
  }

  drain(): void {
    this.#receiver?.drained()
  }

  /** The stream is gone (called by it, once). */
  close(error: Error | null): void {
    if (this.#ended) return
    this.#ended = true
    this.#decoder?.stop()
    const reason = this.#reason ?? (error === null ? 'closed by the peer' : error.message)
    const receiver = this.#receiver
    this.#receiver = null
    this.#stream = null
    if (receiver !== null) receiver.closed(reason, this.#offence)
    else this.#owner.failed(this, reason)
  }

  #unreadable(error: unknown): void {
    // An AppError tells of the records that a torrent was to be woken from.
    if (!(error instanceof DecodeError || error instanceof AppError)) this.#deps.defect(error)
    this.end(errorText(error), error instanceof DecodeError)
  }

  #takeHandshake(chunk: Uint8Array): void {
    this.#shake ??= Buffer.alloc(HANDSHAKE_BYTES)
    const count = Math.min(HANDSHAKE_BYTES - this.#shaken, chunk.length)
    this.#shake.set(chunk.subarray(0, count), this.#shaken)
    this.#shaken += count
    const head = this.#shake.subarray(0, this.#shaken)
    if (!startsLikeHandshake(head)) throw new DecodeError('not a BitTorrent handshake')
    if (this.#shaken < HANDSHAKE_BYTES) return
    this.#shake = null
    const takeover = this.#owner.handshake(this, decodeHandshake(head))
    const rest = chunk.subarray(count)
    if (takeover instanceof Promise) this.#waitFor(takeover, Uint8Array.from(rest))
    else this.#takenOver(takeover, rest)
  }

  /** Reads nothing until `takeover` has settled. `rest` came with the handshake. */
  #waitFor(takeover: Promise<LinkReceiver | null>, rest: Uint8Array): void {
    this.#stream?.pause()
    const takeOver = (receiver: LinkReceiver | null): void => {
      // One that was made although the link died learns of it here.
      if (this.#ended) return receiver?.closed(this.#reason ?? 'closed by the peer', false)
      this.#stream?.resume()
      this.#takenOver(receiver, rest)
      this.#receiver?.chunkEnd()
    }
    takeover.then(takeOver).catch((error: unknown) => this.#unreadable(error))
  }

  #takenOver(receiver: LinkReceiver | null, rest: Uint8Array): void {
    if (receiver === null) return this.end('handshake refused')
    this.#receiver = receiver
    this.#decoder = new PeerDecoder(receiver, receiver.blocks, { maxMessageBytes: receiver.maxMessageBytes })
    if (rest.length > 0 && this.alive) this.#decoder.push(rest)
  }
}
