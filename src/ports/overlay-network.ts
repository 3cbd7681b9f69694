// What the core shows of overlays and circuits, where a chapter has them: in statistics, metrics, and why a download
// waits. Types only.

/** One overlay (community). */
export interface OverlayRow {
  /** Community id, 40 lower-case hex digits. */
  readonly id: string
  /** For people and statistics: `DiscoveryCommunity`, `DHTCommunity`, `TunnelCommunity`. */
  readonly name: string
  /** SHA-1 of our public key in hex. */
  readonly member: string
  /** Verified peers now. */
  readonly peers: number
  readonly globalTime: number
  readonly packetsSent: number
  readonly packetsReceived: number
  /** Packets that were dropped: no overlay, malformed, forged, unasked for. */
  readonly packetsDropped: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/** Overlays that run, and where they are. Answers at any time; before a start: zeros and empty lists. */
export interface OverlayNetwork {
  /** False: nothing runs (not asked for, or off by settings). */
  readonly running: boolean
  /** Our address as others see it, `ip:port`; null: not known. */
  wanAddress(): string | null
  /** Where the UDP port is bound, `ip:port`; null: it is not. */
  lanAddress(): string | null
  /** Seconds since the overlays started. */
  runtimeS(): number
  overlays(): readonly OverlayRow[]
}

/** Why a lane has no ready circuit, in numbers. */
export interface CircuitFacts {
  /** Peers with known flags that may be a hop. */
  readonly candidates: number
  /** Those of them that serve as exit for BitTorrent. */
  readonly exits: number
  /** Circuits of this hop count that carry data. */
  readonly ready: number
  /** Circuits of this hop count on their way. */
  readonly building: number
  /** For people; null: none failed since the start. */
  readonly lastFailure: string | null
}
