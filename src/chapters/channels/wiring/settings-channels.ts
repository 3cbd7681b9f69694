// Sections of channels, under the names that the real system had for them: allchannel_community, channel_community, search_community,
// torrent_checking.

import type { OptionSpec } from '../../../node/settings/settings-option.ts'

/** See settings-schema.ts. */
export const allchannelCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Channels of others are discovered in the overlay of channels, from the first use of channels on.',
  },
} as const satisfies Record<string, OptionSpec>

/** See settings-schema.ts. */
export const channelCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Own and subscribed channels are told and followed in the overlay of channels; without it by the DHT and torrents alone.',
  },
} as const satisfies Record<string, OptionSpec>

/** See settings-schema.ts. */
export const searchCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: false,
    doc: 'Searches ask other nodes too, and those of other nodes are answered.',
  },
} as const satisfies Record<string, OptionSpec>

/** See settings-schema.ts. */
export const torrentCheckingSettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: false,
    doc: 'Trackers and the DHT are asked how many seeders the torrents of channels have; never for downloads over circuits.',
  },
} as const satisfies Record<string, OptionSpec>
