// Single HTTP(S) requests to addresses that strangers name, each judged before anything is sent: names are looked up,
// private addresses are asked only as the rule allows and never after a public one, refused ones never. Follows no
// redirects: callers that do have every hop judged here. Invariant: a request leaves by agents that reach addresses of
// its hop's class and no others.

import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { AppError } from '../../base/errors.ts'
import type { PrivateRule } from '../../ports/http-get.ts'
import type { AddressClass, ResolvedAddress } from '../../ports/name-resolver.ts'
import { isLocalName } from '../../wire/net/local-address.ts'
import { familyFits } from './dns-resolver.ts'
import { type GuardedAgentDeps, GuardedAgents } from './guarded-agent.ts'
import { isForProxy } from './routed-connector.ts'

/** Statuses that send on to `location`. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** The only paths asked of private trackers (decisions part 2, row uri schemes). */
const TRACKER_PATHS: ReadonlySet<string> = new Set(['/announce', '/scrape'])
/** Kept-alive connections die without notice; these say that the request met such a one. */
const STALE_CONNECTION: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** Identity and bounds of all connections. */
export interface JudgedRequestsOptions {
  readonly userAgent: string
  /** Address to connect from without a route; null = any. */
  readonly localIp: string | null
  readonly connectTimeoutMs?: number
  readonly connectionsPerOrigin?: number
  readonly keepAliveMs?: number
}

/** A url that may be asked. */
export interface Hop {
  readonly url: URL
  readonly class: Exclude<AddressClass, 'refused'>
  /** The first of the addresses it may be asked at; null when a proxy resolves its name. */
  readonly ip: string | null
}

/** What a url is judged by. */
export interface HopRule {
  readonly privateRule: PrivateRule
  /** A public address sent us here. */
  readonly fromPublic: boolean
}

/** The code of a system error, '' for others. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function literalHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

/**
 * Single HTTP(S) requests to addresses that strangers name, each judged before anything is sent: names are looked up,
 * private addresses are asked only as the rule allows and never after a public one, refused ones never.
 */
export class JudgedRequests {
  readonly #options: JudgedRequestsOptions
  readonly #deps: GuardedAgentDeps
  readonly #agents = new Map<Hop['class'], GuardedAgents>()
  #closed = false

  constructor(options: JudgedRequestsOptions, deps: GuardedAgentDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Decides which agents may request a url (`href`, relative to `base`). A name with public addresses is asked at those
   * only. Rejects with AppError SourceFailed, BadScheme or AddressRefused.
   */
  async judge(href: string, rule: HopRule, base?: URL): Promise<Hop> {
    const url = URL.parse(href, base?.href)
    if (url === null) throw new AppError('SourceFailed', 'the address cannot be read')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new AppError('BadScheme', `'${url.protocol.slice(0, 20)}' addresses cannot be fetched`)
    }
    const host = literalHost(url)
    const { route = null } = this.#deps
    if (isForProxy(host, route?.proxy ?? null)) {
      // What the proxy makes of a name is not known here: it counts as public, unless it is a local one anywhere.
      if (isLocalName(host)) throw new AppError('AddressRefused')
      return { url, class: 'public', ip: null }
    }
    const usable = (await this.#deps.resolver.resolve(host)).filter(address => this.#reaches(address.family))
    const open = usable.find(address => address.class === 'public')
    return open === undefined ? privateHop(url, usable, rule) : { url, class: 'public', ip: open.ip }
  }

  /**
   * Sends one GET and settles with the head of its answer. `withCredentials`: only for the address that was asked for
   * first. A kept connection that turns out to be dead is replaced once.
   */
  async get(
    hop: Hop,
    fields: Readonly<Record<string, string>>,
    withCredentials: boolean,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const headers = this.headers(hop, fields, withCredentials)
    try {
      return await this.#ask(hop, headers, signal)
    } catch (error) {
      if (signal.aborted || !STALE_CONNECTION.has(codeOf(error))) throw error
      return await this.#ask(hop, headers, signal)
    }
  }

  /** The fields of a request, as get() sends them. */
  headers(hop: Hop, fields: Readonly<Record<string, string>>, withCredentials: boolean): Record<string, string> {
    const { username, password } = hop.url
    const headers: Record<string, string> = { 'user-agent': this.#options.userAgent, ...fields }
    if (withCredentials && (username !== '' || password !== '')) {
      const pair = `${decoded(username)}:${decoded(password)}`
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    }
    return headers
  }

  /** Ends all connections. */
  close(): void {
    this.#closed = true
    for (const agents of this.#agents.values()) agents.close()
  }

  /** True when this node has an address to reach a family from; a proxy reaches both. */
  #reaches(family: 4 | 6): boolean {
    const { route = null } = this.#deps
    if (route === null) return familyFits(this.#options.localIp, family)
    return route.proxy !== null || route.place === null || route.place.localIp(family) !== null
  }

  #ask(hop: Hop, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const { url } = hop
    // Asking the place makes it look when its last look is old: kept connections from an address that has gone are
    // closed here.
    this.#deps.route?.place?.endpoints()
    const agents = this.#agentsFor(hop.class)
    const to = { host: literalHost(url), path: `${url.pathname}${url.search}`, headers, signal }
    return new Promise((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? requestHttps({ ...to, port: url.port || 443, agent: agents.https })
          : requestHttp({ ...to, port: url.port || 80, agent: agents.http })
      // An answer that comes when the caller no longer waits would keep its connection.
      sent.once('response', answer => (signal.aborted ? drop(answer) : resolve(answer)))
      // Stays: an abort may come after the answer.
      sent.on('error', reject)
      sent.end()
    })
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
}

/** Ends an answer whose body is of no use, and its connection. */
export function drop(answer: IncomingMessage): void {
  answer.on('error', () => undefined)
  answer.destroy()
}

/** A url with no public address. Throws AppError AddressRefused. */
function privateHop(url: URL, usable: readonly ResolvedAddress[], { privateRule, fromPublic }: HopRule): Hop {
  const local = usable.find(address => address.class === 'private')
  if (local === undefined || privateRule === 'refuse') throw new AppError('AddressRefused')
  if (fromPublic) throw new AppError('AddressRefused', 'a public address redirects to a private one')
  if (privateRule === 'tracker-paths' && !TRACKER_PATHS.has(url.pathname)) {
    throw new AppError(
      'AddressRefused',
      'on a private address only the paths /announce and /scrape are asked; setting network.allow_private allows others',
    )
  }
  if (privateRule === 'no-query' && url.search !== '') {
    throw new AppError('AddressRefused', 'a web seed on a private address has no query')
  }
  return { url, class: 'private', ip: local.ip }
}

/** Percent-decoded; as it is when the escapes are broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
