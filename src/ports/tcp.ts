// Byte streams between peers. TCP today; the engine does not ask what carries them.

import type { PeerAddress } from '../base/ids.ts'

/** Callbacks of one stream. `close` comes exactly once, and last. None is called from inside connect(). */
export interface TcpStreamHandlers {
  /** Connected (only for outgoing streams). */
  open?(): void
  /** Bytes came. `chunk` is valid only during the call: copy what is to be kept. */
  data(chunk: Uint8Array): void
  /** The send buffer is empty again after write() answered false. */
  drain(): void
  /** The stream is gone; `error` tells why, null for an orderly end. */
  close(error: Error | null): void
}

/** One connection; usable until `close` was called on its handlers. */
export interface TcpStream {
  readonly remote: PeerAddress
  /** True when the other side opened it. */
  readonly incoming: boolean
  /** Bytes accepted by write() and not yet taken by the kernel. */
  readonly bufferedBytes: number
  /**
   * Queues bytes; `sent` runs when the kernel has taken them or the stream has died, and only then may the memory be
   * written again. Answers false when the caller should wait for drain.
   */
  write(bytes: Uint8Array, sent?: () => void): boolean
  /** Collects the writes of this turn into one system call. */
  cork(): void
  uncork(): void
  /** Stops and restarts the data callbacks (back pressure to the kernel). */
  pause(): void
  resume(): void
  /** Closes at once, dropping what is queued. */
  destroy(): void
}

/** A listening port. */
export interface TcpListener {
  readonly address: PeerAddress
  close(): Promise<void>
}

/** Connects and listens. */
export interface TcpNetwork {
  /** Opens a stream from `localIp` (null: any). Fails through `close` after `timeoutMs` at the latest. */
  connect(
    remote: PeerAddress,
    options: { localIp: string | null; timeoutMs: number },
    handlers: TcpStreamHandlers,
  ): TcpStream
  /** Listens. `accept` gives the handlers of a new stream, or null to refuse it. Rejects with AppError PortTaken. */
  listen(at: PeerAddress, accept: (stream: TcpStream) => TcpStreamHandlers | null): Promise<TcpListener>
}
