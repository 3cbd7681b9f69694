// Plain HTTP to a router in the local network (UPnP). For nothing else, because it connects to private addresses.

/** One request. */
export interface GatewayRequest {
  readonly method: 'GET' | 'POST'
  /** Its host must be the literal `ip`. */
  readonly url: string
  /** The router that named the url: nothing else is connected to. */
  readonly ip: string
  /** Address to connect from. */
  readonly localIp: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Most bytes of the answer's body. */
  readonly maxBytes: number
  /** For everything. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What came back, whole. */
export interface GatewayAnswer {
  readonly status: number
  readonly body: string
}

/** HTTP to routers. Redirects are not followed: a router that sends us elsewhere is none of ours. */
export interface GatewayHttp {
  /** Rejects with AppError SourceFailed, AddressRefused (another host), or Aborted (the signal). */
  send(request: GatewayRequest): Promise<GatewayAnswer>
}
