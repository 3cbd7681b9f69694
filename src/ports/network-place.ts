// Where in the network this node may be: the local addresses that every socket must be bound to. Adapters for TCP, UDP,
// HTTP and names ask for one each time, and close their sockets when it goes. Without an address nothing leaves.

/** A local address to listen on. */
export interface LocalEndpoint {
  /** Canonical literal; present now. */
  readonly ip: string
  /** Port given for this address alone; null = the common one. */
  readonly port: number | null
  /** The device that sockets at this address keep to; absent = none, it was named by itself. */
  readonly device?: string
}

/** The chosen addresses or devices (setting libtorrent.interface), as they are now. */
export interface NetworkPlace {
  /** The address that connections to `family` leave from; null when there is none now: then nothing may leave. */
  localIp(family: 4 | 6): string | null
  /** All addresses that are there now, in the order of the setting; sockets bound to others must not live. */
  endpoints(): readonly LocalEndpoint[]
  /** Calls `changed` after the addresses changed. Answers what ends the calls. `changed` must not throw. */
  watch(changed: () => void): () => void
}
