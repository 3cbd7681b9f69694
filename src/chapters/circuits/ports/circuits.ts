// Onion circuits as BitTorrent and the services use them: datagrams and HTTP exchanges that leave at an exit, hidden
// swarms, and what is known of the circuits. Types, and a text. Nothing behind this port touches the plain network for
// a download.

import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { CircuitFacts } from '../../../ports/overlay-network.ts'
import type { UdpNetwork } from '../../../ports/udp.ts'

/** Most hops of a circuit. */
export type HopCount = 1 | 2 | 3

/** The error of an exchange without an answer: an exit is silent about what it does not carry. */
export const NO_ANSWER_OF_EXIT = 'no answer over the circuit'

/** One HTTP exchange with a server behind an exit; plain HTTP only, for exits carry no TLS. */
export interface CircuitHttpRequest {
  /** Name or literal address; the exit looks the name up. */
  readonly host: string
  readonly port: number
  /** The whole request, as it goes over the connection. */
  readonly request: Uint8Array
  /** Most bytes of the answer. */
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** A peer of a hidden swarm: it has a circuit instead of an address. */
export interface HiddenPeer {
  /** Circuit id as IPv4 address, port 1024 (as the network represents them); the lane's UDP sockets send to it. */
  readonly address: PeerAddress
}

/** Taking part in one hidden swarm. */
export interface HiddenSwarm {
  /** True: be found by downloaders, at introduction points; false: look for seeders. */
  setSeeding(seeding: boolean): void
  /** The download has enough connections: no look-ups while true. */
  setSated(sated: boolean): void
  /** Ends it: introduction points and rendezvous of this swarm are given up. */
  leave(): void
}

/** Everything that downloads of one hop count have of the network. */
export interface CircuitLane {
  readonly hops: HopCount
  /**
   * Sockets whose datagrams leave at exits; each has sendToName, and gives as sender the host that the exit heard.
   * Family 4 only.
   */
  readonly udp: UdpNetwork
  /** Rejects with AppError SourceFailed (also: no circuit, no exit that carries HTTP) or Aborted. */
  exchange(request: CircuitHttpRequest): Promise<Uint8Array>
  facts(): CircuitFacts
  /** Calls `changed` after facts() changed; answers what ends the calls. */
  watch(changed: () => void): () => void
  /** How many downloads want circuits now: some are kept ready while it is above 0. */
  setDemand(downloads: number): void
  /** Joins the hidden swarm of a torrent; `found` is called for each peer that a circuit was linked with. */
  join(infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm
}

/** All lanes. */
export interface Circuits {
  /**
   * Starts the overlay where it does not run; rejects with AppError CircuitsUnavailable (settings forbid it, its port
   * is taken).
   */
  lane(hops: HopCount): Promise<CircuitLane>
}
