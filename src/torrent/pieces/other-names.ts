// Second names of torrents: a hybrid is called by its v1 hash and by its v2 hash (BEP 52), and known here by one of
// them. Invariant: bounded by the torrents there are; one other name a torrent.

import { type InfoHash, type InfoHashV2, truncatedInfoHash } from '../../base/ids.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { otherHashes } from './v2-upgrade.ts'

/** Other names and the torrents they mean. */
export class OtherNames {
  readonly #known = new Map<InfoHash, InfoHash>()
  readonly #others = new Map<InfoHash, InfoHash>()

  /** What a torrent is known as that is called `name`: mostly that. */
  knownAs(name: InfoHash): InfoHash {
    return this.#known.get(name) ?? name
  }

  /** The other name of a torrent. */
  otherOf(infoHash: InfoHash): InfoHash | null {
    return this.#others.get(infoHash) ?? null
  }

  /**
   * Notes the other name of a torrent: of its metadata, or, while that is not known, the v2 hash that its magnet names.
   */
  note(infoHash: InfoHash, metainfo: Metainfo | null, named: InfoHashV2 | null): void {
    this.forget(infoHash)
    const magnet = named === null ? undefined : truncatedInfoHash(named)
    const other = metainfo === null ? magnet : otherHashes(metainfo)[0]
    // The first torrent keeps the name: a torrent cannot take another one's connections.
    if (other === undefined || other === infoHash || this.#known.has(other)) return
    this.#known.set(other, infoHash)
    this.#others.set(infoHash, other)
  }

  /** The torrent is gone. */
  forget(infoHash: InfoHash): void {
    const other = this.#others.get(infoHash)
    if (other === undefined) return
    this.#others.delete(infoHash)
    this.#known.delete(other)
  }
}
