// The folder in which another client keeps its torrents and their progress. It is only read.

/** Clients whose folders can be read. */
export type OtherClient = 'transmission' | 'qbittorrent' | 'libtorrent'

/** What lies there of one torrent; a file that is not there is null. */
export interface ResumeFiles {
  readonly torrent: Uint8Array | null
  readonly resume: Uint8Array | null
  /** When the resume file was written, milliseconds since 1970. */
  readonly resumeMs: number
  /** The magnet link, while the metadata has not come yet (Transmission 4). */
  readonly magnet: string | null
}

/** A folder that was found to be one. */
export interface ResumeFolder {
  /** Names of its torrents, without endings, sorted. */
  readonly names: readonly string[]
  /** AppErrors TorrentUnreadable (too large, no plain file, a link, no right to read). */
  read(name: string): Promise<ResumeFiles>
}

/** Opens such folders. */
export interface ResumeFolders {
  /** `path` absolute, without links. AppErrors InvalidParameter: it is no folder of that client. */
  open(path: string, client: OtherClient): Promise<ResumeFolder>
}

/** Looks for names beside a download's own files. */
export interface OtherNames {
  /**
   * The first of `endings` with which a plain file lies at `path` below `folder`; null = none, or it cannot be seen.
   */
  ending(folder: string, path: readonly string[], endings: readonly string[]): Promise<string | null>
}
