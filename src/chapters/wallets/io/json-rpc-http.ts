// JSON-RPC over HTTP to a server that the owner named, with a kept connection, bounded answers and a time limit. A
// server on this machine is asked straight; any other by the route that trackers take (proxy, bound device), or not at
// all. Its address may be a private one. Credentials of the address go as Basic authentication, and into no text.

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { AppError, errorText } from '../../../base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../ports/json-rpc.ts'
import { type GuardedAgentDeps, GuardedAgents } from '../../../io/net/guarded-agent.ts'
import { isForProxy } from '../../../io/net/routed-connector.ts'

/** A block of 4 MB in hexadecimal, and room. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024
const TIMEOUT_MS = 20_000
/** Connections kept to the server. */
const CONNECTIONS = 4
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 60_000
/** Nothing sent there leaves the machine. */
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

/** Connections for http: and https: addresses. */
interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** One server; see the top of the file. */
export class HttpJsonRpc implements JsonRpc {
  readonly #url: URL
  readonly #authorization: string
  readonly #deps: GuardedAgentDeps
  /** Straight; null: the server is elsewhere. */
  readonly #local: Agents | null
  readonly #guarded: { readonly public: GuardedAgents; readonly private: GuardedAgents }
  readonly #closed = new AbortController()
  #id = 0

  /** Throws AppError WalletServerFailed for what is no address. */
  constructor(address: string, deps: GuardedAgentDeps) {
    const url = URL.parse(address)
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new AppError('WalletServerFailed', 'The address of the server cannot be read.')
    }
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    this.#authorization = pair === ':' ? '' : `Basic ${Buffer.from(pair).toString('base64')}`
    url.username = ''
    url.password = ''
    this.#url = url
    this.#deps = deps
    const options = { keepAlive: true, maxSockets: CONNECTIONS }
    this.#local = THIS_MACHINE.test(url.hostname)
      ? { http: new HttpAgent(options), https: new HttpsAgent(options) }
      : null
    const bounds = { connectTimeoutMs: CONNECT_TIMEOUT_MS, connections: CONNECTIONS, keepAliveMs: KEEP_ALIVE_MS }
    const agents = (connectsTo: 'public' | 'private') =>
      new GuardedAgents({ connectsTo, localIp: null, ...bounds }, deps)
    this.#guarded = { public: agents('public'), private: agents('private') }
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    this.#id += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params: parameters })
    const { status, text } = await this.#sendTwice(Buffer.from(body))
    const { result, error } = this.#read(status, text)
    if (error === null || error === undefined) return result
    const { code, message } = error as { code?: unknown; message?: unknown }
    throw new RpcRefusal(
      typeof code === 'number' ? code : 0,
      typeof message === 'string' ? message.slice(0, 300) : 'refused',
    )
  }

  close(): void {
    this.#closed.abort()
    for (const agent of [this.#local?.http, this.#local?.https]) agent?.destroy()
    for (const agents of Object.values(this.#guarded)) agents.close()
  }

  /** Those that reach the server; its name is looked up for each request, as it may move. */
  async #agents(): Promise<Agents> {
    if (this.#local !== null) return this.#local
    const { resolver, route = null } = this.#deps
    // Asking the place makes it look: connections kept from an address that has gone are closed.
    route?.place?.endpoints()
    const host = this.#url.hostname.replace(/^\[|\]$/g, '')
    if (isForProxy(host, route?.proxy ?? null)) return this.#guarded.public
    const found = (await resolver.resolve(host)).find(address => address.class !== 'refused')
    if (found === undefined || found.class === 'refused') throw new AppError('AddressRefused')
    return this.#guarded[found.class]
  }

  #read(status: number, text: string): { result?: unknown; error?: unknown } {
    if (status === 401 || status === 403) throw this.#failure(`it does not take the credentials (${status})`)
    try {
      const answer: unknown = JSON.parse(text)
      if (typeof answer === 'object' && answer !== null) return answer
    } catch {
      // Said below.
    }
    throw this.#failure(`it answers ${status}, and not as JSON-RPC does`)
  }

  /** Servers close kept connections when they like; every question of this node may be asked twice. */
  async #sendTwice(body: Buffer): Promise<{ status: number; text: string }> {
    try {
      return await this.#send(body)
    } catch (error) {
      const { code } = ((error as AppError).cause ?? {}) as NodeJS.ErrnoException
      if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error
      return this.#send(body)
    }
  }

  async #send(body: Buffer): Promise<{ status: number; text: string }> {
    if (this.#closed.signal.aborted) throw new AppError('Aborted')
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      ...(this.#authorization === '' ? {} : { authorization: this.#authorization }),
    }
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const isHttps = this.#url.protocol === 'https:'
    const send = isHttps ? requestHttps : requestHttp
    try {
      const agents = await this.#agents()
      const agent = isHttps ? agents.https : agents.http
      return await new Promise((resolve, reject) => {
        const sent = send(this.#url, { method: 'POST', headers, agent, signal }, answer => {
          collect(answer).then(text => resolve({ status: answer.statusCode ?? 0, text }), reject)
        })
        sent.on('error', reject)
        sent.end(body)
      })
    } catch (error) {
      if (this.#closed.signal.aborted) throw new AppError('Aborted')
      throw this.#failure(signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error), error)
    }
  }

  #failure(text: string, cause?: unknown): AppError {
    return new AppError('WalletServerFailed', `The server at ${this.#url.host} cannot be asked: ${text}.`, { cause })
  }
}

function reasonOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  return errorText(inner)
}

async function collect(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
