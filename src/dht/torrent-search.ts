// The search of one torrent in the families that there are. A hundred thousand seeds have one each: it is an object
// without closures, and a family without a node takes no room in it.

import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { Family } from './types.ts'
import { PeerSearch, type PeerSearchDeps, type PeerSearchOptions, type SearchedTorrent } from './peer-search.ts'

/** The search of one torrent; DhtNode.peers() makes them. */
export class TorrentSearch implements SearchedTorrent {
  readonly infoHash: InfoHash
  readonly onPeers: (peers: readonly PeerAddress[]) => void
  options: PeerSearchOptions
  /** Where it is until close(). */
  readonly #among: Set<TorrentSearch>
  #four: PeerSearch | null = null
  #six: PeerSearch | null = null

  constructor({ infoHash, options, onPeers }: SearchedTorrent, among: Set<TorrentSearch>) {
    this.infoHash = infoHash
    this.options = options
    this.onPeers = onPeers
    this.#among = among
  }

  /** Searches in a family too. */
  begin(family: Family, deps: PeerSearchDeps): void {
    const search = new PeerSearch(this, deps)
    if (family === 4) this.#four = search
    else this.#six = search
    search.soon()
  }

  /** A family has no node any more. */
  end(family: Family): void {
    const search = family === 4 ? this.#four : this.#six
    search?.close()
    if (family === 4) this.#four = null
    else this.#six = null
  }

  /** How the torrent announces itself has changed. */
  update(changes: Partial<PeerSearchOptions>): void {
    this.options = { ...this.options, ...changes }
  }

  /** The engine is short of peers: looks up as soon as a minute has passed since the last time. */
  soon(): void {
    this.#four?.soon()
    this.#six?.soon()
  }

  close(): void {
    this.#among.delete(this)
    this.end(4)
    this.end(6)
  }
}
