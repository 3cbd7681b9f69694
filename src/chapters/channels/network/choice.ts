// Chooses the peer to ask next: of those that have it and were not asked in vain, the one with most room, by chance
// among equals.

import type { Peer } from '../../overlay/core/index.ts'
import type { Random } from '../../../ports/random.ts'
import type { ChannelRequestClient } from './request-client.ts'

/** The peer to ask; null: all were tried. */
export function choosePeer(
  peers: readonly Peer[],
  tried: ReadonlySet<Peer>,
  deps: { readonly requests: ChannelRequestClient; readonly random: Random },
): Peer | null {
  let best: Peer[] = []
  let most = -1
  for (const peer of peers) {
    if (tried.has(peer)) continue
    const room = deps.requests.room(peer)
    if (room > most) best = []
    if (room >= most) best.push(peer)
    most = Math.max(most, room)
  }
  return best[deps.random.below(best.length)] ?? null
}
