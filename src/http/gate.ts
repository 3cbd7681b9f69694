// Who may pass, in this order: the Host, the page, the key (decisions part 1). All of it is decided before routing
// answers anything, so that a caller without a key learns nothing but that it has none.

import { AppError } from '../base/errors.ts'
import { KeyCheck, presentedKey } from './auth.ts'
import type { LinkSigner } from './links.ts'
import type { HttpOptions } from './options.ts'
import { hostAllowed, isForeignPage } from './origin.ts'
import { type PathMatch, routeFor } from './router.ts'

/** What the gate reads of a request; texts are empty when absent. */
export interface GateHead {
  readonly method: string
  readonly host: string
  readonly origin: string
  readonly fetchSite: string
  readonly apiKey: string
  readonly authorization: string
  readonly query: URLSearchParams
}

/** The checks that come before routing; each throws what is answered. */
export class Gate {
  readonly #options: Pick<HttpOptions, 'hostNames' | 'origins'>
  readonly #keys: KeyCheck
  readonly #links: LinkSigner
  /** Of the last request whose host was allowed. */
  #lastHost: string | null = null

  constructor(options: Pick<HttpOptions, 'hostNames' | 'origins' | 'apiKey'>, links: LinkSigner) {
    this.#options = options
    this.#keys = new KeyCheck(options.apiKey)
    this.#links = links
  }

  /** Throws AppError ForeignHost or ForeignOrigin. */
  checkPlace(head: GateHead): void {
    if (!this.#hostAllowed(head.host)) {
      throw new AppError(
        'ForeignHost',
        'The Host header names a host this node does not serve; see the setting api.host_names.',
      )
    }
    if (isForeignPage(head, this.#options.origins)) throw new AppError('ForeignOrigin')
  }

  // Nearly all requests of a node name the same host.
  #hostAllowed(host: string): boolean {
    if (host === this.#lastHost) return true
    if (!hostAllowed(host, this.#options.hostNames)) return false
    this.#lastHost = host
    return true
  }

  /** Whether this is a question of a configured page's browser, answered without a key. */
  isPreflight(head: GateHead): boolean {
    return head.method === 'OPTIONS' && this.#options.origins.includes(head.origin)
  }

  /** Throws AppError Unauthorized or LinkInvalid. `match`: what is at the request's path. */
  checkKey(head: GateHead, match: PathMatch | null): void {
    if (!this.#keys.required) return
    const route = match === null ? null : routeFor(match, head.method)
    if (route?.scope === 'open') return
    const key = presentedKey(head)
    if (this.#keys.accepts(key)) return
    const token = head.query.get('token')
    if (key !== null || token === null || match === null || route === null || !route.signedLinks) {
      throw new AppError('Unauthorized')
    }
    const { infohash = '', fileindex = '' } = match.path
    if (!this.#links.opens(infohash, fileindex, token)) throw new AppError('LinkInvalid')
  }
}
