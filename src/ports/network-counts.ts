// What passed the node's overlay networks, for those who show it (spec 2.13). Counters only grow while the process
// runs.

import type { PeerAddress } from '../base/ids.ts'

/** Datagrams and bytes of both directions. */
export interface DatagramCounts {
  readonly packetsSent: number
  readonly packetsReceived: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/** One overlay network that the node takes part in. */
export interface OverlayCounts {
  /** What it is called: `mainline_dht4`. */
  readonly name: string
  /** The node's name in it, hexadecimal. */
  readonly member: string
  /** Others that are known in it. */
  readonly candidates: number
  readonly packetsSent: number
  readonly packetsReceived: number
}

/** The counters of a running engine. */
export interface NetworkCounts {
  /** What passed the UDP port for peers: uTP, DHT and whatever else shares it. */
  datagrams(): DatagramCounts
  /** Seconds since that port was bound; 0 = there is none. */
  runtimeSec(): number
  overlays(): readonly OverlayCounts[]
  /** Where peers reach this node in its own network; null = it has no address but loopback and is not bound to that. */
  lanAddress(): PeerAddress | null
  /** Where peers reach it from outside, as peers say; null = none has said. */
  wanAddress(): PeerAddress | null
  /** True when the machine itself has the address at which others see it. */
  isPublic(): boolean
}
