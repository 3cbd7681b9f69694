// GET over HTTP(S) for addresses that strangers name: trackers and torrent sources. Follows up to five redirects
// itself, judging every hop; bounds time and bytes; keeps connections alive between announces.
// Invariant: a private address is reached only under the rule 'tracker-paths', and never after a public one.

import type { IncomingMessage } from 'node:http'
import { AppError, errorText } from '../../base/errors.ts'
import type { HttpAnswer, HttpClient, HttpGet } from '../../ports/http-get.ts'
import type { GuardedAgentDeps } from './guarded-agent.ts'
import { readBoundedBody } from './bounded-body.ts'
import { codeOf, drop, JudgedRequests, type JudgedRequestsOptions, REDIRECTS } from './judged-requests.ts'

/** Redirects followed; the sixth ends it. */
const MAX_REDIRECTS = 5

const readable: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the local address cannot be used',
  HPE_HEADER_OVERFLOW: 'the head of the answer is too long',
}

/** What one GET ended at: an answer, or a redirect out of HTTP (to a magnet link). */
export type GuardedResult = HttpAnswer & {
  readonly movedTo: string | null
  /** Of the answer; `url` is where it came from. */
  readonly headers: IncomingMessage['headers']
  readonly url: string
}

/** A GET with fields of its own, which every hop is sent. */
export type GuardedGet = HttpGet & { readonly fields?: Readonly<Record<string, string>> }

function sourceError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : null
  if (cause !== null) return cause
  // Happy eyeballs: several addresses failed, each with its own error.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  return new AppError('SourceFailed', readable[codeOf(inner)] ?? errorText(inner), { cause: error })
}

/** A field of an answer; '' = it has none. */
export function header(headers: IncomingMessage['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}

/** HttpClient with judged addresses. */
export class GuardedHttp implements HttpClient {
  readonly #requests: JudgedRequests

  constructor(options: JudgedRequestsOptions, deps: GuardedAgentDeps) {
    this.#requests = new JudgedRequests(options, deps)
  }

  async get(order: HttpGet): Promise<HttpAnswer> {
    const result = await this.follow(order, () => false)
    return { status: result.status, body: result.body, remoteIp: result.remoteIp }
  }

  /** As get(); a redirect whose target `isEnd` accepts is not followed but told as `movedTo`. */
  async follow(order: GuardedGet, isEnd: (location: string) => boolean): Promise<GuardedResult> {
    const abort = new AbortController()
    const giveUp = (): void => abort.abort(new AppError('Aborted'))
    const late = `no answer within ${Math.ceil(order.timeoutMs / 1_000)} s`
    const timer = setTimeout(() => abort.abort(new AppError('SourceFailed', late)), order.timeoutMs)
    order.signal?.addEventListener('abort', giveUp, { once: true })
    if (order.signal?.aborted) giveUp()
    try {
      return await untilAbort(this.#hops(order, isEnd, abort.signal), abort.signal)
    } catch (error) {
      if (abort.signal.aborted) throw abort.signal.reason as AppError
      // Ends what may still run after an error, such as a connect.
      abort.abort(new AppError('Aborted'))
      throw sourceError(error)
    } finally {
      clearTimeout(timer)
      order.signal?.removeEventListener('abort', giveUp)
    }
  }

  close(): Promise<void> {
    this.#requests.close()
    return Promise.resolve()
  }

  async #hops(order: GuardedGet, isEnd: (location: string) => boolean, signal: AbortSignal): Promise<GuardedResult> {
    const { privateRule, maxBytes } = order
    const seen = new Set<string>()
    let hop = await this.#requests.judge(order.url, { privateRule, fromPublic: false })
    let fromPublic = false
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (seen.has(hop.url.href)) throw new AppError('SourceFailed', 'the redirects go round in a circle')
      seen.add(hop.url.href)
      const fields = { ...order.fields, 'accept-encoding': 'gzip' }
      const answer = await this.#requests.get(hop, fields, redirects === 0, signal)
      const location = header(answer.headers, 'location')
      const status = answer.statusCode ?? 0
      if (!REDIRECTS.has(status) || location === '') {
        return { ...(await this.#read(answer, maxBytes)), remoteIp: hop.ip, url: hop.url.href }
      }
      drop(answer)
      if (isEnd(location))
        return { status, body: new Uint8Array(0), remoteIp: null, movedTo: location, headers: {}, url: '' }
      fromPublic ||= hop.class === 'public'
      hop = await this.#requests.judge(location, { privateRule, fromPublic }, hop.url)
    }
    throw new AppError('SourceFailed', `more than ${MAX_REDIRECTS} redirects`)
  }

  async #read(answer: IncomingMessage, maxBytes: number): Promise<GuardedResult> {
    const announced = Number(header(answer.headers, 'content-length'))
    if (announced > maxBytes) {
      drop(answer)
      throw new AppError('SourceFailed', `the answer is longer than ${maxBytes} bytes`)
    }
    const body = await readBoundedBody(answer, header(answer.headers, 'content-encoding'), maxBytes)
    return { status: answer.statusCode ?? 0, body, remoteIp: null, movedTo: null, headers: answer.headers, url: '' }
  }
}

/** Settles with `work`, or rejects as soon as `signal` fires (name look-ups cannot be interrupted). */
export function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
