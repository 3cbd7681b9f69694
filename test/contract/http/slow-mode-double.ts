// A double of slow mode: complete records, every call noted.

import type { SlowModeService } from '../../../src/services/slow-mode/slow-mode-api.ts'

/** What the double of all services has for slow mode. */
export function slowModeDouble(note: (...call: unknown[]) => void): SlowModeService {
  const record = {
    enabled: false,
    max_download_rate: 50_000,
    max_upload_rate: 50_000,
    schedule_enabled: true,
    schedule: ['mon-fri 08:00-18:00'],
    time_zone: 'Europe/Berlin',
    next_change: 1_800_000_000,
  }
  return {
    read: () => {
      note('slowMode')
      return record
    },
    change: async change => {
      note('changeSlowMode', change)
      return { ...record, ...change }
    },
  }
}
