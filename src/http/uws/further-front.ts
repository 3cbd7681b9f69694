// What answers at a listener of its own (further-listener.ts): requests are judged by its service and answered with
// bytes or with ranges of a file. Nothing is thrown out of the native handler.

import { AppError } from '../../base/errors.ts'
import type { FurtherAnswer, FurtherRequest, FurtherService } from '../further-listener.ts'
import { BodyShare, collectBody } from './body.ts'
import { checkFraming } from './framing.ts'
import type { HttpRequest, HttpResponse, NativeApp } from './native.ts'
import { Reply, type ReplyShare } from './reply.ts'
import { RequestHead } from './request.ts'
import type { StreamAnswers } from './stream-answer.ts'

/** While so many bytes of answers wait for slow clients, none is added: a quarter of what may wait in all. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024

/** What it shares with the interface. */
export interface FurtherFrontDeps {
  readonly share: ReplyShare
  readonly streams: StreamAnswers
  /** Told of errors that are bugs. */
  reportBug(path: string, thrown: unknown): void
}

/** A request whose connection was admitted. */
class Asked implements FurtherRequest {
  readonly method: string
  readonly path: string
  readonly remoteIp: string
  readonly body: Buffer
  readonly #headers: ReadonlyMap<string, string>
  readonly #reply: Reply

  constructor(head: RequestHead, remoteIp: string, headers: ReadonlyMap<string, string>, body: Buffer, reply: Reply) {
    this.method = head.method === 'HEAD' ? 'GET' : head.method
    this.path = head.path
    this.remoteIp = remoteIp
    this.body = body
    this.#headers = headers
    this.#reply = reply
  }

  header(name: string): string {
    return this.#headers.get(name) ?? ''
  }

  get signal(): AbortSignal {
    return this.#reply.signal
  }

  cut(): void {
    this.#reply.cut()
  }
}

/** All requests of one further listener. */
export class FurtherFront {
  readonly #service: FurtherService
  readonly #deps: FurtherFrontDeps
  readonly #bodies = new BodyShare()
  #open = 0

  constructor(service: FurtherService, deps: FurtherFrontDeps) {
    this.#service = service
    this.#deps = deps
  }

  /** Connections of `app` are counted, its requests answered. */
  attach(app: NativeApp): void {
    app.filter((res, change) => {
      this.#open += change > 0 ? 1 : -1
      if (change > 0 && (this.#open > this.#service.maxConnections || !this.#service.hears(addressOf(res)))) res.close()
    })
    app.any('/*', (res, req) => this.#handle(res, req))
  }

  #handle(res: HttpResponse, req: HttpRequest): void {
    const head = new RequestHead(req, false)
    const remoteIp = addressOf(res)
    const reply = new Reply(res, this.#deps.share, head.method === 'HEAD', [])
    try {
      if (this.#service.admits(remoteIp, head.host)) this.#take(head, req, remoteIp, reply)
      else reply.cut()
    } catch (thrown) {
      this.#fail(reply, head.path, thrown)
    }
    reply.leaveHandler()
  }

  #take(head: RequestHead, req: HttpRequest, remoteIp: string, reply: Reply): void {
    checkFraming(req, head.method)
    const headers = new Map(this.#service.headers.map(name => [name, req.getHeader(name)]))
    head.keep()
    const body = head.method === 'POST' ? collectBody(reply, this.#bodies, this.#service.maxBodyBytes) : NO_BODY
    body
      .then(bytes => this.#service.answer(new Asked(head, remoteIp, headers, bytes, reply)))
      .then(answer => this.#send(reply, head, answer))
      .catch((thrown: unknown) => this.#fail(reply, head.path, thrown))
  }

  async #send(reply: Reply, head: RequestHead, answer: FurtherAnswer): Promise<void> {
    // Slow clients of this listener must not take what long answers of the interface need.
    if (answer.kind === 'bytes' && this.#deps.share.waitingBytes > MOST_WAITING_BYTES)
      throw new AppError('TooManyRequests')
    if (answer.kind === 'bytes') return reply.parts(answer.status, answer.contentType, answer.parts, answer.headers)
    const { streams } = this.#deps
    try {
      await streams.answer(reply, head, answer.file, { shown: answer.shown, wholeStatus: 200 })
    } finally {
      answer.ended()
    }
  }

  #fail(reply: Reply, path: string, thrown: unknown): void {
    if (!reply.alive) return
    // Behind the first part of the path there may be a key.
    if (reply.error(thrown)) this.#deps.reportBug(path.split('/', 2).join('/'), thrown)
  }
}

function addressOf(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString('latin1')
}

const NO_BODY = Promise.resolve(Buffer.alloc(0))
