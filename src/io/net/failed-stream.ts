// A stream that never opens: what connect() answers when it knows at once that it cannot connect. Its close comes in
// the next tick, as the port demands that no handler runs inside connect().

import type { PeerAddress } from '../../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'

/** Tells its handlers that it is closed, and does nothing else. */
export class FailedStream implements TcpStream {
  readonly remote: PeerAddress
  readonly incoming = false
  readonly bufferedBytes = 0

  constructor(remote: PeerAddress, error: Error, handlers: TcpStreamHandlers) {
    this.remote = remote
    process.nextTick(() => handlers.close(error))
  }

  write(_bytes: Uint8Array, sent?: () => void): boolean {
    if (sent !== undefined) process.nextTick(sent)
    return true
  }

  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
  destroy(): void {}
}
