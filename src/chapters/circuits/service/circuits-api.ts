// What the debug routes tell of onion circuits (spec 2.11, decisions part 5; decision 0395). Field names of the
// specification's records are its own, letter by letter; what is added is marked.

/** A hop of a circuit of our own. */
export interface CircuitHopRecord {
  /** `ip:port`, or `unknown`: the hop before it chose it and does not tell where it is. */
  host: string
  /** Extra: SHA-1 of its public key, 40 hexadecimal digits. */
  member: string
}

/** Spec 2.11: a circuit of our own, with extras from `purpose` on. */
export interface CircuitRecord {
  id: number
  state: 'EXTENDING' | 'READY' | 'CLOSING'
  goal_hops: number
  bytes_up: number
  bytes_down: number
  /** Unix time. */
  created: number
  /** Those that have answered, the nearest first. */
  hops: CircuitHopRecord[]
  purpose: 'data' | 'introduction-seeder' | 'rendezvous-seeder' | 'rendezvous-downloader'
  /** Bytes/s. */
  speed_up: number
  speed_down: number
  /** Milliseconds from here to the last hop and back; null = not measured yet. */
  rtt: number | null
  /** Part of its pings that came to nothing, 0 to 1. */
  loss: number
  /** Why it is not ready, or is closing; empty when nothing is wrong. */
  reason: string
}

/** Spec 2.11: ids of the circuits that have the places of one number; 0 = the place is free, or there is none. */
export interface SlotsRecord {
  competing: number
  random: number
}

/** Extra: a circuit of others that passes through this node. */
export interface JoinedCircuitRecord {
  id: number
  role: 'relay' | 'exit' | 'introduction' | 'rendezvous'
  /** `ip:port` its cells come from. */
  from: string
  /** `ip:port` they go to; empty at an exit, which serves many. */
  to: string
  bytes_up: number
  bytes_down: number
  /** Unix time. */
  created: number
}

/** Extra: bytes by whose they were, since the overlays started. */
export interface CircuitTrafficRecord {
  own_up: number
  own_down: number
  /** Passed on for others, each byte once. */
  relayed: number
  /** Sent and received for others at this node's exit sockets. */
  exited_up: number
  exited_down: number
}

/** Extra: what this node knows of the network that circuits are made in. */
export interface CircuitNetworkRecord {
  /** False: the overlays were not needed yet, or are off by settings. */
  running: boolean
  /** `ip:port` as others see it; `0.0.0.0:0` = not known. */
  wan_address: string
  /** `ip:port` of the overlays' UDP port; `0.0.0.0:0` = there is none. */
  lan_address: string
  /** Seconds the overlays have run. */
  runtime: number
  /** Peers that may be a hop, and those of them that let traffic out. */
  relays: number
  exits: number
  /** Places for circuits of others, and how many are taken. */
  places: number
  places_taken: number
  /** Why no circuit of this node carries data; empty when one does. */
  reason: string
}

/**
 * Everything under /debug/circuits. Answers at any time and starts nothing: empty lists and zeros before the overlays
 * run.
 */
export interface CircuitsService {
  /** The newest first. */
  circuits(): CircuitRecord[]
  slots(): SlotsRecord[]
  /** Circuits of others that end elsewhere, or are linked here: relays, introduction and rendezvous points. */
  relays(): JoinedCircuitRecord[]
  /** Circuits of others that end here. */
  exits(): JoinedCircuitRecord[]
  traffic(): CircuitTrafficRecord
  network(): CircuitNetworkRecord
}

/** What routes of circuits use. */
export interface CircuitRouteServices {
  readonly circuits: CircuitsService
}
