// Who may pass, in this order: the Host, the page, the key (decisions part 1). All of it is decided before routing
// answers anything, so that a caller without a key learns nothing but that it has none.

import { AppError } from '../base/errors.ts'
import type { KeyList } from '../ports/key-list.ts'
import { basicPassword, keyInHeader, type KeyHolder, KeyRing, linkHolder, NOBODY, OWNER, presentedKey } from './auth.ts'
import { clientNetwork } from './client-network.ts'
import { ErrorWithHeaders } from './envelope.ts'
import type { LinkSigner } from './links.ts'
import type { HttpOptions } from './options.ts'
import { comesFromPage, hostAllowed, isForeignPage } from './origin.ts'
import type { Route } from './route.ts'
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
  /** X-Transmission-Session-Id. */
  readonly doorSession: string
}

const NO_KEYS: KeyList = { current: () => [] }
const ASK_FOR_BASIC = [['WWW-Authenticate', 'Basic realm="Tributary", charset="UTF-8"']] as const

/** The checks that come before routing; each throws what is answered. */
export class Gate {
  readonly #options: Pick<HttpOptions, 'hostNames' | 'origins'>
  readonly #keys: KeyRing
  readonly #links: LinkSigner
  readonly #doorSession: string
  /** Of the last request whose host was allowed. */
  #lastHost: string | null = null

  /** `doorSession`: the session id of this run, which no other page can know. */
  constructor(
    options: Pick<HttpOptions, 'hostNames' | 'origins' | 'apiKey' | 'furtherKeys'>,
    links: LinkSigner,
    doorSession: string,
  ) {
    this.#doorSession = doorSession
    this.#options = options
    this.#keys = new KeyRing(options.apiKey, options.furtherKeys ?? NO_KEYS)
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

  /** The key that a request carries where it may; null = none. */
  presented(head: GateHead, match: PathMatch | null): string | null {
    return presentedKey(head) ?? (match === null || match.door === null ? null : basicPassword(head.authorization))
  }

  /**
   * Who asks. Throws AppError Unauthorized, ForeignOrigin, ScopeMissing or LinkInvalid. `match`: what is at the
   * request's path; `mayTry` gets whose key it is before anything follows from that, and may throw; `address`: of the
   * client.
   */
  checkKey(
    head: GateHead,
    match: PathMatch | null,
    mayTry: (holder: KeyHolder | null) => void,
    address: () => Uint8Array,
  ): KeyHolder {
    if (!this.#keys.required) return OWNER
    const route = match === null ? null : (routeFor(match, head.method) ?? match.door)
    if (route?.scope === 'open') return NOBODY
    const inHeader = keyInHeader(head)
    const key = inHeader ?? this.presented(head, match)
    if (key !== null && inHeader === null) this.#checkPage(head)
    const holder = key === null ? null : this.#keys.holderOf(key)
    if (key !== null) mayTry(holder)
    if (holder !== null && (route === null || holder.may(route.scope))) return holder
    const token = this.#linkOf(head, match, route)
    if (token !== null && (key === null || holder !== null)) return this.#holderOfLink(token, address)
    // Clients that know Basic alone send it when they are asked.
    if (holder === null && route?.door === true) throw new ErrorWithHeaders('Unauthorized', ASK_FOR_BASIC)
    throw new AppError(holder === null ? 'Unauthorized' : 'ScopeMissing')
  }

  /**
   * Keys that a page puts into addresses of the node are guesses of that page, and not of the address they come from.
   * Not for keys in headers that no page sends unasked.
   */
  #checkPage(head: GateHead): void {
    if (!comesFromPage(head, this.#options.origins)) return
    throw new AppError(
      'ForeignOrigin',
      'A page of another origin names a key in the address; see the setting api.origins.',
    )
  }

  /** Whether the request comes by a signed link of the file it is about: see Route.anyOrigin. */
  isForEveryPage(head: Pick<GateHead, 'query'>, match: PathMatch): boolean {
    const { infohash = '', fileindex = '' } = match.path
    return this.#links.opens(infohash, fileindex, head.query.get('token') ?? '')
  }

  #holderOfLink(token: string, address: () => Uint8Array): KeyHolder {
    const given = this.#links.givenBy(token)
    if (given === null) return NOBODY
    if (given.oneDevice && !this.#links.admits(given, clientNetwork(address())))
      throw new AppError('LinkInvalid', 'This link is for one device, and another one has used it first.')
    return linkHolder(given, () => this.#links.givenBy(token) !== null)
  }

  /** The token of a signed link; null: the request has none. Throws AppError LinkInvalid when it is wrong. */
  #linkOf(head: GateHead, match: PathMatch | null, route: Route | null): string | null {
    if (match === null || route === null || !route.signedLinks) return null
    const token = head.query.get('token')
    if (token === null) return null
    const { infohash = '', fileindex = '', channelid } = match.path
    const opens =
      channelid === undefined ? this.#links.opens(infohash, fileindex, token) : this.#links.opensFeed(channelid, token)
    if (!opens) throw new AppError('LinkInvalid')
    return token
  }

  /** No key is accepted any more. */
  wipe(): void {
    this.#keys.wipe()
  }

  /**
   * Throws ErrorWithHeaders SessionIdMissing for what comes to a door without the id that it gave, whatever the method.
   */
  checkSession(head: Pick<GateHead, 'doorSession'>, match: PathMatch): void {
    if (match.door === null || head.doorSession === this.#doorSession) return
    throw new ErrorWithHeaders('SessionIdMissing', [['X-Transmission-Session-Id', this.#doorSession]])
  }
}
