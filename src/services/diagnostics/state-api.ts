// How far the start has come, and where the node is in the network.

/** How far the start has come. */
export type CoreStateName = 'STARTING' | 'UPGRADING' | 'STARTED'

/** GET /state. */
export interface StateRecord {
  state: CoreStateName
  last_exception: string | null
  /** Extra. Volumes (mounted file systems) that files of downloads were looked for on. */
  volumes: VolumeRecord[]
}

/** A volume in GET /state. */
export interface VolumeRecord {
  mount: string
  /** True: it has not answered for more than five seconds. */
  stalled: boolean
  /** Seconds that the oldest call waits for its answer. */
  silent: number
  /** Calls that wait for their turn. */
  waiting: number
  /** It has the state directory: it is never held back, and never said to be stalled. */
  state_directory: boolean
}

/** GET /state and /variables. */
export interface StateService {
  /** The store is being brought up to date: only routes that are marked so answer. */
  readonly upgrading: boolean
  read(): StateRecord
  /** Names of listening ports with `~` between levels (spec 2.15). */
  ports(): Readonly<Record<string, number>>
  /** Where the node is in the network; null before the engine runs. */
  network(): NetworkState | null
}

/** Part `network` of GET /variables. */
export interface NetworkState {
  bound_to: string[] | null
  kept_to_devices: boolean
  proxied: boolean
  external_ipv4: string | null
  external_ipv6: string | null
  mappings: {
    gateway: string
    via: 'PCP' | 'NAT-PMP' | 'UPnP'
    protocol: 'tcp' | 'udp'
    internal_port: number
    external_port: number
    external_ip: string | null
  }[]
  mapping_problems: { gateway: string; problem: string }[]
}
