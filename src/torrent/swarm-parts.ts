// What the node gives the engine for its swarms: a way to connect by uTP alone, the DHT node, our own address. Types
// only. Every member may be missing: the engine then does without.

import type { PeerAddress } from '../base/ids.ts'
import type { TcpNetwork } from '../ports/tcp.ts'
import type { ExternalAddress } from './peers/external-address.ts'

/** The DHT node, as peers hear of it (BEP 5, message `port`). */
export interface DhtPort {
  /** Its UDP port; 0 while it does not run: it is not announced then. */
  readonly port: number
  /** A peer says that a DHT node is at `address`. */
  nodeAt(address: PeerAddress): void
}

/** Parts of the node that swarms use. */
export interface SwarmParts {
  /** Connects by uTP and nothing else; without it holepunching (BEP 55) is neither offered nor done. */
  readonly utp?: TcpNetwork
  readonly dht?: DhtPort
  /** Hears what peers say of our address, and gives priorities their meaning (BEP 40). */
  readonly external?: ExternalAddress
  /** Whether peers are named to each other and taken from each other (BEP 11); asked each time. Default: yes. */
  exchangesPeers?(): boolean
  /** Whether peers of the local network are looked for (BEP 14). Default: no. */
  discoversLocally?(): boolean
  /**
   * True for an address that means a circuit to a peer: others cannot use it, so it is not sent to peers, and no filter
   * of addresses is meant for it. Default: there are no such.
   */
  standsForCircuit?(ip: string): boolean
  /** What keeps every connection from leaving now; null = nothing that is known. */
  networkTrouble?(): NetworkTrouble | null
}

/**
 * `interface_gone`: nothing the node is bound to has an address (kill switch); `proxy_failing`: its proxy turns it
 * away.
 */
export type NetworkTrouble = 'interface_gone' | 'proxy_failing'
