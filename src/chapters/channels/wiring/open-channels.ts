// The channels of a node.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { overlayParts } from '../../overlay/wiring/open-overlay.ts'
import { ChannelServices } from './channel-services.ts'
import { channelSettingsOf } from './settings-channels.ts'

/** Part of the time to stop. */
const STOP_SHARE = 0.1

/** Opens the chapter. */
export function openChannels(kernel: Kernel): OpenedChapter {
  const { stateDir, clock, random, stack, policy, version, events, log, downloads, torrentInfo, settings } = kernel
  const channels = new ChannelServices({
    ...{ stateDir, clock, random, stack, policy, version, events, downloads, log: log.part('channels') },
    sources: torrentInfo,
    settings: () => channelSettingsOf(settings.values),
  })
  return {
    services: channels.services,
    figures: { num_channels: () => channels.counted() },
    start: core => channels.start({ ...core, overlay: kernel.shared.take(overlayParts) }),
    stop: limitMs => channels.stop(limitMs * STOP_SHARE),
  }
}
