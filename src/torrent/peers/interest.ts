// Whom we are interested in. Asked whenever what a peer has, or what we want, has changed.

import type { PeerSession } from './peer-session.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** Whether the peer is interesting may have changed: it hears so. */
export function judge(core: TorrentCore, peer: PeerSession): void {
  const { content, working } = core
  if (content === null || !working) return
  peer.interest(content.picker.isInteresting(peer.key))
}

/** What is wanted has changed: peers hear whether they are interesting. */
export function judgeAll(core: TorrentCore): void {
  for (const peer of core.peers.values()) judge(core, peer)
}
