// Datagrams to all in the local network that listen to a multicast group, as local discovery sees them.

import type { PeerAddress } from '../base/ids.ts'

/** A multicast group and the port its members listen on; `ip` is a literal of the family. */
export interface MulticastGroup {
  readonly family: 4 | 6
  readonly ip: string
  readonly port: number
}

/** A membership in one group, on every network interface that has a usable address of its family. */
export interface MulticastSocket {
  /**
   * Sends one datagram to the group on each interface, also to members on this machine; lost where it cannot be sent.
   */
  send(bytes: Uint8Array): void
  close(): Promise<void>
}

/** Joins groups. */
export interface MulticastNetwork {
  /**
   * Joins `group`. `receive` gets each datagram once, with its sender (canonical address), of senders in the networks
   * of the interfaces only; its own ones too. `bytes` is valid only during the call. Interfaces that come or go later
   * are followed at the next send. Rejects with AppError PortTaken or SourceFailed.
   */
  join(group: MulticastGroup, receive: (bytes: Uint8Array, from: PeerAddress) => void): Promise<MulticastSocket>
}
