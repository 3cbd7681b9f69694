// The engine as the services use it: what Session offers of adding and removing torrents. Types only.

import type { InfoHash } from '../base/ids.ts'
import type { TorrentHandle, TorrentSpec } from '../torrent/types.ts'

/** The part of Session that services need. */
export interface TorrentEngine {
  /** Adds a torrent whose info hash is not there yet. */
  add(spec: TorrentSpec): TorrentHandle
  /** Settles when the next of many may be added. */
  room(): Promise<void>
  /** Settles when its files are closed and, with deleteData, deleted. */
  remove(infoHash: InfoHash, options: { deleteData: boolean }): Promise<void>
}
