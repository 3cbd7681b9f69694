// Asking a server by JSON-RPC over HTTP: nodes of chains.

/** What the server refused: its code and sentence. */
export class RpcRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcRefusal'
    this.code = code
  }
}

/** One server. */
export interface JsonRpc {
  /**
   * The result. Rejects with RpcRefusal, and AppErrors WalletServerFailed (no answer, or no JSON-RPC) and Aborted
   * (after close).
   */
  call(method: string, parameters: readonly unknown[]): Promise<unknown>
  close(): void
}

/**
 * Makes one of an address with http or https, credentials within. Throws AppError WalletServerFailed: it cannot be
 * read.
 */
export type MakeJsonRpc = (url: string) => JsonRpc
