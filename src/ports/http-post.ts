// One HTTP(S) POST to an address that the owner named, judged before anything is sent.

/** One POST with its bounds. */
export interface HttpPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** For everything: names, the connection, and the end of the answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** POSTs whose addresses are judged. Redirects are not followed: they are answers like any other. */
export interface HttpPoster {
  /**
   * The status of the answer. Rejects with AppError SourceFailed, AddressRefused, BadScheme or Aborted (the signal).
   */
  post(order: HttpPost): Promise<number>
  close(): Promise<void>
}
