// The head of one request. The native object is only valid until the handler returns, so headers are read from it when
// they are asked for (each costs a call), and all are copied when the answer takes longer than the handler.

import type { HttpRequest } from './native.ts'

/** Headers that may be read after the handler. Keys are looked at before anything is kept, and are not kept. */
const KEPT = [
  'host',
  'origin',
  'sec-fetch-site',
  'accept',
  'accept-encoding',
  'last-event-id',
  'x-transmission-session-id',
  'range',
  'if-range',
  'if-none-match',
  'x-forwarded-proto',
  'x-forwarded-for',
] as const

/** Headers in use. */
type Name = (typeof KEPT)[number] | 'x-api-key' | 'authorization'

// Shared: queries are only read.
const NO_QUERY = new URLSearchParams()

/** What the node reads of a request. Header texts are empty when absent. */
export class RequestHead {
  /** Upper case. */
  readonly method: string
  /** As sent, not decoded, without the query. */
  readonly path: string
  readonly #secure: boolean
  #queryText: string
  #query: URLSearchParams | null = null
  #req: HttpRequest | null
  #kept: ReadonlyMap<string, string> | null = null

  constructor(req: HttpRequest, secure: boolean) {
    this.#req = req
    this.#secure = secure
    this.method = req.getCaseSensitiveMethod()
    this.path = req.getUrl()
    // The package's types say text, but without a question mark it is undefined.
    const queryText = req.getQuery() as string | undefined
    this.#queryText = queryText ?? ''
  }

  get queryText(): string {
    return this.#queryText
  }

  get query(): URLSearchParams {
    this.#query ??= this.#queryText === '' ? NO_QUERY : new URLSearchParams(this.#queryText)
    return this.#query
  }

  /** Takes the key out of the query once it was looked at: a head may live as long as its answer. */
  forgetKey(): void {
    if (!this.query.has('key') && !this.query.has('apikey')) return
    const rest = [...this.query].filter(([name]) => name !== 'key' && name !== 'apikey')
    // A text of its own: parts of texts keep the whole one alive.
    this.#queryText = Buffer.from(new URLSearchParams(rest).toString()).toString()
    this.#query = null
  }

  /** Copies all headers: to be called before the native handler returns, if the head is used after it. */
  keep(): void {
    if (this.#req === null) return
    this.#kept = new Map(KEPT.map(name => [name, this.#text(name)]))
    this.#req = null
  }

  /** It came by HTTPS, or a proxy says so. Only links in the answer depend on it, so that anybody may say it. */
  get secure(): boolean {
    return this.#secure || this.#text('x-forwarded-proto') === 'https'
  }

  /** What a proxy says of whom it asks for; not to be trusted further than that there is one. */
  get forwardedFor(): string {
    return this.#text('x-forwarded-for')
  }

  get host(): string {
    return this.#text('host')
  }

  get origin(): string {
    return this.#text('origin')
  }

  get fetchSite(): string {
    return this.#text('sec-fetch-site')
  }

  get apiKey(): string {
    return this.#text('x-api-key')
  }

  get authorization(): string {
    return this.#text('authorization')
  }

  get accept(): string {
    return this.#text('accept')
  }

  get acceptEncoding(): string {
    return this.#text('accept-encoding')
  }

  get lastEventId(): string {
    return this.#text('last-event-id')
  }

  get doorSession(): string {
    return this.#text('x-transmission-session-id')
  }

  get range(): string {
    return this.#text('range')
  }

  get ifRange(): string {
    return this.#text('if-range')
  }

  get ifNoneMatch(): string {
    return this.#text('if-none-match')
  }

  /** Empty when the header is absent. */
  #text(name: Name): string {
    return this.#req === null ? (this.#kept?.get(name) ?? '') : this.#req.getHeader(name)
  }
}
