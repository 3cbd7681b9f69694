// The port at which an incoming peer says it listens.

import type { PeerSession } from './peer-session.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** Notes the port an incoming peer listens on: it can be connected to later, and is known only once. */
export function noteListenPort(core: TorrentCore, peer: PeerSession, port: number): void {
  // The first word counts: a peer that names port after port would fill the list of addresses by itself.
  if (!peer.link.incoming || peer.listens) return
  peer.address = { ip: peer.link.remote.ip, port }
  peer.listens = true
  if (core.content?.metainfo.private === true) return
  const known = core.known.add(peer.address)
  // Not good yet: nobody has reached it there.
  if (known !== null) known.busy = true
}
