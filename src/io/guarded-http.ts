// GET over HTTP(S) for addresses that strangers name: trackers and torrent sources. Follows up to five redirects
// itself, judging every hop; bounds time and bytes; keeps connections alive between announces.
// Invariant: a private address is reached only under the rule 'tracker-paths', and never after a public one.

import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { AppError, errorText } from '../base/errors.ts'
import type { HttpAnswer, HttpClient, HttpGet } from '../ports/http-get.ts'
import type { AddressClass, NameResolver } from '../ports/name-resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import { readBoundedBody } from './bounded-body.ts'
import { familyFits } from './dns-resolver.ts'
import { GuardedAgents } from './guarded-agent.ts'

/** Redirects followed; the sixth ends it. */
const MAX_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** The only paths asked of private addresses (decisions part 2, row uri schemes). */
const PRIVATE_PATHS: ReadonlySet<string> = new Set(['/announce', '/scrape'])
/** Kept-alive connections die without notice; these say that the request met such a one. */
const STALE_CONNECTION: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

const readable: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the local address cannot be used',
  HPE_HEADER_OVERFLOW: 'the head of the answer is too long',
}

/** Bounds and identity of all requests. */
export interface GuardedHttpOptions {
  readonly userAgent: string
  /** Address to connect from (setting libtorrent.interface); null = any. */
  readonly localIp: string | null
  readonly connectTimeoutMs?: number
  readonly connectionsPerOrigin?: number
  readonly keepAliveMs?: number
}

/** What judges and finds addresses. */
export interface GuardedHttpDeps {
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
}

/** What one GET ended at: an answer, or a redirect out of HTTP (to a magnet link). */
export type GuardedResult = HttpAnswer & { readonly movedTo: string | null }

interface Hop {
  readonly url: URL
  readonly class: Exclude<AddressClass, 'refused'>
  /** The first of the addresses it may be asked at. */
  readonly ip: string
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function sourceError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : null
  if (cause !== null) return cause
  // Happy eyeballs: several addresses failed, each with its own error.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  return new AppError('SourceFailed', readable[codeOf(inner)] ?? errorText(inner), { cause: error })
}

