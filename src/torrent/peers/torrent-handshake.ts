// Our handshake (BEP 3) of one torrent, and the info hashes it has in handshakes.

import type { InfoHash } from '../../base/ids.ts'
import { encodeHandshake } from '../../wire/peer/handshake.ts'
import { type ConnectionHashes, connectionHashes, offersV2 } from '../pieces/v2-upgrade.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** What the torrent is called in handshakes now. */
export function hashesOf({ infoHash, infoHashV2, content }: TorrentCore): ConnectionHashes {
  return connectionHashes(infoHash, content?.metainfo ?? null, infoHashV2)
}

/** Our handshake for one of the torrent's info hashes. */
export function handshakeOf(core: TorrentCore, infoHash: InfoHash): Uint8Array {
  return encodeHandshake({
    infoHash,
    peerId: core.engine.peerId,
    extensions: { fast: true, extended: true, dht: tellsOfDht(core), v2: offersV2(hashesOf(core)) },
  })
}

function tellsOfDht({ content, engine }: TorrentCore): boolean {
  return content?.metainfo.private !== true && (engine.deps.swarm?.dht?.port ?? 0) > 0
}
