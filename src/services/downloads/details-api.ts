// What other programs' interfaces ask of a download beyond its record (http/transmission); no record of the
// specification.

/** What a download is beyond its record. Times are Unix time in seconds, 0 = not yet. */
export interface DownloadDetails {
  /** Bytes of the selected files. */
  size_selected: number
  time_finished: number
  /** Seconds it has seeded, all time. */
  time_seeded: number
  /** It was stopped because it had seeded enough. */
  goal_reached: boolean
  /** Bytes/s of this download alone, 0 = none. */
  own_max_download_speed: number
  own_max_upload_speed: number
  /** Announce URLs by tier (BEP 12). */
  announce_tiers: string[][]
  web_seeds: string[]
  /** BEP 27; false while it is not known. */
  private: boolean
  /** What its file, or the folder of its files, is called on the disk. */
  root_name: string
}

/** What the metadata of a download says. */
export interface TorrentDescription {
  piece_length: number
  files: number
  /** Files lie in a folder of the torrent's name. */
  multi_file: boolean
  comment: string
  created_by: string
  /** Unix time, seconds; 0 = it does not say. */
  creation_date: number
}
