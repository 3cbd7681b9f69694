// Info dictionaries of torrents that are no downloads, over restarts: what was fetched for one preview need not be
// fetched for the next. Promises settle after the commit and reject as those of ports/records.ts.

import type { InfoHash } from '../base/ids.ts'

/** The durable store; it keeps the newest 500, of at most 1 MiB each and 64 MiB together. */
export interface DiscoveredMetadata {
  /** The bencoded info dictionary, or null. */
  get(infoHash: InfoHash): Promise<Uint8Array | null>
  /** Keeps one; one that is too long is not kept. */
  keep(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void>
}
