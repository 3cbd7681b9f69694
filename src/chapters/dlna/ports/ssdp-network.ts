// Datagrams of searches and announcements, as the server of one interface sees them.

import type { PeerAddress } from '../../../base/ids.ts'
import type { LanInterface } from './lan-interfaces.ts'

/** A membership in the group of searches at one interface. */
export interface SsdpSocket {
  /** To the group, by this interface alone; settles when it is out, or lost. */
  announce(bytes: Uint8Array): Promise<void>
  /** To one address; lost where it cannot be sent. */
  send(bytes: Uint8Array, to: PeerAddress): void
  close(): Promise<void>
}

/** Joins the group. */
export interface SsdpNetwork {
  /**
   * Joins at an interface. `receive` gets each datagram that comes, from whomever; `bytes` is valid only during the
   * call. Rejects with AppError PortTaken or SourceFailed.
   */
  join(at: LanInterface, receive: (bytes: Uint8Array, from: PeerAddress) => void): Promise<SsdpSocket>
}
