// What all proxies have in common: a conversation at the beginning of a byte stream, after which the stream leads
// elsewhere. Handshakes are pure: bytes in, bytes out. Their drivers own the stream and the time limit.

import { AppError } from '../../base/errors.ts'

/** Where a proxy shall lead: a literal address or a host name, unresolved. */
export interface ProxyTarget {
  readonly host: string
  readonly port: number
}

/** User and password for a proxy. */
export interface ProxyAuth {
  readonly user: string
  readonly password: string
}

/**
 * What follows from bytes of the proxy: bytes to send, or the end, with the bytes that belong to the stream behind it.
 */
export type HandshakeStep =
  | { readonly done: false; readonly send: Uint8Array | null }
  | { readonly done: true; readonly rest: Uint8Array; readonly bound: ProxyTarget | null }

/** The proxy does not let this node in, wherever it wants to go. */
export class TurnedAway extends AppError {
  constructor(message: string) {
    super('SourceFailed', message)
  }
}

/** One conversation; used once. */
export interface ProxyHandshake {
  /** What this side says first. */
  begin(): Uint8Array
  /**
   * Takes the next bytes of the proxy, in pieces of any size; not called again after a step that is done. Throws
   * DecodeError for bytes that no such proxy sends, and AppError SourceFailed when the proxy says no.
   */
  receive(bytes: Uint8Array): HandshakeStep
}

const NOTHING = new Uint8Array(0)

/** Bytes that came and were not used yet. */
export class Pending {
  #bytes: Uint8Array = NOTHING

  add(bytes: Uint8Array): void {
    this.#bytes =
      this.#bytes.length === 0 ? Uint8Array.from(bytes) : new Uint8Array(Buffer.concat([this.#bytes, bytes]))
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Takes the first `count` bytes away. */
  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return taken
  }
}
