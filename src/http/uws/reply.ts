// The answer to one request. It knows when it is dead (the client went away, or the answer is complete), and every way
// to write checks that first: touching a dead native response ends the process.
// Answers of any length go by tryEnd, so that the native side never holds a second copy of a long one.

import { errorAnswer, statusLine } from '../envelope.ts'
import { HeaderBlock, type HeaderList, headText } from '../header-block.ts'
import type { RequestMeter } from '../request-meter.ts'
import type { Route } from '../route.ts'
import { LongBody, type TakeTurn } from './long-body.ts'
import type { HttpResponse } from './native.ts'
import type { SlowReaders } from './slow-readers.ts'

/** Bytes of long answers that are being made or wait for their clients, in all replies together: two of the longest. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024
/** Answers up to this length are handed over whole: the native buffer takes them without waiting. */
const SHORT_BYTES = 16 * 1024

/** What all replies of a server share. */
export class ReplyShare {
  /** Bytes of answers that wait for slow clients; bytes that several answers share count once. */
  waitingBytes = 0
  /** Bytes of answers that are still being made. */
  makingBytes = 0
  readonly #waiting = new Map<readonly Uint8Array[], number>()
  /** Answers under way. */
  openReplies = 0
  /** Called when the last answer under way has ended. */
  onIdle: (() => void) | null = null
  /** Told of what a part of the node throws when it hears that a client has gone: that must not reach native code. */
  readonly reportBug: (thrown: unknown) => void
  /** The turns that long answers share with streams. */
  readonly takeTurn: TakeTurn
  /** Long answers to players, which have a budget of their own. */
  readonly slow: SlowReaders
  readonly meter: RequestMeter

  constructor(
    reportBug: (thrown: unknown) => void,
    takeTurn: TakeTurn,
    parts: { readonly slow: SlowReaders; readonly meter: RequestMeter },
  ) {
    this.meter = parts.meter
    this.slow = parts.slow
    this.reportBug = reportBug
    this.takeTurn = takeTurn
  }

  /** Whether one more answer may wait with these bytes. */
  mayWait(body: readonly Uint8Array[]): boolean {
    return this.#waiting.has(body) || this.hasRoom(lengthOf(body))
  }

  /** Whether so many bytes more may be held. */
  hasRoom(bytes: number): boolean {
    return this.waitingBytes + this.makingBytes + bytes <= MAX_WAITING_BYTES
  }

  /** An answer waits with these bytes. */
  wait(body: readonly Uint8Array[]): void {
    const answers = this.#waiting.get(body) ?? 0
    if (answers === 0) this.waitingBytes += lengthOf(body)
    this.#waiting.set(body, answers + 1)
  }