function header(headers: IncomingMessage['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}

function literalHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

/** HttpClient with judged addresses. */
export class GuardedHttp implements HttpClient {
  readonly #options: GuardedHttpOptions
  readonly #deps: GuardedHttpDeps
  readonly #agents = new Map<Hop['class'], GuardedAgents>()
  #closed = false

  constructor(options: GuardedHttpOptions, deps: GuardedHttpDeps) {
    this.#options = options
    this.#deps = deps
  }

  async get(order: HttpGet): Promise<HttpAnswer> {
    const result = await this.follow(order, () => false)
    return { status: result.status, body: result.body, remoteIp: result.remoteIp }
  }

  /** As get(); a redirect whose target `isEnd` accepts is not followed but told as `movedTo`. */
  async follow(order: HttpGet, isEnd: (location: string) => boolean): Promise<GuardedResult> {
    const abort = new AbortController()
    const giveUp = (): void => abort.abort(new AppError('Aborted'))
    const late = `no answer within ${Math.ceil(order.timeoutMs / 1_000)} s`
    const timer = setTimeout(() => abort.abort(new AppError('SourceFailed', late)), order.timeoutMs)
    order.signal?.addEventListener('abort', giveUp, { once: true })
    if (order.signal?.aborted) giveUp()
    try {
      return await untilAbort(this.#hops(order, isEnd, abort.signal), abort.signal)
    } catch (error) {
      throw abort.signal.aborted ? (abort.signal.reason as AppError) : sourceError(error)
    } finally {
      clearTimeout(timer)
      order.signal?.removeEventListener('abort', giveUp)
      // Ends what may still run after an error, such as a connect.
      if (!abort.signal.aborted) abort.abort(new AppError('Aborted'))
    }
  }

  close(): Promise<void> {
    this.#closed = true
    for (const agents of this.#agents.values()) agents.close()
    return Promise.resolve()
  }

  #agentsFor(connectsTo: Hop['class']): GuardedAgents {
    if (this.#closed) throw new AppError('Aborted')
    const made = this.#agents.get(connectsTo)
    if (made !== undefined) return made
    const { localIp, connectTimeoutMs = 10_000, connectionsPerOrigin = 8, keepAliveMs = 10_000 } = this.#options
    const bounds = { connectTimeoutMs, connections: connectionsPerOrigin, keepAliveMs }
    const agents = new GuardedAgents({ connectsTo, localIp, ...bounds }, this.#deps)
    this.#agents.set(connectsTo, agents)
    return agents
  }

  async #hops(order: HttpGet, isEnd: (location: string) => boolean, signal: AbortSignal): Promise<GuardedResult> {
    const seen = new Set<string>()
    let hop = await this.#judge(order.url, order, false)
    let cameFromPublic = false
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (seen.has(hop.url.href)) throw new AppError('SourceFailed', 'the redirects go round in a circle')
      seen.add(hop.url.href)
      const answer = await this.#send(hop, redirects === 0, signal)
      const location = header(answer.headers, 'location')
      const status = answer.statusCode ?? 0
      if (!REDIRECTS.has(status) || location === '') {
        return { ...(await this.#read(answer, order.maxBytes)), remoteIp: hop.ip }
      }
      drop(answer)
      if (isEnd(location)) return { status, body: new Uint8Array(0), remoteIp: null, movedTo: location }
      cameFromPublic ||= hop.class === 'public'
      const next = URL.parse(location, hop.url.href)
      if (next === null) throw new AppError('SourceFailed', 'the redirect leads to no readable address')
      hop = await this.#judge(next.href, order, cameFromPublic)
    }
    throw new AppError('SourceFailed', `more than ${MAX_REDIRECTS} redirects`)
  }

  /** Decides by which agent a URL may be asked. A name with public addresses is asked at those only. */
  async #judge(href: string, order: HttpGet, cameFromPublic: boolean): Promise<Hop> {
    const url = URL.parse(href)
    if (url === null) throw new AppError('SourceFailed', 'the address cannot be read')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new AppError('BadScheme', `'${url.protocol.slice(0, 20)}' addresses cannot be fetched`)
    }
    const found = await this.#deps.resolver.resolve(literalHost(url))
    const usable = found.filter(address => familyFits(this.#options.localIp, address.family))
    const open = usable.find(address => address.class === 'public')
    if (open !== undefined) return { url, class: 'public', ip: open.ip }
    const local = usable.find(address => address.class === 'private')
    if (local === undefined) throw new AppError('AddressRefused')
    if (order.privateRule === 'refuse') throw new AppError('AddressRefused')
    if (cameFromPublic) throw new AppError('AddressRefused', 'a public address redirects to a private one')
    if (!PRIVATE_PATHS.has(url.pathname)) {
      throw new AppError('AddressRefused', 'on a private address only the paths /announce and /scrape are asked')
    }
    return { url, class: 'private', ip: local.ip }
  }

  async #send(hop: Hop, withCredentials: boolean, signal: AbortSignal): Promise<IncomingMessage> {
    const { url } = hop
    const headers: Record<string, string> = { 'user-agent': this.#options.userAgent, 'accept-encoding': 'gzip' }
    // Only the address that was asked for carries its user and password; a redirect never does.
    if (withCredentials && (url.username !== '' || url.password !== '')) {
      const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    }
    try {
      return await this.#ask(hop, headers, signal)
    } catch (error) {
      if (signal.aborted || !STALE_CONNECTION.has(codeOf(error))) throw error
      return await this.#ask(hop, headers, signal)
    }
  }

  /** Sends one request; settles when the head of the answer is here. */
  #ask(hop: Hop, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const { url } = hop
    const agents = this.#agentsFor(hop.class)
    const to = { host: literalHost(url), path: `${url.pathname}${url.search}`, headers, signal }
    return new Promise((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? requestHttps({ ...to, port: url.port || 443, agent: agents.https })
          : requestHttp({ ...to, port: url.port || 80, agent: agents.http })
      sent.once('response', resolve)
      // Stays: an abort may come after the answer.
      sent.on('error', reject)
      sent.end()
    })
  }

  async #read(answer: IncomingMessage, maxBytes: number): Promise<GuardedResult> {
    const announced = Number(header(answer.headers, 'content-length'))
    if (announced > maxBytes) {
      drop(answer)
      throw new AppError('SourceFailed', `the answer is longer than ${maxBytes} bytes`)
    }
    const body = await readBoundedBody(answer, header(answer.headers, 'content-encoding'), maxBytes)
    return { status: answer.statusCode ?? 0, body, remoteIp: null, movedTo: null }
  }
}

/** Ends an answer whose body is of no use, and its connection. */
function drop(answer: IncomingMessage): void {
  answer.on('error', () => undefined)
  answer.destroy()
}

/** Settles with `work`, or rejects as soon as `signal` fires (name look-ups cannot be interrupted). */
function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
