// POST over HTTP(S), for webhooks: public addresses only (and private ones that the owner allowed), no redirects,
// bounded time. Of the answer only the status counts: its body is read to its end where it is short, else the
// connection is cut.

import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { AppError, errorText } from '../../base/errors.ts'
import type { HttpPost, HttpPoster } from '../../ports/http-post.ts'
import { isLocalName } from '../../wire/net/local-address.ts'
import { GuardedAgents, type GuardedAgentDeps } from './guarded-agent.ts'
import { isForProxy } from './routed-connector.ts'

/** An answer that is longer is not worth keeping its connection. */
const MAX_ANSWER_BYTES = 64 * 1024
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
const CONNECTIONS = 2

/** Identity of the requests. */
export interface GuardedPostOptions {
  readonly userAgent: string
  /** Address to connect from; null = any. */
  readonly localIp: string | null
}

/** HttpPoster with judged addresses. */
export class GuardedPost implements HttpPoster {
  readonly #userAgent: string
  readonly #deps: GuardedAgentDeps
  readonly #localIp: string | null
  /** Null until something is posted. */
  #agents: GuardedAgents | null = null

  constructor({ userAgent, localIp }: GuardedPostOptions, deps: GuardedAgentDeps) {
    this.#userAgent = userAgent
    this.#deps = deps
    this.#localIp = localIp
  }

  async post(order: HttpPost): Promise<number> {
    const url = URL.parse(order.url)
    if (url === null) throw new AppError('SourceFailed', 'the address cannot be read')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new AppError('BadScheme')
    const abort = new AbortController()
    const giveUp = (): void => abort.abort(new AppError('Aborted'))
    const late = new AppError('SourceFailed', `no answer within ${Math.ceil(order.timeoutMs / 1000)} s`)
    const timer = setTimeout(() => abort.abort(late), order.timeoutMs)
    order.signal.addEventListener('abort', giveUp, { once: true })
    if (order.signal.aborted) giveUp()
    try {
      return await this.#send(url, order, abort.signal)
    } catch (error) {
      throw abort.signal.aborted ? (abort.signal.reason as AppError) : postError(error)
    } finally {
      clearTimeout(timer)
      order.signal.removeEventListener('abort', giveUp)
    }
  }

  close(): Promise<void> {
    this.#agents?.close()
    return Promise.resolve()
  }

  /** Throws AppError AddressRefused. Without this a literal address would be connected to before it is judged. */
  async #judge(host: string): Promise<void> {
    const { resolver, route = null } = this.#deps
    // Asking the place makes it look when its last look is old: kept connections from an address that has gone are
    // closed here.
    route?.place?.endpoints()
    if (isForProxy(host, route?.proxy ?? null)) {
      if (isLocalName(host)) throw new AppError('AddressRefused')
      return
    }
    const found = await resolver.resolve(host)
    if (!found.some(address => address.class === 'public')) throw new AppError('AddressRefused')
  }

  async #send(url: URL, { headers, body }: HttpPost, signal: AbortSignal): Promise<number> {
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
    await this.#judge(host)
    if (signal.aborted) throw signal.reason as Error
    const own = { 'user-agent': this.#userAgent, 'content-length': String(body.length), ...credentials(url) }
    const to = { method: 'POST', host, path: `${url.pathname}${url.search}`, headers: { ...headers, ...own }, signal }
    const agents = (this.#agents ??= this.#makeAgents())
    return new Promise((resolve, reject) => {
      const answered = (answer: IncomingMessage): void => finish(answer, resolve, reject)
      const sent =
        url.protocol === 'https:'
          ? requestHttps({ ...to, port: url.port || 443, agent: agents.https }, answered)
          : requestHttp({ ...to, port: url.port || 80, agent: agents.http }, answered)
      // Stays: an abort may come after the answer.
      sent.on('error', reject)
      sent.end(body)
    })
  }

  #makeAgents(): GuardedAgents {
    const bounds = { connectTimeoutMs: CONNECT_TIMEOUT_MS, connections: CONNECTIONS, keepAliveMs: KEEP_ALIVE_MS }
    return new GuardedAgents({ connectsTo: 'public', localIp: this.#localIp, ...bounds }, this.#deps)
  }
}

function finish(answer: IncomingMessage, resolve: (status: number) => void, reject: (error: Error) => void): void {
  let bytes = 0
  const status = answer.statusCode ?? 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_ANSWER_BYTES) return
    resolve(status)
    answer.destroy()
  })
  answer.on('error', reject)
  answer.once('end', () => resolve(status))
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function postError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  return new AppError('SourceFailed', errorText(inner), { cause: error })
}
