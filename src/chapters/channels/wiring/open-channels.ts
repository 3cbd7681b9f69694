// The channels of a node.

import { join } from 'node:path'
import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { overlayParts } from '../../overlay/wiring/open-overlay.ts'
import type { PackTorrents } from '../ports/pack-torrents.ts'
import type { ChannelEventPayloads } from '../service/channel-event-table.ts'
import { ChannelServices } from './channel-services.ts'
import { channelSettingsOf } from './settings-channels.ts'

/** Part of the time to stop. */
const STOP_SHARE = 0.1
/** The folder of packs, in the state directory. */
const PACKS_FOLDER = 'channel-packs'

/** Opens the chapter. */
export function openChannels(kernel: Kernel): OpenedChapter {
  const { stateDir, clock, random, stack, policy, version, events, log, downloads, torrentInfo, settings } = kernel
  const channels = new ChannelServices({
    stateDir,
    clock,
    random,
    stack,
    policy,
    version,
    events: events.of<ChannelEventPayloads>(),
    downloads,
    log: log.part('channels'),
    sources: torrentInfo,
    settings: () => channelSettingsOf(settings.values),
  })
  let packs: PackTorrents | null = null
  return {
    services: channels.services,
    figures: { num_channels: () => channels.counted() },
    async hidden() {
      const { HiddenTorrents } = await import('./hidden-torrents.ts')
      const made = new HiddenTorrents(join(stateDir, PACKS_FOLDER), log.part('packs'))
      packs = made
      return made
    },
    async start(core) {
      if (packs === null) throw new Error('channels start without their torrents')
      await channels.start({ ...core, packs, overlay: kernel.shared.take(overlayParts) })
    },
    stop: limitMs => channels.stop(limitMs * STOP_SHARE),
  }
}
