// Which info hash a connection of a torrent is made with (BEP 52): a hybrid torrent has two, and a peer that is asked
// by the v1 hash with the v2 bit set answers with the v2 hash, which lifts the connection to v2. Pure.

import { type InfoHash, type InfoHashV2, truncatedInfoHash } from '../../base/ids.ts'
import { swarmHashes } from '../../wire/metainfo/metainfo.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'

/** What a torrent is called in handshakes. */
export interface ConnectionHashes {
  /** Our handshakes name it: the v1 hash of whatever has one, which peers of both versions know. */
  readonly infoHash: InfoHash
  /** The truncated v2 hash; null where there is no v2 part, or it is not known. */
  readonly v2: InfoHash | null
}

/** The hashes of a torrent as far as they are known; `named`: the v2 hash that its magnet names. */
export function connectionHashes(
  infoHash: InfoHash,
  metainfo: Metainfo | null,
  named: InfoHashV2 | null,
): ConnectionHashes {
  const whole = metainfo === null ? named : (metainfo.v2?.infoHash ?? null)
  const v2 = whole === null ? null : truncatedInfoHash(whole)
  // A hybrid that was found by its v2 hash.
  const v1 = metainfo !== null && infoHash === v2 ? otherHashes(metainfo)[0] : undefined
  return { infoHash: v1 ?? infoHash, v2 }
}

/**
 * Whether our handshakes set the v2 bit: they name the v1 hash, and v2 would do as well. Never for v1 alone: libtorrent
 * drops peers that set it for such a torrent.
 */
export function offersV2({ infoHash, v2 }: ConnectionHashes): boolean {
  return v2 !== null && v2 !== infoHash
}

/** The info hash that answers an incoming handshake, one that names the torrent. */
export function answeringHash(hashes: ConnectionHashes, incoming: Handshake): InfoHash {
  return hashes.v2 !== null && incoming.extensions.v2 === true ? hashes.v2 : incoming.infoHash
}

/** True when a handshake is a fit answer to ours. */
export function isAnswer(hashes: ConnectionHashes, answer: Handshake): boolean {
  return answer.infoHash === hashes.infoHash || answer.infoHash === hashes.v2
}

/** True for a connection that was made with `infoHash` when it speaks v2: it may carry requests for hashes. */
export function speaksV2(metainfo: Metainfo | null, infoHash: InfoHash): boolean {
  const v2 = metainfo?.v2 ?? null
  return v2 !== null && infoHash === truncatedInfoHash(v2.infoHash)
}

/** Info hashes beside its own under which incoming connections lead to the torrent. */
export function otherHashes(metainfo: Metainfo): readonly InfoHash[] {
  let others = known.get(metainfo)
  if (others === undefined) {
    others = swarmHashes(metainfo).filter(hash => hash !== metainfo.infoHash)
    known.set(metainfo, others)
  }
  return others
}

/** They cost a walk over the info dictionary, and are asked for with each connection. */
const known = new WeakMap<Metainfo, readonly InfoHash[]>()
