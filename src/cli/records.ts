// What commands read of the answers of a node: names of the interface, letter by letter.

/** A download, as far as commands look at it. */
export interface DownloadRow {
  readonly name: string
  readonly infohash: string
  readonly infohash_v2: string | null
  readonly progress: number
  readonly status: string
  readonly queued: boolean
  readonly hops: number
  readonly size: number
  readonly eta: number
  readonly speed_down: number
  readonly speed_up: number
  readonly num_connected_peers: number
  readonly total_pieces: number
  readonly ratio: number
  readonly error: string
  readonly destination: string
  readonly labels: readonly string[]
  readonly trackers: readonly { readonly url: string; readonly status: string; readonly peers: number }[]
  readonly peers?: readonly PeerRow[]
}

/** A circuit of the node, as far as commands look at it. */
export interface CircuitRow {
  readonly id: number
  readonly state: string
  readonly goal_hops: number
  readonly hops: readonly { readonly host: string; readonly member: string }[]
  readonly created: number
  readonly purpose: string
  readonly speed_up: number
  readonly speed_down: number
  readonly rtt: number | null
  readonly loss: number
  readonly reason: string
}

/** A circuit of others that passes through it, or ends at it. */
export interface JoinedRow {
  readonly id: number
  readonly role: string
  readonly from: string
  readonly to: string
  readonly bytes_up: number
  readonly bytes_down: number
  readonly created: number
}

/** The network they are made in. */
export interface CircuitNetworkRow {
  readonly running: boolean
  readonly runtime: number
  readonly relays: number
  readonly exits: number
  readonly places: number
  readonly places_taken: number
  readonly reason: string
}

/** Whose bytes passed. */
export interface CircuitTrafficRow {
  readonly own_up: number
  readonly own_down: number
  readonly relayed: number
  readonly exited_up: number
  readonly exited_down: number
}

/** A peer of a download. */
export interface PeerRow {
  readonly ip: string
  readonly port: number
  readonly client: string
  readonly direction: string
  readonly completed: number
  readonly downrate: number
  readonly uprate: number
  readonly encryption: string
}

/** A file of a download. */
export interface FileRow {
  readonly index: number
  readonly name: string
  readonly size: number
  readonly included: boolean
  readonly progress: number
  readonly priority: number
  readonly stream_url: string
}

/** Answer of GET /downloads/{infohash}/files. */
export interface FilesAnswer {
  readonly files: readonly FileRow[]
  readonly playlist_url: string
}

/** A channel. */
export interface ChannelRow {
  readonly dispersy_cid: string
  readonly name: string
  readonly votes: number
  readonly spam: number
  readonly torrents: number
  readonly mode: string
  readonly own: boolean
  readonly subscribed: boolean
}

/** A torrent of a channel. */
export interface ChannelTorrentRow {
  readonly infohash: string
  readonly name: string
  readonly size: number
  readonly category: string
  readonly num_seeders: number
  readonly num_leechers: number
  readonly last_tracker_check: number
}
