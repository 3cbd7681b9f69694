// One node of the network as all overlays of this node know it: a public key and where it was heard from last.

import type { PeerAddress } from '../../../base/ids.ts'

/** A verified peer: it has signed something that came from its address. The same object in all overlays. */
export interface Peer {
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  /** SHA-1 of the public key, 20 bytes. */
  readonly mid: Uint8Array
  /** The same as 40 lower-case hex digits: names the peer. */
  readonly member: string
  /** Where packets go now; a new object when the peer moved. */
  readonly address: PeerAddress
  /** Its own guess of its address in its local network; null: none. */
  readonly lanAddress: PeerAddress | null
  /** It understands introductions of the new style (ids 231 to 234). */
  readonly newStyle: boolean
  /** Milliseconds of the clock at the last packet from its address. */
  readonly heardMs: number
  /** Median of the newest pings, milliseconds; null: none was answered. */
  readonly rttMs: number | null
  /** Pings that were answered, up to a few. */
  readonly measured: number
  /** Ids of the overlays it is in. */
  readonly overlays: ReadonlySet<string>
}
