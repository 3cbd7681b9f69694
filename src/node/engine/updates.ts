// Following and publishing of updated torrents, put together.

import { nodeEd25519 } from '../../io/ed25519.ts'
import { SafeFileTrimmer } from '../../io/files/file-trimmer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { Random } from '../../ports/random.ts'
import type { VolumeTurns } from '../../ports/volumes.ts'
import type { Downloads } from '../../services/downloads/downloads.ts'
import type { EventHub } from '../../services/events/events.ts'
import { FollowedUpdates } from '../../services/updates/followed-updates.ts'
import { PublishedUpdates } from '../../services/updates/published-updates.ts'
import { UpdateVersions } from '../../services/updates/update-versions.ts'
import { Updates } from '../../services/updates/updates.ts'
import type { Settings } from '../settings/settings-schema.ts'
import { openUpdateKey } from '../state/update-key.ts'

/** What both need of the node. */
export interface UpdatesParts {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly downloads: Downloads
  readonly own: OwnFiles
  readonly volumes: VolumeTurns
  settings(): Settings
}

/** Makes them; nothing happens before Updates.start(). */
export function makeUpdates(parts: UpdatesParts): { readonly updates: Updates; readonly following: FollowedUpdates } {
  const { clock, random, log, events, downloads, stateDir } = parts
  const following = new FollowedUpdates({
    clock,
    random,
    log,
    events,
    versions: new UpdateVersions(downloads, new SafeFileTrimmer(parts.own, parts.volumes)),
    settings: () => {
      const { interval, old_versions: oldVersions } = parts.settings().updates
      return { intervalMs: interval * 60_000, oldVersions }
    },
  })
  const publishing = new PublishedUpdates({
    clock,
    random,
    log,
    ed25519: nodeEd25519,
    openSeed: () => openUpdateKey(stateDir),
    metainfo: infoHash => downloads.knownMetainfo(infoHash),
    hidden: infoHash => (downloads.row(infoHash)?.hops ?? 0) > 0,
  })
  return { updates: new Updates(following, publishing), following }
}
