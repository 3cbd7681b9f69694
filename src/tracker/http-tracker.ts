// Trackers over HTTP(S): one GET for an announce or a scrape, an answer read by wire/tracker-http.ts.
// Address policy, redirects, time and size are the HttpClient's; here are the rules for what an answer may say.

import { AppError, DecodeError, errorText } from '../base/errors.ts'
import type { HttpAnswer, HttpClient, PrivateRule } from '../ports/http-get.ts'
import { isLoopbackIp } from '../wire/net/compact-address.ts'
import { announceUrl, decodeAnnounce, decodeScrape, scrapeUrl } from '../wire/tracker/tracker-http.ts'
import type { AnnounceReply, AnnounceRequest, ScrapeCounts } from '../wire/tracker/tracker-types.ts'
import { type TrackerClient, TrackerError } from './tracker-client.ts'

/** Bounds of one announce. */
export interface HttpTrackerOptions {
  /** For one announce in all. */
  readonly timeoutMs: number
  /** Most bytes of an answer, decoded. */
  readonly maxAnswerBytes: number
  /** How trackers on private addresses are treated. */
  readonly privateRule: PrivateRule
}

/** What HTTP announces go through. */
export interface HttpTrackerDeps {
  readonly http: HttpClient
}

/** What the system says when a connection does not come about, and the address policy when it forbids one. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'AddressRefused'],
])

/** From this status on it is not known whether the announce counted (a gateway's time-out). */
const SERVER_FAILED = 500

function asTrackerError(error: unknown): TrackerError {
  if (error instanceof TrackerError) return error
  const text = error instanceof DecodeError || error instanceof AppError ? error.message : errorText(error)
  return new TrackerError(text, null, wasUnsent(error))
}

/** Nothing was sent: no connection came about. */
function wasUnsent(error: unknown): boolean {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!(inner instanceof Error)) return false
  if ('code' in inner && UNSENT_CODES.has(String(inner.code))) return true
  return inner.cause !== undefined && wasUnsent(inner.cause)
}

/**
 * An answer without what no swarm of this node can use: our own address, loopback told by a tracker that is not here.
 */
function usableReply(reply: AnnounceReply, request: AnnounceRequest, remoteIp: string | null): AnnounceReply {
  const trackerIsHere = remoteIp !== null && isLoopbackIp(remoteIp)
  const peers = reply.peers.filter(peer => {
    if (peer.port === request.port && peer.ip === reply.externalIp) return false
    return trackerIsHere || !isLoopbackIp(peer.ip)
  })
  return { ...reply, peers }
}

/** TrackerClient for http: and https: URLs. */
export class HttpTracker implements TrackerClient {
  readonly #options: HttpTrackerOptions
  readonly #http: HttpClient

  constructor(options: HttpTrackerOptions, deps: HttpTrackerDeps) {
    this.#options = options
    this.#http = deps.http
  }

  async announce(url: string, request: AnnounceRequest, signal: AbortSignal): Promise<AnnounceReply> {
    try {
      const answer = await this.#get(announceUrl(url, request), signal)
      const reply = this.#decode(answer)
      if ('reason' in reply) throw new TrackerError(reply.reason || 'the tracker refused', reply.retryInSec, true, true)
      return usableReply(reply, request, answer.remoteIp)
    } catch (error) {
      throw asTrackerError(error)
    }
  }

  async scrape(
    url: string,
    infoHashes: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly (ScrapeCounts | null)[]> {
    const target = scrapeUrl(url, infoHashes)
    if (target === null) return infoHashes.map(() => null)
    try {
      const answer = await this.#get(target, signal)
      return answer.status === 200 ? decodeScrape(answer.body, infoHashes) : infoHashes.map(() => null)
    } catch (error) {
      throw asTrackerError(error)
    }
  }

  #get(url: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { timeoutMs, maxAnswerBytes, privateRule } = this.#options
    return this.#http.get({ url, timeoutMs, maxBytes: maxAnswerBytes, privateRule, signal })
  }

  /** Some trackers put a reason into answers that are not 200: it says more than the number. */
  #decode(answer: HttpAnswer): ReturnType<typeof decodeAnnounce> {
    if (answer.status === 200) return decodeAnnounce(answer.body)
    let reply: ReturnType<typeof decodeAnnounce> | null = null
    try {
      reply = decodeAnnounce(answer.body)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
    if (reply !== null && 'reason' in reply) return reply
    const refused = answer.status < SERVER_FAILED
    throw new TrackerError(`the tracker answered with HTTP status ${answer.status}`, null, refused, refused)
  }
}
