// Sections of channels, under the names that the real system had for them: allchannel_community, channel_community,
// search_community, torrent_checking.

import type { OverlaySettings } from '../../overlay/wiring/settings-overlay.ts'
import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'
import type { OptionSpec } from '../../../node/settings/settings-option.ts'

const allchannelCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Channels of others are discovered in the overlay of channels, from the first use of channels on.',
  },
} as const satisfies Record<string, OptionSpec>

const channelCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Own and subscribed channels are told and followed in the overlay of channels; without it by the DHT and torrents alone.',
  },
} as const satisfies Record<string, OptionSpec>

const searchCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: false,
    doc: 'Searches ask other nodes too, and those of other nodes are answered.',
  },
} as const satisfies Record<string, OptionSpec>

const torrentCheckingSettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: false,
    doc: 'Trackers and the DHT are asked how many seeders the torrents of channels have; never for downloads over circuits.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = {
  allchannel_community: allchannelCommunitySettings,
  channel_community: channelCommunitySettings,
  search_community: searchCommunitySettings,
  torrent_checking: torrentCheckingSettings,
}

/** The settings of channels, with those of the core and the overlay. */
export type ChannelSettings = OverlaySettings & ValuesOf<typeof sections>

/** Settings of the node as channels see them. */
export function channelSettingsOf(values: Settings): ChannelSettings {
  // They are in the table that the values were read by (settings-table.ts).
  return values as ChannelSettings
}

/** Its sections, and who may change what in them (decision 0450). */
export const channelTable: SettingsTable = {
  sections,
  rights: {
    allchannel_community: { admin: ['enabled'] },
    channel_community: { admin: ['enabled'] },
    search_community: { admin: ['enabled'] },
    torrent_checking: { admin: ['enabled'] },
  },
}
