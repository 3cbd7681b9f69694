// Slow mode as the interface shows and changes it (extra, decision 0557).

import type { Caller } from '../callers-api.ts'

/** Slow mode, as its settings have it. Rates are bytes/s; 0 = no limit. */
export interface SlowModeSettings {
  enabled: boolean
  max_download_rate: number
  max_upload_rate: number
  schedule_enabled: boolean
  /** Lines such as `mon-fri 08:00-18:00`. */
  schedule: string[]
  /** '' = that of the machine. */
  time_zone: string
}

/** Slow mode: limits of its own that replace the usual ones while it is on. */
export interface SlowModeRecord extends SlowModeSettings {
  /** Seconds since 1970 when the schedule switches next; null = it does not. */
  next_change: number | null
}

/** What may be changed of it; absent = as it is. */
export type SlowModeChange = Partial<SlowModeSettings>

/** GET and PATCH /slowmode. */
export interface SlowModeService {
  read(): SlowModeRecord
  /**
   * In force for running transfers, and durable, when settled. AppErrors InvalidSetting; StateConflict when a flag or
   * the environment holds what would change.
   */
  change(change: SlowModeChange, caller: Caller): Promise<SlowModeRecord>
}
