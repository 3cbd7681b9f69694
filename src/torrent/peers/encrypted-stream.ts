// A connection that is, or may turn out to be, encrypted: a TcpStream for the link above it and the handlers of the
// stream below. The link writes its handshake when the stream opens and reads plain bytes; the handshake of message
// stream encryption passes in between. States, with what moves them on:
//   connecting -(open)-> shaking          outgoing
//   first -(20 bytes)-> plain | shaking   incoming
//   shaking -(result)-> open; any -(destroy, close, error)-> ended
// Time-outs are the owner's. Invariant: in every state but `plain` nothing is written or delivered that was not
// encrypted, except under a method that both sides chose within an encrypted handshake.

import { DecodeError, errorText } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { MAX_INITIAL_BYTES, type MseMethod, type MseResult, type MseSide } from '../../wire/mse/mse-handshake.ts'
import type { Rc4 } from '../../wire/mse/rc4.ts'
import type { CipherMemory } from './cipher-memory.ts'
import { CipherWriter, type InitialWrites } from './cipher-writer.ts'
import { kindOf, type LinkKind } from './connection-policy.ts'
import type { KeyGate, KeyJob } from './key-gate.ts'

/** What the streams of a session share, and how this one begins. */
export interface EncryptedStreamSetup {
  readonly gate: KeyGate
  readonly memory: CipherMemory
  /** Whether an incoming connection of this kind is taken. */
  accepts(kind: LinkKind): boolean
  /** Makes this side of a handshake. `initial` gives what to send within it. */
  side(initial: () => Uint8Array): MseSide
  /** A defect of ours, seen in a handshake. */
  defect(error: unknown): void
}

type State = 'connecting' | 'first' | 'plain' | 'shaking' | 'open' | 'ended'

const NOTHING = new Uint8Array(0)

/** One connection. */
export class EncryptedStream implements TcpStream, TcpStreamHandlers, KeyJob {
  readonly #setup: EncryptedStreamSetup
  readonly #handlers: TcpStreamHandlers
  readonly #inner: TcpStream
  readonly #writer: CipherWriter
  #state: State
  /** First bytes of an incoming connection that did not tell its kind. */
  #first: Uint8Array = NOTHING
  #side: MseSide | null = null
  #initial: InitialWrites | null = null
  /** Waits for its turn to make keys; `held`: for that nothing is read. */
  #inLine = false
  #held = false
  /** The link wants no bytes now. */
  #paused = false
  #method: MseMethod | null = null
  #infoHash: InfoHash | null = null
  #decrypt: Rc4 | null = null
  /** Bytes to come that are under RC4. */
  #encryptedBytes = 0
  #error: Error | null = null

  /** `connect` gives the stream below, new, and its handlers to it. Bytes come out at `handlers`. */
  constructor(
    setup: EncryptedStreamSetup,
    handlers: TcpStreamHandlers,
    connect: (handlers: TcpStreamHandlers) => TcpStream,
  ) {
    this.#setup = setup
    this.#handlers = handlers
    this.#inner = connect(this)
    this.#state = this.#inner.incoming ? 'first' : 'connecting'
    this.#writer = new CipherWriter(this.#inner, setup.memory, () => handlers.drain())
  }

  /** The torrent that the encrypted handshake was for; null where `encryption` is. */
  get infoHash(): InfoHash | null {
    return this.#infoHash
  }

  // --- TcpStream

  get remote(): PeerAddress {
    return this.#inner.remote
  }

  get incoming(): boolean {
    return this.#inner.incoming
  }

  get utp(): boolean {
    return this.#inner.utp === true
  }

  /** The method that was agreed on; null before that, and on a plain connection. */
  get encryption(): MseMethod | null {
    return this.#method
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    return this.#writer.write(bytes, sent)
  }

  cork(): void {
    this.#inner.cork()
  }

  uncork(): void {
    this.#inner.uncork()
  }

  pause(): void {
    this.#paused = true
    this.#inner.pause()
  }

