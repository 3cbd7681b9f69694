// Where the uploads of one peer come from, and what counts them. Glue between a torrent's state and peer-uploads.ts.

import { countUse } from './peer-places.ts'
import type { PeerSession } from './peer-session.ts'
import type { UploadSource } from './peer-uploads.ts'
import type { PieceLosses } from '../pieces/piece-losses.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

/** The source of a peer that connected to this torrent; `losses` hears what reading said, and of which pieces. */
export function uploadSource(
  core: TorrentCore,
  peer: PeerSession,
  content: TorrentContent,
  losses: PieceLosses,
): UploadSource {
  return {
    slots: core.engine.shared.uploadSlots,
    limiter: core.upLimiter,
    pieceLength: content.lengths.pieceLength,
    store: content.store,
    now: () => core.now(),
    rate: () => peer.up.rate(core.now()),
    uploaded: bytes => {
      peer.up.add(core.now(), bytes)
      countUse(peer, core.now(), bytes, false)
      core.up.add(core.now(), bytes)
      core.engine.payload.up += bytes
      core.total.up += bytes
      core.session.up += bytes
    },
    storeFailed: (error, first, last) => losses.readFailed(error, first, last),
  }
}
