// Datagrams, as the engine sees them.

import type { PeerAddress } from '../base/ids.ts'

/** One bound socket. */
export interface UdpSocket {
  readonly address: PeerAddress
  /** Sends one datagram; lost when it cannot be sent, as datagrams are. `to.ip` is a literal of the socket's family. */
  send(bytes: Uint8Array, to: PeerAddress): void
  /**
   * Sends one datagram to a host name that a proxy resolves; absent = there is no such proxy. Answers come from a
   * literal address of either family.
   */
  sendToName?(bytes: Uint8Array, to: { readonly host: string; readonly port: number }): void
  /**
   * Bytes of earlier sends that wait in this process for the kernel; absent: none ever do. Memory of theirs must not
   * change.
   */
  readonly unsentBytes?: number
  /**
   * From now on `lost` hears of destinations whose way is gone, by addressKey(): hosts there know this node by another
   * address from now on, so connections with them are over. Absent: there is no such thing.
   */
  watchLost?(lost: (key: string) => void): void
  close(): Promise<void>
}

/** Makes sockets. */
export interface UdpNetwork {
  /**
   * Binds a socket of one family at `ip` (null: any) and `port` (0: a free one). `receive` gets each datagram with its
   * sender (canonical address); `bytes` is valid only during the call. Rejects with AppError PortTaken or SourceFailed.
   */
  bind(
    at: { family: 4 | 6; ip: string | null; port: number },
    receive: (bytes: Uint8Array, from: PeerAddress) => void,
  ): Promise<UdpSocket>
}
