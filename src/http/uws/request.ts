// The head of one request. The native object is only valid until the handler returns, so headers are read from it when
// they are asked for (each costs a call), and all are copied when the answer takes longer than the handler.

import type { HttpRequest } from './native.ts'

/** Headers in use; every text is empty when the header is absent. */
const NAMES = {
  host: 'host',
  origin: 'origin',
  fetchSite: 'sec-fetch-site',
  apiKey: 'x-api-key',
  authorization: 'authorization',
  accept: 'accept',
  lastEventId: 'last-event-id',
  range: 'range',
  ifRange: 'if-range',
  ifNoneMatch: 'if-none-match',
} as const

type Name = keyof typeof NAMES

const ALL = Object.keys(NAMES) as readonly Name[]
// Nobody writes to a query.
const NO_QUERY = new URLSearchParams()

/** What the node reads of a request. Header texts are empty when absent. */
export class RequestHead {
  /** Upper case. */
  readonly method: string
  /** As sent, not decoded, without the query. */
  readonly path: string
  readonly queryText: string
  readonly query: URLSearchParams
  #req: HttpRequest | null
  #kept: ReadonlyMap<Name, string> | null = null

  constructor(req: HttpRequest) {
    this.#req = req
    this.method = req.getCaseSensitiveMethod()
    this.path = req.getUrl()
    // The package's types say text, but without a question mark it is undefined.
    const queryText = req.getQuery() as string | undefined
    this.queryText = queryText ?? ''
    this.query = this.queryText === '' ? NO_QUERY : new URLSearchParams(this.queryText)
  }

  /** Copies all headers: to be called before the native handler returns, if the head is used after it. */
  keep(): void {
    if (this.#req === null) return
    this.#kept = new Map(ALL.map(name => [name, this.#text(name)]))
    this.#req = null
  }

  get host(): string {
    return this.#text('host')
  }

  get origin(): string {
    return this.#text('origin')
  }

  get fetchSite(): string {
    return this.#text('fetchSite')
  }

  get apiKey(): string {
    return this.#text('apiKey')
  }

  get authorization(): string {
    return this.#text('authorization')
  }

  get accept(): string {
    return this.#text('accept')
  }

  get lastEventId(): string {
    return this.#text('lastEventId')
  }

  get range(): string {
    return this.#text('range')
  }

  get ifRange(): string {
    return this.#text('ifRange')
  }

  get ifNoneMatch(): string {
    return this.#text('ifNoneMatch')
  }

  #text(name: Name): string {
    return this.#req === null ? (this.#kept?.get(name) ?? '') : this.#req.getHeader(NAMES[name])
  }
}