  resume(): void {
    this.#paused = false
    if (!this.#held) this.#inner.resume()
  }

  destroy(): void {
    this.#end()
    this.#inner.destroy()
  }

  reset(): void {
    this.#end()
    if (this.#inner.reset === undefined) this.#inner.destroy()
    else this.#inner.reset()
  }

  // --- TcpStreamHandlers

  open(): void {
    if (this.#state !== 'connecting') return
    this.#state = 'shaking'
    // The link writes its handshake now: it goes out within ours.
    this.#handlers.open?.()
    this.#guarded(() => this.#shake(NOTHING))
  }

  data(chunk: Uint8Array): void {
    switch (this.#state) {
      case 'open':
        return this.#receive(chunk)
      case 'plain':
        return this.#handlers.data(chunk)
      case 'first':
        return this.#guarded(() => this.#recognise(chunk))
      case 'shaking':
        return this.#guarded(() => this.#shake(chunk))
      default:
        // Nothing comes before open(), and what comes after the end is ignored.
        return
    }
  }

  drain(): void {
    this.#writer.innerDrained()
  }

  close(error: Error | null): void {
    this.#end()
    this.#writer.close()
    this.#handlers.close(this.#error ?? error)
  }

  // --- KeyJob

  get powers(): number {
    return this.#side?.wanted ?? 0
  }

  run(): void {
    this.#inLine = false
    this.#guarded(() => {
      this.#side?.compute()
      this.#goOn(NOTHING)
    })
    if (this.#held && !this.#inLine) this.#release()
  }

  #release(): void {
    this.#held = false
    if (!this.#paused && this.#state !== 'ended') this.#inner.resume()
  }

  /** The handshake is what the other side makes of it: what goes wrong in it ends the connection and nothing else. */
  #guarded(step: () => void): void {
    if (this.#state === 'ended') return
    try {
      step()
    } catch (error) {
      if (!(error instanceof DecodeError)) this.#setup.defect(error)
      this.#error ??= new Error(errorText(error))
      this.destroy()
    }
  }

  #end(): void {
    this.#state = 'ended'
    this.#side = null
    this.#setup.gate.forget(this)
    this.#writer.end()
  }

  #recognise(chunk: Uint8Array): void {
    const seen = this.#first.length === 0 ? chunk : Buffer.concat([this.#first, chunk])
    const kind = kindOf(seen)
    if (kind === null) {
      this.#first = Uint8Array.from(seen)
      return
    }
    this.#first = NOTHING
    if (!this.#setup.accepts(kind)) throw new DecodeError(`an incoming connection that is ${kind}`)
    this.#state = kind === 'plain' ? 'plain' : 'shaking'
    if (kind === 'encrypted') return this.#shake(seen)
    this.#writer.start(null)
    this.#handlers.data(seen)
  }

  #shake(chunk: Uint8Array): void {
    this.#side ??= this.#setup.side(() => this.#takeInitial())
    const count = chunk.length === 0 ? 0 : this.#side.push(chunk)
    this.#goOn(chunk.subarray(count))
  }

  /** Sends what the handshake has to say, then makes keys or ends it. `rest` came behind the handshake. */
  #goOn(rest: Uint8Array): void {
    const side = this.#side
    if (side === null) return
    const output = side.takeOutput()
    if (output !== null) this.#send(output)
    if (side.result !== null) return this.#secured(side, side.result, rest)
    if (side.wanted === 0 || this.#inLine) return
    this.#inLine = true
    if (!this.#setup.gate.ask(this)) throw new DecodeError('too many encrypted handshakes at a time')
    // Most often the keys are made already.
    if (!this.#inLine || this.#held) return
    this.#held = true
    this.#inner.pause()
  }

  #send(output: Uint8Array): void {
    const initial = this.#initial
    this.#initial = null
    this.#inner.write(output, initial === null ? undefined : () => initial.sent())
  }

  #takeInitial(): Uint8Array {
    this.#initial = this.#writer.takeInitial(MAX_INITIAL_BYTES)
    return this.#initial.bytes
  }

  #secured(side: MseSide, result: MseResult, rest: Uint8Array): void {
    this.#side = null
    this.#state = 'open'
    this.#method = result.method
    this.#infoHash = result.infoHash
    this.#decrypt = result.decrypt
    this.#encryptedBytes = result.encryptedBytes
    this.#writer.start(result.encrypt)
    const early = side.rest()
    // In one piece: a receiver may want no more bytes for a while.
    const behind = early.length === 0 ? rest : Buffer.concat([early, rest])
    if (behind.length > 0) this.#receive(behind)
  }

  /** Decrypts into borrowed memory: `chunk` belongs to its reader. */
  #receive(chunk: Uint8Array): void {
    const count = Math.min(chunk.length, this.#encryptedBytes)
    const cipher = this.#decrypt
    if (count === 0 || cipher === null) return this.#handlers.data(chunk)
    this.#encryptedBytes -= count
    this.#setup.memory.borrow(chunk.length, plain => {
      cipher.apply(chunk.subarray(0, count), plain)
      if (count < chunk.length) plain.set(chunk.subarray(count), count)
      this.#handlers.data(plain)
    })
  }
}
