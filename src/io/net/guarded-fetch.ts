// Fetches a torrent from an http(s) address a client named (decisions part 2, row uri schemes): 5 redirects, 16 MiB
// decoded, 30 s in all, no private address unless the owner allowed it. A redirect to a magnet link gives the link.

import { AppError } from '../../base/errors.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import type { FetchedSource, SourceFetch } from '../../ports/source-fetch.ts'
import { MAX_MAGNET_CHARS } from '../../wire/metainfo/magnet.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import type { AddressPolicy } from './address-policy.ts'
import { GuardedHttp } from './guarded-http.ts'
import type { OutgoingRoute } from './routed-connector.ts'

/** Bounds and identity of the requests; what is absent takes the contract's value. */
export interface SourceFetchOptions {
  readonly userAgent: string
  readonly localIp?: string | null
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/** What judges and finds addresses, and the route all requests take (null or absent: none, they are direct). */
export interface SourceFetchDeps {
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
  readonly route?: OutgoingRoute | null
}

function isMagnet(location: string): boolean {
  return /^magnet:/i.test(location) && location.length <= MAX_MAGNET_CHARS
}

/** SourceFetch with judged addresses. */
export class GuardedFetch implements SourceFetch {
  readonly #http: GuardedHttp
  readonly #timeoutMs: number
  readonly #maxBytes: number

  constructor(options: SourceFetchOptions, deps: SourceFetchDeps) {
    const { userAgent, localIp = null, timeoutMs = 30_000, maxBytes = MAX_METAINFO_BYTES } = options
    // Sources are asked once: a connection that waits for more would only hold a socket.
    this.#http = new GuardedHttp({ userAgent, localIp, connectionsPerOrigin: 2, keepAliveMs: 1_000 }, deps)
    this.#timeoutMs = timeoutMs
    this.#maxBytes = maxBytes
  }

  async fetch(uri: string, signal?: AbortSignal): Promise<FetchedSource> {
    if (!/^https?:/i.test(uri)) throw new AppError('BadScheme')
    const order = { url: uri, maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs, privateRule: 'refuse' } as const
    const result = await this.#http.follow(signal === undefined ? order : { ...order, signal }, isMagnet)
    if (result.movedTo !== null) return { kind: 'magnet', uri: result.movedTo }
    if (result.status !== 200)
      throw new AppError('SourceFailed', `The source answered with HTTP status ${result.status}.`)
    return { kind: 'bytes', bytes: result.body }
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}
