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
    unit: 'bytes/s',
    min: 0,
    max: 1_000_000_000_000,
    default: SLOW_RATE,
    needsRestart: false,
    doc: 'Bytes/s of all downloads together while slow mode is on; 0 = no limit.',
  },
  max_upload_rate: {
    kind: 'integer',
    unit: 'bytes/s',
    min: 0,
    max: 1_000_000_000_000,
    default: SLOW_RATE,
    needsRestart: false,
    doc: 'Bytes/s uploaded by all downloads together while slow mode is on; 0 = no limit.',
  },
  schedule_enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: false,
    doc: 'The schedule switches slow mode on and off. A switch by hand holds until its next border.',
  },
  schedule: {
    kind: 'list',
    of: 'week-line',
    maxEntries: 100,
    default: [],
    needsRestart: false,
    doc: 'When slow mode is on: lines such as `mon-fri 08:00-18:00`, `sat,sun 00:00-24:00`, `daily 22:00-06:00` (until the next day). Lines that overlap are taken together.',
  },
  time_zone: {
    kind: 'text',
    format: 'time-zone',
    maxLength: 64,
    default: '',
    optional: true,
    needsRestart: false,
    doc: 'IANA time zone of the schedule, such as Europe/Berlin; empty = that of the machine.',
  },
} as const satisfies Record<string, OptionSpec>
