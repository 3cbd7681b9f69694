// One HTTP(S) GET with an address policy, as trackers need it. Redirects, decoding and bounds are the adapter's job.

/**
 * How private (loopback, local network) addresses are treated; addresses that no node should call are always refused.
 */
export type PrivateRule =
  /** Never. */
  | 'refuse'
  /** Only paths /announce and /scrape, and never by a redirect that comes from a public address (decisions part 2). */
  | 'tracker-paths'
  /** Without a query, and never by a redirect that comes from a public address: web seeds (decisions part 2). */
  | 'no-query'

/** One GET with its bounds. */
export interface HttpGet {
  readonly url: string
  /** Most bytes of the body, as sent and as decoded. */
  readonly maxBytes: number
  /** For everything: names, redirects and the last byte of the body. */
  readonly timeoutMs: number
  readonly privateRule: PrivateRule
  readonly signal?: AbortSignal
}

/** What came back, whole. */
export interface HttpAnswer {
  readonly status: number
  /** Decoded. */
  readonly body: Uint8Array
  /** The (first) address of the host that answered, canonical; null when it is not known. */
  readonly remoteIp: string | null
}

/** HTTP whose addresses are judged before anything is sent. */
export interface HttpClient {
  /** Rejects with AppError SourceFailed, AddressRefused, BadScheme or Aborted (the signal), with a readable text. */
  get(request: HttpGet): Promise<HttpAnswer>
  close(): Promise<void>
}
