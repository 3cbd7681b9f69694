// Settings of channels: their torrents being checked.

import type { OptionSpec } from './settings-option.ts'

/** Section torrent_checking. */
export const torrentCheckingSettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: false,
    doc: 'Trackers and the DHT are asked how many seeders the torrents of channels have; never for downloads over circuits.',
  },
} as const satisfies Record<string, OptionSpec>
