// The torrents that an encrypted connection may name, found by the hash it names them with: one look-up a handshake,
// however many torrents there are. Kept as torrents come and go.

import type { InfoHash } from '../../base/ids.ts'
import { torrentHash } from './mse-hashes.ts'

/** HASH('req2', info hash) -> info hash. */
export class MseTorrents {
  readonly #byHash = new Map<string, InfoHash>()

  /** Torrents in it. */
  get size(): number {
    return this.#byHash.size
  }

  /** Connections may name this torrent. Adding it again changes nothing. */
  add(infoHash: InfoHash): void {
    this.#byHash.set(keyOf(torrentHash(infoHash)), infoHash)
  }

  /** No longer; nothing happens when it was not there. */
  delete(infoHash: InfoHash): void {
    this.#byHash.delete(keyOf(torrentHash(infoHash)))
  }

  /** The torrent with this torrentHash; null when there is none. */
  find(hash: Uint8Array): InfoHash | null {
    return this.#byHash.get(keyOf(hash)) ?? null
  }
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1')
}
