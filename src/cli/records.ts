// What commands read of the answers of a node: names of the interface, letter by letter.

/** A download, as far as commands look at it. */
export interface DownloadRow {
  readonly name: string
  readonly infohash: string
  readonly infohash_v2: string | null
  readonly progress: number
  readonly status: string
  readonly queued: boolean
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

/** A peer of one. */
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

/** A file of one. */
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
