// Section slow_mode of the settings: limits of its own that replace the usual ones while it is on.

import type { OptionSpec } from './settings-option.ts'

/** Bytes/s: what Transmission begins with. */
const SLOW_RATE = 50_000

/** See settings-schema.ts. */
export const slowModeSettings = {
  enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: false,
    doc: 'The rates of this section are in force instead of libtorrent.max_download_rate and max_upload_rate.',
  },
  max_download_rate: {
    kind: 'integer',
    min: 0,
    max: 1_000_000_000_000,
    default: SLOW_RATE,
    needsRestart: false,
    doc: 'Bytes/s of all downloads together while slow mode is on; 0 = no limit.',
  },
  max_upload_rate: {
    kind: 'integer',
    min: 0,
    max: 1_000_000_000_000,
    default: SLOW_RATE,
    needsRestart: false,
    doc: 'Bytes/s uploaded by all downloads together while slow mode is on; 0 = no limit.',
  },
} as const satisfies Record<string, OptionSpec>
