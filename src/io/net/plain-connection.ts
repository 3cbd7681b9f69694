// One kept connection for GET requests without TLS, straight on a TcpStream: the body reaches its taker in the buffer
// the network reads into, with no buffer made for it (node:http makes one of 64 KiB a read). Only answers whose body
// has a length told in the head are read here. Invariant: never more is read than that length; one request at a time.

import { AppError } from '../../base/errors.ts'
import type { TcpNetwork, TcpStream } from '../../ports/tcp.ts'
import type { BodySource, BodyTaker } from './body-source.ts'
import { type HttpHead, parseHttpHead } from './http-head.ts'

/** Bytes of a head at most, as node:http has it. */
const MAX_HEAD_BYTES = 16 * 1024
const HEAD_END = '\r\n\r\n'

/** Where and how to connect. */
export interface PlainTarget {
  readonly ip: string
  readonly port: number
  readonly localIp: string | null
  readonly timeoutMs: number
}

interface Asked {
  readonly send: () => void
  readonly settle: (head: HttpHead) => void
  readonly fail: (error: Error) => void
}

function cut(): AppError {
  return new AppError('SourceFailed', 'the connection was cut')
}

/**
 * One kept connection for GET requests without TLS, straight on a TcpStream: the body reaches its taker in the buffer
 * the network reads into, with no buffer made for it (node:http makes one of 64 KiB a read).
 */
export class PlainConnection implements BodySource {
  /** It once was connected. */
  opened = false
  closed = false
  /** Bytes of the present answer have come. */
  answered = false
  /** Runs when the present request is over, whatever came of it. */
  whenFree: () => void = () => undefined
  readonly #stream: TcpStream
  /** The request is over and the connection can take another (true), or it is gone. */
  readonly #free: (usable: boolean) => void
  #asked: Asked | null = null
  #begun = new Uint8Array(0)
  #head: HttpHead | null = null
  #taker: BodyTaker | null = null
  #rest: Uint8Array | null = null
  #left = 0
  #paused = false
  #error: Error | null = null

  constructor(tcp: TcpNetwork, to: PlainTarget, free: (usable: boolean) => void) {
    this.#free = free
    const { ip, port, localIp, timeoutMs } = to
    this.#stream = tcp.connect(
      { ip, port },
      { localIp, timeoutMs },
      {
        open: () => {
          this.opened = true
          this.#asked?.send()
        },
        data: chunk => this.#data(chunk),
        drain: () => undefined,
        close: error => this.#closed(error),
      },
    )
  }

  get status(): number {
    return this.#head?.status ?? 0
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#head?.fields ?? {}
  }

  /** Sends a request and settles with the head of its answer; the body waits until read(). */
  ask(request: Uint8Array): Promise<HttpHead> {
    this.answered = false
    this.#begun = new Uint8Array(0)
    return new Promise((settle, fail) => {
      if (this.closed) return fail(this.#error ?? cut())
      const send = (): void => void this.#stream.write(request)
      this.#asked = { send, settle, fail }
      if (this.opened) send()
    })
  }

  read(taker: BodyTaker): void {
    if (this.closed) return taker.error(this.#error ?? cut())
    this.#taker = taker
    const rest = this.#rest
    this.#rest = null
    this.#paused = false
    if (rest !== null) this.#body(rest)
    if (this.#taker === null || this.#paused) return
    if (this.#left === 0) this.#over()
    else this.#stream.resume()
  }

  pause(): void {
    this.#paused = true
    this.#stream.pause()
  }

  resume(): void {
    this.#paused = false
    if (this.#taker !== null && this.#left === 0) return this.#over()
    this.#stream.resume()
  }

  drop(): void {
    if (this.#head !== null || this.#asked !== null) this.destroy()
  }

  destroy(): void {
    this.#taker = null
    this.#stream.destroy()
  }

  #data(chunk: Uint8Array): void {
    if (this.#taker !== null) return this.#body(chunk)
    // Nothing was asked for: what such a server says next is not to be relied on.
    if (this.#asked === null) return this.destroy()
    this.answered = true
    const before = this.#begun.length
    const begun = Buffer.concat([this.#begun, chunk.subarray(0, MAX_HEAD_BYTES - before)])
    this.#begun = begun
    const end = begun.indexOf(HEAD_END)
    if (end >= 0)
      return this.#headCame(begun.toString('latin1', 0, end), chunk.subarray(end + HEAD_END.length - before))
    if (begun.length >= MAX_HEAD_BYTES) this.#refuse('the head of the answer is too long')
  }

  #headCame(text: string, behind: Uint8Array): void {
    const head = parseHttpHead(text)
    if (head === null) return this.#refuse('the answer is not HTTP')
    const asked = this.#asked
    this.#asked = null
    this.#head = head
    this.#left = head.bodyBytes ?? 0
    // The reader comes later; until then nothing more is taken from the kernel.
    this.#paused = true
    this.#stream.pause()
    this.#rest = Uint8Array.from(behind)
    asked?.settle(head)
  }

  #refuse(text: string): void {
    this.#error = new AppError('SourceFailed', text)
    this.destroy()
  }

  #body(chunk: Uint8Array): void {
    const part = chunk.length > this.#left ? chunk.subarray(0, this.#left) : chunk
    this.#left -= part.length
    // Bytes behind the body are those of no request.
    if (part.length < chunk.length) this.#error = cut()
    if (part.length > 0) this.#taker?.data(part)
    if (this.#left === 0 && !this.#paused && this.#taker !== null) this.#over()
  }

  #over(): void {
    const taker = this.#taker
    const usable = this.#head?.keeps === true && this.#error === null && !this.closed
    this.#taker = null
    this.#head = null
    if (usable) this.#stream.resume()
    else this.#stream.destroy()
    this.whenFree()
    this.#free(usable)
    taker?.end()
  }

  #closed(error: Error | null): void {
    this.closed = true
    this.#error ??= error ?? cut()
    const taker = this.#taker
    const asked = this.#asked
    this.#taker = null
    this.#asked = null
    this.#rest = null
    this.whenFree()
    this.#free(false)
    asked?.fail(this.#error)
    taker?.error(this.#error)
  }
}
