// Byte streams between peers. TCP today; the engine does not ask what carries them.

import type { InfoHash, PeerAddress } from '../base/ids.ts'

/** Callbacks of one stream. `close` comes exactly once, and last. None is called from inside connect(). */
export interface TcpStreamHandlers {
  /** Connected (only for outgoing streams). */
  open?(): void
  /** Bytes came. `chunk` is valid only during the call: copy what you keep. */
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
  /** True when uTP carries it (BEP 29); absent = TCP. */
  readonly utp?: boolean
  /** What an encrypted handshake agreed on: RC4, or plain bytes behind it; absent or null: there was none (yet). */
  readonly encryption?: 'rc4' | 'plaintext' | null
  /** The torrent that an encrypted handshake named; absent or null: there was none (yet). */
  readonly infoHash?: InfoHash | null
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
  /**
   * As destroy(), and what the kernel has queued is dropped too: for a local address that is gone. Absent = destroy().
   */
  reset?(): void
}

/** A listening port. */
export interface TcpListener {
  readonly address: PeerAddress
  /** Closes what it has accepted too. */
  close(): Promise<void>
  /** As close(), with reset() of what it has accepted. Absent = close(). */
  reset?(): Promise<void>
}

/** How a stream is opened. */
export interface ConnectOptions {
  /** Address to connect from; null: any. */
  readonly localIp: string | null
  readonly timeoutMs: number
  /** A user waits for it: what answers first is better than what is preferred. Absent = false. */
  readonly hurried?: boolean
}

/** Connects and listens. */
export interface TcpNetwork {
  /** Opens a stream. Fails through `close` after `timeoutMs` at the latest. */
  connect(remote: PeerAddress, options: ConnectOptions, handlers: TcpStreamHandlers): TcpStream
  /** Listens. `accept` gives the handlers of a new stream, or null to refuse it. Rejects with AppError PortTaken. */
  listen(at: PeerAddress, accept: (stream: TcpStream) => TcpStreamHandlers | null): Promise<TcpListener>
}
