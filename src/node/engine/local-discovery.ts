// Local discovery for the torrents of a session: which of them may be announced, and what happens at announces of
// others. Knows no datagram (src/lsd).

import { Allowance } from '../../base/allowance.ts'
import { errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import { LocalDiscovery } from '../../lsd/discovery.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { MulticastNetwork } from '../../ports/multicast.ts'
import type { Random } from '../../ports/random.ts'
import type { Session, TorrentHandle } from '../../torrent/index.ts'

/** Suspended torrents that are woken by what the local network tells: some at once, then 20 a minute. */
const WAKES = { burst: 20, refillMs: 3_000 }

/** What discovery for a session works with. */
export interface SessionDiscoveryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly multicast: MulticastNetwork
}

/** What of a session discovery looks at. */
export type DiscoveredSession = Pick<Session, 'called' | 'list' | 'listenPort' | 'namesOf'>

/** Runs and is known to be public (BEP 27). */
function mayBeTold(handle: TorrentHandle): boolean {
  return handle.announced && handle.private === false
}

function* publicTorrents(session: DiscoveredSession): Generator<InfoHash, void> {
  for (const handle of session.list()) if (mayBeTold(handle)) yield* session.namesOf(handle.infoHash)
}

/** The discovery of a session's torrents; it begins with its start(). */
export function discoveryOf(session: DiscoveredSession, deps: SessionDiscoveryDeps): LocalDiscovery {
  const wakes = new Allowance(WAKES.burst, WAKES.refillMs)
  return new LocalDiscovery(
    {},
    {
      ...deps,
      listenPort: () => session.listenPort,
      torrents: () => publicTorrents(session),
      wants: infoHash => {
        const handle = session.called(infoHash)
        if (handle === undefined || !mayBeTold(handle)) return false
        return !handle.suspended || wakes.available(deps.clock.now()) > 0
      },
      found: (infoHash, peer) => {
        const handle = session.called(infoHash)
        if (handle === undefined || (handle.suspended && !wakes.take(deps.clock.now()))) return
        handle.wake().then(
          torrent => torrent.addPeers([peer], 'lsd'),
          (error: unknown) => deps.log.warn('a torrent could not be woken', { error: errorText(error) }),
        )
      },
    },
  )
}