  /** An answer that waited is complete, or its client gone. */
  waited(body: readonly Uint8Array[]): void {
    const answers = this.#waiting.get(body) ?? 0
    if (answers > 1) {
      this.#waiting.set(body, answers - 1)
      return
    }
    if (this.#waiting.delete(body)) this.waitingBytes -= lengthOf(body)
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

/** Headers that every answer has (decisions part 1). */
const ALWAYS: HeaderList = [
  new HeaderBlock([
    ['Referrer-Policy', 'no-referrer'],
    ['X-Content-Type-Options', 'nosniff'],
  ]),
]

/** With those that let pages of every origin read an answer, in the place of those of configured origins. */
const FOR_EVERY_PAGE: HeaderList = [
  ...ALWAYS,
  new HeaderBlock([
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Expose-Headers', 'Content-Length, Retry-After'],
  ]),
]

/** One answer. Every method does nothing once it is dead. */
export class Reply {
  readonly res: HttpResponse
  /** Null until one is found. */
  route: Route | null = null
  /** See BytesReply. */
  heldBy = ''
  /** Names in the body that the route does not know; its answer tells them. */
  ignored: readonly string[] = []
  readonly #beganMs: number
  #headTookMs = 0
  readonly #share: ReplyShare
  readonly #headOnly: boolean
  #always: HeaderList
  #onAbort: (() => void)[] | null = null
  #alive = true
  #started = false
  #inHandler = true
  #abort: AbortController | null = null
  #closing = false

  /** To be made in the native handler. `extra`: headers of this answer whatever it will be (CORS). */
  constructor(res: HttpResponse, share: ReplyShare, headOnly: boolean, extra: HeaderList) {
    this.res = res
    this.#share = share
    this.#headOnly = headOnly
    this.#always = extra.length === 0 ? ALWAYS : [...ALWAYS, ...extra]
    this.#beganMs = share.meter.now()
    share.openReplies += 1
  }

  /** To be called before the native handler returns: only after it can the client be seen to go. */
  leaveHandler(): void {
    this.#inHandler = false
    if (this.#alive) this.res.onAborted(() => this.#aborted())
  }

  /** False once the client has gone or the answer is complete. */
  get alive(): boolean {
    return this.#alive
  }

  /** True once a byte of the answer is out: an error can then only cut the connection. */
  get started(): boolean {
    return this.#started
  }

  /** HEAD: headers only. */
  get headOnly(): boolean {
    return this.#headOnly
  }

  /** Fires when the client goes away before the answer is complete. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (!this.#alive) this.#abort.abort()
    return this.#abort.signal
  }

  /** Pages of every origin may read the answer, whatever it will be. */
  allowEveryPage(): void {
    this.#always = FOR_EVERY_PAGE
  }

  /** The connection ends with the answer. */
  closeAfter(): void {
    this.#closing = true
  }

  /** Runs `run` when the client goes away. */
  onAbort(run: () => void): void {
    this.#onAbort ??= []
    this.#onAbort.push(run)
  }

  /** A whole JSON answer. */
  json(status: number, value: unknown, headers: HeaderList = []): void {
    this.bytes(status, 'application/json', Buffer.from(JSON.stringify(value)), headers)
  }

  /** The error envelope for anything thrown; true when it was a bug. Cuts the connection when the answer has begun. */
  error(thrown: unknown, headers: HeaderList = []): boolean {
    const answer = errorAnswer(thrown, headers)
    if (this.#started) this.cut()
    else this.json(answer.status, answer.envelope, answer.headers)
    return answer.unexpected
  }

  /** A whole answer. */
  bytes(status: number, contentType: string, body: Uint8Array, headers: HeaderList = []): void {
    this.parts(status, contentType, [body], headers)
  }

  /** A whole answer in parts that follow each other; the bytes of an array that answers share are counted once. */
  parts(status: number, contentType: string, body: readonly Uint8Array[], headers: HeaderList = []): void {
    const all: HeaderList = [['Content-Type', contentType], ...headers]
    const length = lengthOf(body)
    if (this.#headOnly && this.#closing) return this.cut()
    if (this.#headOnly) return this.headersOnly(status, all, length)
    if (!this.#alive) return
    if (length > SHORT_BYTES) return this.#longBody(status, all, body, length)
    this.#corked(() => {
      this.writeHead(status, all)
      this.res.end(body[1] === undefined ? body[0] : Buffer.concat(body), this.#closing)
    })
    this.finish()
  }

  /** Status and headers with a Content-Length (null: none) and no body: HEAD, 204, 304. */
  headersOnly(status: number, headers: HeaderList, length: number | null): void {
    if (!this.#alive) return
    this.#corked(() => {
      this.writeHead(status, headers)
      // Given to endWithoutBody, a length other than 0 leaves the native response open: the next request on the
      // connection would be taken as pipelined and cut off.
      if (length !== null) this.res.writeHeader('Content-Length', String(length))
      this.res.endWithoutBody()
    })
    this.finish()
  }

  /** True while what is written is collected anyway: the native side corks a response while its handler runs. */
  get inHandler(): boolean {
    return this.#inHandler
  }

  /** Begins an answer whose body the caller writes; `write` runs corked, right after the head. */
  begin(status: number, headers: HeaderList, write: () => void): void {
    if (!this.#alive) return
    this.#corked(() => {
      this.writeHead(status, headers)
      write()
    })
  }

  /** Status and headers alone; only of an answer that is alive, and within a cork. */
  writeHead(status: number, headers: HeaderList): void {
    this.#started = true
    this.#headTookMs = this.#share.meter.answered(this.route, status, this.#beganMs)
    this.res.writeStatus(headText(statusLine(status), this.#always, headers))
  }

  /** Cuts the connection: nothing else can tell a client that an answer that has begun goes no further. */
  cut(): void {
    if (!this.#alive) return
    this.res.close()
    this.#aborted()
  }

  /** The first byte of a file went out, with the head or after it. */
  firstByte(withHead: boolean): void {
    if (this.route?.kind !== 'stream') return
    const { meter } = this.#share
    meter.firstByte(withHead ? this.#headTookMs : meter.now() - this.#beganMs)
  }

  /** The native response has taken the last byte; it must not be touched any more. */
  finish(): void {
    if (!this.#alive) return
    this.#alive = false
    this.#leave()
  }

  #longBody(status: number, headers: HeaderList, parts: readonly Uint8Array[], length: number): void {
    const slow = this.route?.slowReaders === true ? this.#share.slow : null
    if (!(slow?.makeRoom(length, this.heldBy) ?? this.#share.mayWait(parts))) {
      const answer = {
        error: { handled: true, code: 'TooManyRequests', message: 'Too many long answers wait for slow clients.' },
      }
      return this.json(503, answer, [['Retry-After', '2']])
    }
    const body = new LongBody(this.res, parts, length, {
      takeTurn: this.#share.takeTurn,
      alive: () => this.#alive,
      complete: () => {
        release()
        this.finish()
      },
      cut: () => this.cut(),
      slow,
    })
    const release = this.#hold(body, parts, length)
    this.onAbort(release)
    this.res.onWritable(() => body.writable())
    this.begin(status, headers, () => void body.write())
  }

  /** Counts the bytes of an answer; what ends that. */
  #hold(body: LongBody, parts: readonly Uint8Array[], length: number): () => void {
    const share = this.#share
    if (this.route?.slowReaders === true) {
      share.slow.add(body, length, this.heldBy)
      return () => share.slow.remove(body)
    }
    share.wait(parts)
    let waiting = true
    return () => {
      if (waiting) share.waited(parts)
      waiting = false
    }
  }

  // For the first bytes of an answer.
  #corked(write: () => void): void {
    if (this.#inHandler) write()
    else this.res.cork(write)
  }

  #aborted(): void {
    if (!this.#alive) return
    this.#alive = false
    this.#abort?.abort()
    for (const run of this.#onAbort ?? []) this.#runSafely(run)
    this.#leave()
  }

  #runSafely(run: () => void): void {
    try {
      run()
    } catch (thrown) {
      this.#share.reportBug(thrown)
    }
  }

  #leave(): void {
    this.#share.openReplies -= 1
    if (this.#share.openReplies === 0) this.#share.onIdle?.()
  }
}
